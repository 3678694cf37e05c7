import type { Crab, Fish } from '@fish-crab/sdk'
import { type Gamemode, RARITIES, type RarityLabel } from '@fish-crab/sdk/constants'
import type { Bar } from '../output/chart.ts'
import type { Column } from '../output/columns.ts'
import { RARITY_STYLES, type Style } from '../output/screen.ts'

/** Catches of one player, in the form of the service's own counts. */
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

interface CollectionSource {
  readonly fish: (gamemode: Gamemode, signal: AbortSignal) => Promise<readonly Pick<Fish, 'rarity'>[]>
  readonly crab: (gamemode: Gamemode, signal: AbortSignal) => Promise<readonly Crab[]>
}

/** Counts the catches of a player in these gamemodes. @throws the first error of the source, which aborts the rest */
export async function countCollections(
  read: CollectionSource,
  gamemodes: readonly Gamemode[],
  interrupted: AbortSignal,
): Promise<CollectionCounts> {
  const ending = new AbortController()
  const signal = AbortSignal.any([interrupted, ending.signal])
  const reading = gamemodes.map(async (gamemode) => {
    const [fish, crab] = await Promise.all([read.fish(gamemode, signal), read.crab(gamemode, signal)])
    return { gamemode, fish, crab }
  })
  // Aborts requests that still wait for the rate limit, which would keep the process alive.
  const collections = await Promise.all(reading).finally(() => ending.abort())
  const fish = collections.flatMap((each) => each.fish)
  const crab = collections.flatMap((each) => each.crab)
  const byGamemode = (kind: 'fish' | 'crab') =>
    Object.fromEntries(collections.map((each) => [each.gamemode, each[kind].length]))
  const byRarity = RARITIES.map(({ label }) => [label, fish.filter(({ rarity }) => rarity === label).length])
  return {
    fish: { total: fish.length, byGamemode: byGamemode('fish'), byRarity: Object.fromEntries(byRarity) },
    crab: { total: crab.length, byGamemode: byGamemode('crab') },
  }
}

interface CountRow {
  readonly kind: 'users' | 'fish' | 'crab'
  readonly by: 'total' | 'gamemode' | 'rarity'
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

/** Bars for counts. Totals are left out: they would dwarf the rest. */
export function countBars(rows: readonly CountRow[]): readonly Bar[] {
  return rows
    .filter(({ by }) => by !== 'total')
    .map((row) => ({ label: `${row.kind} ${row.label}`, value: row.count, style: styleOf(row) }))
}

function styleOf({ by, label }: CountRow): Style | undefined {
  const rarity = by === 'rarity' ? RARITIES.find((each) => each.label === label) : undefined
  return rarity && RARITY_STYLES[rarity.label]
}
