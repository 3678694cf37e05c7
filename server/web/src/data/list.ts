import type { RarityLabel } from '@fish-crab/sdk'
import { RARITIES } from '@fish-crab/sdk/constants'
import { type Collection, type Kind, type Species, speciesKey } from './summary.ts'

/** A species as the page lists it. */
export interface Row extends Species {
  readonly key: string
  readonly kind: Kind
}

/** Ways to order the list, by the words that the page shows. */
export const ORDERS = {
  count: 'Most caught',
  rarity: 'Rarest',
  last: 'Caught last',
  first: 'First caught',
  name: 'Name',
} as const

/** One of {@link ORDERS}. */
export type Order = keyof typeof ORDERS

/** From the most common to the rarest. */
export const RARITY_ORDER: readonly RarityLabel[] = RARITIES.map(({ label }) => label)

/** Which species the page lists, and how. */
export interface Choice {
  readonly text: string
  readonly kind: Kind | undefined
  readonly rarity: RarityLabel | undefined
  readonly order: Order
}

/** All species of a collection, most caught first. */
export function rowsOf({ fish, crab }: Collection): readonly Row[] {
  const rows = (kind: Kind, species: readonly Species[]) =>
    species.map((one): Row => ({ ...one, kind, key: `${kind} ${speciesKey(one)}` }))
  return [...rows('fish', fish.species), ...rows('crab', crab.species)].sort((one, other) => other.count - one.count)
}

const rank = ({ rarity }: Row) => (rarity === undefined ? -1 : RARITY_ORDER.indexOf(rarity))
const names = new Intl.Collator(undefined, { numeric: true })
// ISO 8601 in UTC sorts as text.
const compareText = (one = '', other = '') => (one < other ? -1 : one > other ? 1 : 0)

const COMPARE: Readonly<Record<Order, (one: Row, other: Row) => number>> = {
  // Rows come in this order.
  count: () => 0,
  rarity: (one, other) => rank(other) - rank(one),
  last: (one, other) => compareText(other.lastCaughtAt, one.lastCaughtAt),
  first: (one, other) => compareText(one.firstCaughtAt, other.firstCaughtAt),
  name: (one, other) => names.compare(one.name, other.name),
}

/** The rows in an order; those that are equal there stay as they are. */
export function inOrder(rows: readonly Row[], order: Order): readonly Row[] {
  return order === 'count' ? rows : rows.toSorted(COMPARE[order])
}

/** The rows that match, in the order given. */
export function matching(rows: readonly Row[], { text, kind, rarity }: Omit<Choice, 'order'>): readonly Row[] {
  const wanted = text.trim().toLocaleLowerCase()
  return rows.filter(
    (row) =>
      (kind === undefined || row.kind === kind) &&
      (rarity === undefined || row.rarity === rarity) &&
      (wanted === '' || row.name.toLocaleLowerCase().includes(wanted)),
  )
}
