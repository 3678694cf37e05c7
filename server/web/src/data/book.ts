import type { RarityLabel } from '@fish-crab/sdk'
import { RARITIES } from '@fish-crab/sdk/constants'
import type { Collection } from './cabinet.ts'
import { type Kind, latestOf, type Species } from './summary.ts'

/** All rarities, from the most common to the rarest. */
export const RARITY_ORDER: readonly RarityLabel[] = RARITIES.map(({ label }) => label)
export const RAREST_FIRST: readonly RarityLabel[] = [...RARITY_ORDER].reverse()

/** Returns the rank of a species' rarity, which is higher for rarer species, or -1 if the species has no rarity. */
export function rankOf({ rarity }: Pick<Species, 'rarity'>): number {
  return rarity === undefined ? -1 : RARITY_ORDER.indexOf(rarity)
}

/** A species in all of its rarities. */
export interface BookEntry extends Species {
  readonly key: string
  readonly kind: Kind
  /** The highest rarity in which the species was caught. */
  readonly rarity?: RarityLabel | undefined
  /** The catches of the species by rarity, rarest first. Empty for crabs. */
  readonly rarities: readonly Species[]
}

/** The orders in which the book can be sorted, and their labels on the page. */
export const ORDERS = {
  count: 'Most caught',
  rarity: 'Rarest',
  last: 'Caught last',
  first: 'Caught first',
  name: 'Name',
} as const

export type Order = keyof typeof ORDERS

/** A filter of the book. */
export type Only = Kind | RarityLabel

/** How the book filters, sorts and shows species. */
export interface BookOptions {
  readonly text: string
  /** Shows only species of this kind, or only species that were caught in this rarity. @default all */
  readonly only: Only | undefined
  readonly order: Order
  readonly isTable: boolean
}

/** All filters. */
export const ONLY: readonly Only[] = ['fish', 'crab', ...RAREST_FIRST]

export const USUAL_BOOK: BookOptions = {
  text: '',
  only: undefined,
  order: 'rarity',
  isTable: false,
}

/** Identifies a species of a kind, whatever its rarity. */
export function bookKey(kind: Kind, name: string): string {
  return `${kind} ${name}`
}

/** Returns one entry for each species of a collection. The species with the most catches comes first. */
export function bookOf({ fish, crab }: Collection): readonly BookEntry[] {
  const entries = (kind: Kind, species: readonly Species[]) => {
    const byName = new Map<string, Species[]>()
    for (const one of species) {
      const some = byName.get(one.name)
      if (some) some.push(one)
      else byName.set(one.name, [one])
    }
    return Array.from(byName, ([name, some]) => bookEntry(kind, name, some))
  }
  return [...entries('fish', fish.species), ...entries('crab', crab.species)].sort(
    (one, other) => other.count - one.count,
  )
}

function bookEntry(kind: Kind, name: string, species: readonly Species[]): BookEntry {
  const rarities = kind === 'crab' ? [] : [...species].sort((one, other) => rankOf(other) - rankOf(one))
  return {
    key: bookKey(kind, name),
    kind,
    name,
    rarity: rarities[0]?.rarity,
    count: species.reduce((sum, { count }) => sum + count, 0),
    firstCaughtAt: species.reduce(
      (first, { firstCaughtAt: one }) => (first === undefined || (one ?? first) < first ? one : first),
      species[0]?.firstCaughtAt,
    ),
    lastCaughtAt: latestOf(species, ({ lastCaughtAt }) => lastCaughtAt).lastCaughtAt,
    rarities,
  }
}

const names = new Intl.Collator(undefined, { numeric: true })
// ISO 8601 times in UTC sort correctly as text.
const compareText = (one = '', other = '') => (one < other ? -1 : one > other ? 1 : 0)

const COMPARE: Readonly<Record<Order, (one: Species, other: Species) => number>> = {
  // Entries already have this order.
  count: () => 0,
  rarity: (one, other) => rankOf(other) - rankOf(one),
  last: (one, other) => compareText(other.lastCaughtAt, one.lastCaughtAt),
  first: (one, other) => compareText(one.firstCaughtAt, other.firstCaughtAt),
  name: (one, other) => names.compare(one.name, other.name),
}

/** Sorts species. Species that compare as equal keep their order. */
export function inOrder<Item extends Species>(items: readonly Item[], order: Order): readonly Item[] {
  return order === 'count' ? items : [...items].sort(COMPARE[order])
}

/** Returns the entries that match, in their given order. */
export function matching(
  entries: readonly BookEntry[],
  { text, only }: Pick<BookOptions, 'text' | 'only'>,
): readonly BookEntry[] {
  const wanted = text.trim().toLocaleLowerCase()
  return entries.filter(
    (entry) =>
      (only === undefined || only === entry.kind || entry.rarities.some(({ rarity }) => rarity === only)) &&
      (wanted === '' || entry.name.toLocaleLowerCase().includes(wanted)),
  )
}

/** Returns the rarest species, rarest first. Within a rarity, species with fewer catches come first. */
export function rarestOf(book: readonly BookEntry[], count: number): readonly BookEntry[] {
  const caught = ({ rarities, count }: BookEntry) => rarities[0]?.count ?? count
  const ranks = book.map(rankOf).sort((one, other) => other - one)
  const least = ranks[Math.min(count, ranks.length) - 1] ?? 0
  return book
    .filter((entry) => rankOf(entry) >= least)
    .sort(
      (one, other) => rankOf(other) - rankOf(one) || caught(one) - caught(other) || compareText(one.name, other.name),
    )
    .slice(0, count)
}

/** Returns the filters that match at least one species. */
export function filtersOf(book: readonly BookEntry[]): readonly Only[] {
  const found = new Set<Only>()
  for (const { kind, rarities } of book) {
    found.add(kind)
    for (const { rarity } of rarities) if (rarity !== undefined) found.add(rarity)
  }
  return ONLY.filter((one) => found.has(one))
}
