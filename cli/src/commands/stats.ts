import type { Gamemode } from '@fish-crab/sdk/constants'
import { parseCatchQuery } from '../client/catch-query.ts'
import { COUNT_COLUMNS, countBars, countRows, SPECIES_COLUMNS } from '../client/counts.ts'
import { fetchGamemodes, gamemodeOf } from '../client/gamemodes.ts'
import { dayBars, playerRows, playerStats, readCatches, speciesRows } from '../client/player-stats.ts'
import { usageError } from '../core/errors.ts'
import { administrationFlags, openAdministration } from '../kit/administration.ts'
import { Args, type CommandContext, defineCommand, Flags } from '../kit/define.ts'
import { outputFlags } from '../kit/flags.ts'

export const statsCommand = defineCommand({
  summary: 'Count your catches, those of another player, or all.',
  description:
    'Shows totals, species, first catches, the rarest fish, the best day and the longest streak of days, over all gamemodes ' +
    'and by gamemode and rarity. Days begin at midnight on this machine. With --all, administrators count the players ' +
    'and catches of the whole service.',
  examples: [
    'fish-cli stats',
    'fish-cli stats --since 7d --chart',
    'fish-cli stats Alex --gamemode earth --json',
    { description: 'Each species, with its first and last catch:', command: 'fish-cli stats Alex --species' },
    { description: 'The whole service, as an administrator:', command: 'fish-cli stats --all' },
  ],
  args: { user: Args.string({ description: 'the player (FISH_USER, else the player of the profile)' }) },
  flags: {
    gamemode: Flags.string({
      char: 'g',
      summary: 'Only this gamemode of the player (default: all).',
      helpValue: 'GAMEMODE',
    }),
    since: Flags.string({
      summary:
        'Only catches since WHEN: a local date or time (2026-01-31, 2026-01-31T12:00), or how long ago (90m, 7d).',
      helpValue: 'WHEN',
    }),
    species: Flags.boolean({ summary: 'List the species of the player, most caught first.', exclusive: ['chart'] }),
    chart: Flags.boolean({ summary: 'Draw bars by gamemode and rarity, and for each of the last 14 days.' }),
    all: Flags.boolean({
      summary: 'Count the players and catches of the whole service, as an administrator.',
      exclusive: ['gamemode', 'since', 'species'],
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
    const now = context.clock.now()
    const { since } = parseCatchQuery({ since: flags.since }, now)
    // Only the flag: a gamemode that is set is that of new catches.
    const gamemode: Gamemode | undefined = flags.gamemode === undefined ? undefined : await gamemodeOf(context, target)
    // Loaded after the arguments are validated.
    const { openClient } = await import('../client/client.ts')
    const client = await openClient(context, target)
    const signal = context.interrupted()
    const gamemodes = gamemode === undefined ? await fetchGamemodes(context, target, { client, signal }) : [gamemode]
    const found = await readCatches(client, { user: named, gamemodes, signal })
    const { user } = found
    if (flags.species) {
      const rows = speciesRows(found, since)
      const empty = since === undefined ? 'No catches yet.' : 'No catches since then.'
      return context.printRows({ rows, columns: SPECIES_COLUMNS, document: { user, species: rows }, empty })
    }
    const stats = playerStats(found, { since, now })
    const rows = playerRows(stats)
    const output = { rows, columns: COUNT_COLUMNS, document: stats }
    if (!flags.chart) return context.printRows(output)
    return context.printChart({ ...output, charts: [countBars(rows), dayBars(found, { since, now })] })
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
