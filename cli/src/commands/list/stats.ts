import { usageError } from '../../core/errors.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { administrationFlags, outputFlags } from '../../kit/flags.ts'
import type { Session } from '../../session/session.ts'
import { COUNT_COLUMNS, countBars, countRows, SPECIES_COLUMNS } from './counts.ts'
import { dayBars, profileRows, speciesRows } from './player-stats.ts'

export const statsCommand = defineCommand({
  summary: 'Count the catches of a player, or of the whole service.',
  description:
    'The command shows totals, the rarest fish, the best day and streaks of days. The command counts the catches ' +
    'in total, by gamemode and by rarity. Days are UTC days. With --all, administrators count the players and ' +
    'catches of the whole service.',
  examples: [
    'fish-cli stats',
    'fish-cli stats --chart',
    'fish-cli stats Alex --json',
    { description: 'Each species, with its first and last catch:', command: 'fish-cli stats Alex --species' },
    { description: 'The whole service, as an administrator:', command: 'fish-cli stats --all' },
  ],
  args: { user: Args.string({ description: 'the player (FISH_USER, else the player of the profile)' }) },
  flags: {
    species: Flags.boolean({ summary: 'List the species of the player, most caught first.', exclusive: ['chart'] }),
    chart: Flags.boolean({ summary: 'Draw bars by gamemode and rarity, and for each of the last 14 days.' }),
    all: Flags.boolean({
      summary: 'Count the players and catches of the whole service, as an administrator.',
      exclusive: ['species'],
    }),
    ...administrationFlags,
    ...outputFlags,
  },

  async run({ session, terminal, args, flags }) {
    if (flags.all) return countAll(session, { user: args.user, chart: flags.chart })
    if (flags.admin !== undefined)
      throw usageError('--admin needs --all.', 'To count the whole service: fish-cli stats --all')
    const named = args.user ?? session.target.user?.value
    if (!named) {
      throw usageError(
        'The player name is missing.',
        'Name a player, such as fish-cli stats Alex, or log in: fish-cli login',
      )
    }
    const client = await session.client()
    const options = { user: named, species: flags.species, signal: session.signal }
    const { rateLimit: _, requestId: __, ...profile } = await client.profile(options)
    if (flags.species) {
      const rows = speciesRows(profile)
      const document = { user: profile.user, species: rows }
      return terminal.printRows({ rows, columns: SPECIES_COLUMNS, document, empty: 'No catches yet.' })
    }
    const rows = profileRows(profile)
    const output = { rows, columns: COUNT_COLUMNS, document: profile }
    if (!flags.chart) return terminal.printRows(output)
    return terminal.printChart({ ...output, charts: [countBars(rows), dayBars(profile, session.clock.now())] })
  },
})

async function countAll(
  session: Session,
  { user, chart }: { readonly user: string | undefined; readonly chart: boolean },
): Promise<number> {
  if (user !== undefined)
    throw usageError('USER and --all cannot be used together.', 'To count the whole service: fish-cli stats --all')
  const admin = await session.admin()
  const { users, fish, crab } = await admin.stats({ signal: session.signal })
  const counts = { users, fish, crab }
  const rows = countRows(counts)
  const output = { rows, columns: COUNT_COLUMNS, document: counts }
  const { terminal } = session
  return chart ? terminal.printChart({ ...output, charts: [countBars(rows)] }) : terminal.printRows(output)
}
