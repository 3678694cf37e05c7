import { type Gamemode, RARITIES, type RarityLabel } from '@fish-crab/sdk/constants'
import type { Bar } from '../../terminal/chart.ts'
import { RARITY_STYLES, type Style } from '../../terminal/screen.ts'
import { type Column, timeColumn } from '../../terminal/table.ts'

/** The numbers of catches of one player or of the whole service. */
export interface CollectionCounts {
  readonly fish: {
    readonly total: number
    readonly byGamemode: Readonly<Partial<Record<Gamemode, number>>>
    readonly byRarity: Readonly<Partial<Record<RarityLabel, number>>>
  }
  readonly crab: {
    readonly total: number
    readonly byGamemode: Readonly<Partial<Record<Gamemode, number>>>
  }
}

export interface SpeciesRow {
  readonly kind: 'fish' | 'crab'
  readonly name: string
  readonly rarity?: RarityLabel
  readonly count: number
  readonly firstCaughtAt: string
  readonly lastCaughtAt: string
}

export const SPECIES_COLUMNS: readonly Column<SpeciesRow>[] = [
  { field: 'kind' },
  { field: 'name' },
  { field: 'rarity', style: (_, { rarity }) => rarity && RARITY_STYLES[rarity] },
  { field: 'count', align: 'right' },
  timeColumn('firstCaughtAt', 'FIRST'),
  timeColumn('lastCaughtAt', 'LAST'),
]

export interface CountRow {
  readonly kind: 'users' | 'all' | 'fish' | 'crab'
  readonly by: 'total' | 'unique' | 'rarest' | 'best day' | 'streak in days' | 'gamemode' | 'rarity'
  readonly label: string | null
  readonly count: number
}

export const COUNT_COLUMNS: readonly Column<CountRow>[] = [
  { field: 'kind' },
  { field: 'by' },
  { field: 'label', title: '', style: (_, row) => styleOf(row) },
  { field: 'count', align: 'right' },
]

export function countRows({ fish, crab, users }: CollectionCounts & { readonly users?: number }): readonly CountRow[] {
  const parts = (kind: CountRow['kind'], by: CountRow['by'], counts: Readonly<Partial<Record<string, number>>>) =>
    Object.entries(counts).map(([label, count = 0]) => ({ kind, by, label, count }))
  const sum = (kind: CountRow['kind'], by: CountRow['by'], count?: number) =>
    count === undefined ? [] : [{ kind, by, label: null, count }]
  return [
    ...sum('users', 'total', users),
    ...sum('fish', 'total', fish.total),
    ...sum('crab', 'total', crab.total),
    ...parts('fish', 'gamemode', fish.byGamemode),
    ...parts('crab', 'gamemode', crab.byGamemode),
    ...parts('fish', 'rarity', fish.byRarity),
  ]
}

/** Bars for counts. Totals are omitted, because the bars of totals would dwarf the other bars. */
export function countBars(rows: readonly CountRow[]): readonly Bar[] {
  return rows
    .filter(({ by }) => by === 'gamemode' || by === 'rarity')
    .map((row) => ({ label: `${row.kind} ${row.label}`, value: row.count, style: styleOf(row) }))
}

function styleOf({ by, label }: CountRow): Style | undefined {
  const rarity = by === 'rarity' ? RARITIES.find((each) => each.label === label) : undefined
  return rarity && RARITY_STYLES[rarity.label]
}
