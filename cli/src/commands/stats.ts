import { COUNT_COLUMNS, countBars, countRows, SPECIES_COLUMNS } from '../client/counts.ts'
import { dayBars, profileRows, speciesRows } from '../client/player-stats.ts'
import { usageError } from '../core/errors.ts'
import { administrationFlags, openAdministration } from '../kit/administration.ts'
import { Args, type CommandContext, defineCommand, Flags } from '../kit/define.ts'
import { outputFlags } from '../kit/flags.ts'

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

  async run(context) {
    const { args, flags, target } = context
    if (flags.all) return countAll(context)
    if (flags.admin !== undefined)
      throw usageError('--admin needs --all.', 'To count the whole service: fish-cli stats --all')
    const named = args.user ?? target.user?.value
    if (!named) {
      throw usageError(
        'The player name is missing.',
        'Name a player, such as fish-cli stats Alex, or log in: fish-cli login',
      )
    }
    // The client is loaded only after the arguments are validated.
    const { openClient } = await import('../client/client.ts')
    const client = await openClient(context, target)
    const options = { user: named, species: flags.species, signal: context.interrupted() }
    const { rateLimit: _, requestId: __, ...profile } = await client.profile(options)
    if (flags.species) {
      const rows = speciesRows(profile)
      const document = { user: profile.user, species: rows }
      return context.printRows({ rows, columns: SPECIES_COLUMNS, document, empty: 'No catches yet.' })
    }
    const rows = profileRows(profile)
    const output = { rows, columns: COUNT_COLUMNS, document: profile }
    if (!flags.chart) return context.printRows(output)
    return context.printChart({ ...output, charts: [countBars(rows), dayBars(profile, context.clock.now())] })
  },
})

async function countAll(context: CommandContext): Promise<number> {
  if (context.args.user !== undefined)
    throw usageError('USER and --all cannot be used together.', 'To count the whole service: fish-cli stats --all')
  const { admin, options } = await openAdministration(context)
  const { users, fish, crab } = await admin.stats(options)
  const counts = { users, fish, crab }
  const rows = countRows(counts)
  const output = { rows, columns: COUNT_COLUMNS, document: counts }
  return context.flags.chart ? context.printChart({ ...output, charts: [countBars(rows)] }) : context.printRows(output)
}
