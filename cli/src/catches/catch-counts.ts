import { RARITIES } from '@fish-crab/sdk/constants'
import { rarityStyle, type Style } from '../output/colours.ts'
import type { Column } from '../output/columns.ts'
import type { Catch } from './catch-query.ts'

/** How many catches there are of one rarity, or of one name. */
export interface CatchCount {
  readonly label: string
  readonly count: number
  readonly style?: Style | undefined
}

/** The columns of {@link CatchCount}, named after what is counted. */
export function countColumns(what: 'rarity' | 'name'): readonly Column<CatchCount>[] {
  return [
    { field: what, value: ({ label }) => label, style: (_, { style }) => style },
    { field: 'count', align: 'right' },
  ]
}

/** Fish by rarity, in the order of rarities, those that nobody caught too. */
export function countByRarity(catches: readonly Catch[]): readonly CatchCount[] {
  return RARITIES.map(({ label }) => ({
    label,
    count: catches.filter(({ rarity }) => rarity === label).length,
    style: rarityStyle(label),
  }))
}

/** Catches by name, most first. */
export function countByName(catches: readonly Catch[]): readonly CatchCount[] {
  const counts = new Map<string, number>()
  for (const { name } of catches) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([label, count]) => ({ label, count })).sort((a, b) => b.count - a.count)
}
