import { RARITIES } from '@fish-crab/sdk/constants'
import type { Bar } from '../output/chart.ts'
import { rarityStyle, type Style } from '../output/colours.ts'
import type { Column } from '../output/columns.ts'
import type { CollectionCounts } from './collection-counts.ts'

/** One number among counts. */
export interface CountRow {
  readonly kind: 'users' | 'fish' | 'crab'
  readonly by: 'total' | 'gamemode' | 'rarity'
  /** The gamemode or the rarity. */
  readonly label: string | null
  readonly count: number
}

/** The columns of {@link CountRow}. */
export const COUNT_COLUMNS: readonly Column<CountRow>[] = [
  { field: 'kind' },
  { field: 'by' },
  { field: 'label', title: '', style: (_, row) => styleOf(row) },
  { field: 'count', align: 'right' },
]

/** Counts line by line: totals first, then by gamemode, then by rarity. */
export function countRows({ fish, crab, users }: CollectionCounts & { readonly users?: number }): readonly CountRow[] {
  const parts = (kind: CountRow['kind'], by: CountRow['by'], counts: Readonly<Partial<Record<string, number>>>) =>
    Object.entries(counts).map(([label, count = 0]) => ({ kind, by, label, count }))
  const total = (kind: CountRow['kind'], count: number) => ({ kind, by: 'total' as const, label: null, count })
  return [
    ...(users === undefined ? [] : [total('users', users)]),
    total('fish', fish.total),
    total('crab', crab.total),
    ...parts('fish', 'gamemode', fish.byGamemode),
    ...parts('crab', 'gamemode', crab.byGamemode),
    ...parts('fish', 'rarity', fish.byRarity),
  ]
}

/** The same as bars, without totals, which would dwarf them. */
export function countBars(rows: readonly CountRow[]): readonly Bar[] {
  return rows
    .filter(({ by }) => by !== 'total')
    .map((row) => ({ label: `${row.kind} ${row.label}`, value: row.count, style: styleOf(row) }))
}

function styleOf({ by, label }: CountRow): Style | undefined {
  const rarity = by === 'rarity' ? RARITIES.find((each) => each.label === label) : undefined
  return rarity && rarityStyle(rarity.label)
}
