import type { Gamemode } from '@fish-crab/sdk/constants'
import { parseCatchQuery } from '../client/catch-query.ts'
import { COUNT_COLUMNS, countBars, SPECIES_COLUMNS, speciesRows } from '../client/counts.ts'
import { fetchGamemodes, gamemodeOf } from '../client/gamemodes.ts'
import { dayBars, playerRows, playerStats, readCatches, summariesSince } from '../client/player-stats.ts'
import { Args, defineCommand, Flags } from '../command/define.ts'
import { outputFlags, serviceFlags } from '../command/flags.ts'
import { usageError } from '../core/errors.ts'

const OF_THE_SERVICE = 'fish-cli admin stats'

export const statsCommand = defineCommand({
  summary: 'Count your catches, or those of another player.',
  description:
    'Shows totals, different species, species caught for the first time, the rarest fish, the best day and the longest ' +
    'streak of days, over all gamemodes and by gamemode and rarity. Days are those of this machine. Needs one request for ' +
    `each kind and gamemode, and one for the list of gamemodes. The counts of the whole service: ${OF_THE_SERVICE}`,
  examples: [
    'fish-cli stats',
    'fish-cli stats --since 7d --chart',
    'fish-cli stats Alex --gamemode earth --json',
    { description: 'Each species, with its first and last catch:', command: 'fish-cli stats Alex --species' },
  ],
  args: { user: Args.string({ description: 'the player (FISH_USER, else the player of the profile)' }) },
  flags: {
    gamemode: Flags.string({
      char: 'g',
      summary: 'Only this gamemode of the player (default: all).',
      helpValue: 'GAMEMODE',
    }),
    since: Flags.string({
      summary: 'Only catches since a local date or time, or how long ago: 2026-01-31, 2026-01-31T12:00, 90m, 7d.',
      helpValue: 'WHEN',
    }),
    species: Flags.boolean({ summary: 'List the species of the player, most caught first.', exclusive: ['chart'] }),
    chart: Flags.boolean({ summary: 'Draw bars, and those of the last 14 days.' }),
    // What it did before has a command of its own.
    admin: Flags.string({ hidden: true, helpValue: 'NAME' }),
    ...serviceFlags,
    ...outputFlags,
  },

  async run(context) {
    const { args, flags, target } = context
    if (flags.admin !== undefined) {
      throw usageError('stats counts the catches of a player.', `The whole service: ${OF_THE_SERVICE} --admin NAME`)
    }
    const named = args.user ?? target.user?.value
    if (!named) {
      const how = 'Pass one: fish-cli stats USER, or log in: fish-cli login USER.'
      throw usageError('Missing player name.', `${how} The whole service: ${OF_THE_SERVICE}`)
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
      const rows = speciesRows(summariesSince(found, since))
      const empty = since === undefined ? 'No catches yet.' : 'No catches since then.'
      return context.printRows({ rows, document: (species: readonly object[]) => ({ user, species }), empty })
    }
    const stats = playerStats(found, { since, now })
    const rows = playerRows(stats)
    // --fields selects from rows; without it, the document is nested.
    const document = (selected: readonly object[]) => (flags.fields === undefined ? stats : selected)
    if (!flags.chart) return context.printRows({ rows, document })
    return context.printChart({ rows, document, charts: [countBars(rows), dayBars(found, { since, now })] })
  },
})
