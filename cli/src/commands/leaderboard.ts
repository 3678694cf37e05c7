import type { Gamemode } from '@fish-crab/sdk'
import { parseCatchQuery } from '../catches/catch-query.ts'
import { usageError } from '../core/errors.ts'
import type { Column } from '../output/columns.ts'
import { administrationFlags, openAdministration } from './admin-command.ts'
import { Args, defineCommand, Flags, words } from './define.ts'
import { outputFlags } from './flags.ts'

interface Place {
  readonly place: number
  readonly name: string
  readonly count: number
}

const COLUMNS: readonly Column<Place>[] = [
  { field: 'place', title: '#', align: 'right' },
  { field: 'name', title: 'PLAYER' },
  { field: 'count', align: 'right' },
]

const KINDS = new Map([
  ['fish', 'fish'],
  ['crab', 'crab'],
  ['crabs', 'crab'],
] as const)

/** `fish-cli leaderboard` */
export const leaderboardCommand = defineCommand({
  summary: 'Say who has caught the most, as an administrator.',
  description: 'Players who have caught as many share a place.',
  examples: [
    'fish-cli leaderboard',
    'fish-cli leaderboard crabs --gamemode earth --limit 3',
    'fish-cli leaderboard fish --chart',
  ],
  args: {
    kind: Args.string({ description: 'fish or crabs; fish when left out', ignoreStdin: true }),
  },
  flags: {
    gamemode: Flags.string({
      char: 'g',
      summary: 'Only this gamemode counts; all of them when left out.',
      helpValue: 'GAMEMODE',
    }),
    limit: Flags.string({ summary: 'Show at most N players, 1 to 1000; 10 when left out.', helpValue: 'N' }),
    chart: Flags.boolean({ summary: 'Draw bars.' }),
    ...administrationFlags,
    ...outputFlags,
  },
  role: 'administrator',
  columns: COLUMNS,
  completion: { kind: words(['fish', 'crabs']) },

  async run(context) {
    const { args, flags } = context
    const type = kindOf(args.kind)
    const { limit } = parseCatchQuery({ limit: flags.limit }, context.clock.now())
    // The SDK checks that it exists.
    const gamemode = flags.gamemode as Gamemode | undefined
    const { admin, options } = await openAdministration(context)
    const { leaderboard } = await admin.leaderboard({ ...options, type, gamemode, limit })
    const rows = leaderboard.map(({ name, count }) => ({
      // Who has caught as many has the same place.
      place: 1 + leaderboard.filter((other) => other.count > count).length,
      name,
      count,
    }))
    const output = {
      rows,
      document: (shown: readonly object[]) => ({ type, gamemode: gamemode ?? null, leaderboard: shown }),
      empty: 'Nobody has caught any yet.',
    }
    if (!flags.chart) return context.printRows(output)
    return context.printChart({ ...output, bars: rows.map(({ name, count }) => ({ label: name, value: count })) })
  },
})

function kindOf(text = 'fish'): 'fish' | 'crab' {
  const kind = (KINDS as ReadonlyMap<string, 'fish' | 'crab'>).get(text)
  if (kind) return kind
  throw usageError('A leaderboard is of fish or of crabs.', 'Such as: fish-cli leaderboard crabs')
}
