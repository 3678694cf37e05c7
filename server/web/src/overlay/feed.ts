import type { Collection, Fresh } from '../data/profile.ts'
import { inOrder } from '../data/species-list.ts'
import { type Kind, rankOf, type Species, speciesKey } from '../data/summary.ts'

/** A catch that the overlay shows. */
export interface Item extends Pick<Species, 'name' | 'rarity'> {
  /** A key that is unique within a feed. */
  readonly key: number
  readonly kind: Kind
  /** The number of catches of this species that arrived together. */
  readonly count: number
  /** Whether the catch arrived while the overlay was open. */
  readonly isNew: boolean
}

/** Maximum number of shown items, since the overlay never scrolls. */
const MAX_ITEMS = 4

interface Row extends Species {
  readonly kind: Kind
}

function rowsOf({ fish, crab }: Collection): readonly Row[] {
  const rows = (kind: Kind, species: readonly Species[]) => species.map((one): Row => ({ ...one, kind }))
  return [...rows('fish', fish.species), ...rows('crab', crab.species)]
}

const keyOf = (one: Pick<Row, 'kind' | 'name' | 'rarity'>) => `${one.kind} ${speciesKey(one)}`
const isOf = (kind: Kind | undefined) => (one: { readonly kind: Kind }) => kind === undefined || one.kind === kind

/** The latest catches before the overlay was opened, newest first. */
export function firstItems(collection: Collection, kind: Kind | undefined): readonly Item[] {
  return inOrder(rowsOf(collection).filter(isOf(kind)), 'last')
    .slice(0, MAX_ITEMS)
    .map(({ name, rarity, kind }, index) => ({ key: -1 - index, name, rarity, kind, count: 1, isNew: false }))
}

/** The items without catches that were removed from the collection. */
export function stillIn(collection: Collection, items: readonly Item[]): readonly Item[] {
  const keys = new Set(rowsOf(collection).map(keyOf))
  return items.filter((item) => keys.has(keyOf(item)))
}

/** Converts new catches to items. Their keys start at `firstKey`. */
export function newItems(fresh: readonly Fresh[], firstKey: number): readonly Item[] {
  return fresh.map(({ name, rarity, kind, added }, index) => {
    return { key: firstKey + index, name, rarity, kind, count: added, isNew: true }
  })
}

/** The items with new catches, newest first. Among catches that arrived together, the rarest come first. */
export function withFresh(items: readonly Item[], fresh: readonly Fresh[]): readonly Item[] {
  const firstKey = Math.max(0, ...items.map(({ key }) => key)) + 1
  const rarestLast = [...fresh].sort((one, other) => rankOf(one) - rankOf(other))
  return [...[...newItems(rarestLast, firstKey)].reverse(), ...items].slice(0, MAX_ITEMS)
}

/** The latest catch of the highest rarity; `undefined` if nothing has a rarity. */
export function rarestOf({ fish }: Collection): Species | undefined {
  const isBetter = (one: Species, best: Species) =>
    rankOf(one) > rankOf(best) || (rankOf(one) === rankOf(best) && one.lastCaughtAt > best.lastCaughtAt)
  return fish.species.reduce<Species | undefined>((best, one) => (!best || isBetter(one, best) ? one : best), undefined)
}

/** How much attention a catch gets. */
export function loudness({ rarity }: Pick<Species, 'rarity'>): 'usual' | 'rare' | 'rarest' {
  if (rarity === 'Mythical') return 'rarest'
  return rarity === 'Diamond' || rarity === 'Platinum' ? 'rare' : 'usual'
}
