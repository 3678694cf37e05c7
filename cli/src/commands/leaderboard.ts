import type { Gamemode } from '@fish-crab/sdk'
import { kindNamed, unknownKind } from '../client/catch-list.ts'
import { parseCatchQuery } from '../client/catch-query.ts'
import { administrationFlags, openAdministration } from '../command/administration.ts'
import { Args, defineCommand, Flags, words } from '../command/define.ts'
import { outputFlags } from '../command/flags.ts'
import type { Column } from '../output/columns.ts'

const COLUMNS: readonly Column[] = [
  { field: 'place', title: '#', align: 'right' },
  { field: 'name', title: 'PLAYER' },
  { field: 'count', align: 'right' },
]

export const leaderboardCommand = defineCommand({
  summary: 'Show who has caught the most, as an administrator.',
  description: 'Players with equal counts share a place.',
  examples: [
    'fish-cli leaderboard',
    'fish-cli leaderboard crabs --gamemode earth --limit 3',
    'fish-cli leaderboard fish --chart',
  ],
  args: { kind: Args.string({ description: 'fish or crabs (default fish)' }) },
  flags: {
    gamemode: Flags.string({ char: 'g', summary: 'Count only this gamemode (default: all).', helpValue: 'GAMEMODE' }),
    limit: Flags.string({ summary: 'Show at most N players, 1 to 1000 (default 10).', helpValue: 'N' }),
    chart: Flags.boolean({ summary: 'Draw bars.' }),
    ...administrationFlags,
    ...outputFlags,
  },
  role: 'administrator',
  columns: COLUMNS,
  completion: { kind: words(['fish', 'crabs']) },

  async run(context) {
    const { args, flags } = context
    const type = kindNamed(args.kind)
    if (!type) throw unknownKind('fish-cli leaderboard crabs')
    const { limit } = parseCatchQuery({ limit: flags.limit }, context.clock.now())
    // The SDK validates it.
    const gamemode = flags.gamemode as Gamemode | undefined
    const { admin, options } = await openAdministration(context)
    const { leaderboard } = await admin.leaderboard({ ...options, type, gamemode, limit })
    const rows = leaderboard.map(({ name, count }) => ({
      place: 1 + leaderboard.filter((other) => other.count > count).length,
      name,
      count,
    }))
    const output = {
      rows,
      document: (shown: readonly object[]) => ({ type, gamemode: gamemode ?? null, leaderboard: shown }),
      empty: 'No catches yet.',
    }
    if (!flags.chart) return context.printRows(output)
    return context.printChart({ ...output, bars: rows.map(({ name, count }) => ({ label: name, value: count })) })
  },
})
