import type { RarityLabel } from '@fish-crab/sdk'
import { foldSpeciesName } from '@fish-crab/sdk/constants'
import type { Collection } from './profile.ts'
import { compareText, type Kind, mergeSpecies, RARITY_ORDER, rankOf, type Species } from './summary.ts'

export const RAREST_FIRST: readonly RarityLabel[] = [...RARITY_ORDER].reverse()

/** The kind and the name, which identify a species. */
export interface SpeciesName {
  readonly kind: Kind
  readonly name: string
}

/** A species in all of its rarities. */
export interface SpeciesEntry extends Species, SpeciesName {
  readonly key: string
  /** The highest rarity in which the species was caught. */
  readonly rarity: RarityLabel | undefined
  /** The catches of the species by rarity, rarest first. Empty for crabs. */
  readonly rarities: readonly Species[]
}

/** The orders in which the list can be sorted. */
export const ORDERS = ['count', 'rarity', 'last', 'first', 'name'] as const

export type Order = (typeof ORDERS)[number]

/** A part of the book: the species that a player has, or the others that players of the service have. */
export type Part = 'caught' | 'missing'

/** All parts. */
export const PARTS: readonly Part[] = ['caught', 'missing']

/** A filter of the list. */
export type Only = Kind | RarityLabel

/** How the list filters, sorts and shows species. */
export interface ListOptions {
  readonly text: string
  /** Shows only species of this kind, or only species that were caught in this rarity. @default all */
  readonly only: Only | undefined
  /** Shows only species that were caught, or only those that are missing. @default both */
  readonly part: Part | undefined
  readonly order: Order
  readonly isTable: boolean
}

/** All filters. */
export const ONLY: readonly Only[] = ['fish', 'crab', ...RAREST_FIRST]

export const USUAL_LIST: ListOptions = {
  text: '',
  only: undefined,
  part: undefined,
  order: 'rarity',
  isTable: false,
}

/** Whether the list shows all species in the usual order. */
export function isUsual({ text, only, order }: ListOptions): boolean {
  return text.trim() === '' && only === USUAL_LIST.only && order === USUAL_LIST.order
}

/** Identifies a species of a kind, whatever its rarity. */
export function entryKey(kind: Kind, name: string): string {
  return `${kind} ${name}`
}

/** Returns one entry for each species of a collection. The species with the most catches comes first. */
export function entriesOf({ fish, crab }: Collection): readonly SpeciesEntry[] {
  const entries = (kind: Kind, species: readonly Species[]) => {
    const byName = new Map<string, [Species, ...Species[]]>()
    for (const one of species) {
      const some = byName.get(one.name)
      if (some) some.push(one)
      else byName.set(one.name, [one])
    }
    return [...byName.values()].map((some) => entryOf(kind, some))
  }
  return [...entries('fish', fish.species), ...entries('crab', crab.species)].sort(
    (one, other) => other.count - one.count,
  )
}

function entryOf(kind: Kind, species: readonly [Species, ...Species[]]): SpeciesEntry {
  const rarities = kind === 'crab' ? [] : [...species].sort((one, other) => rankOf(other) - rankOf(one))
  const { name, count, firstCaughtAt, lastCaughtAt } = species.reduce(mergeSpecies)
  const key = entryKey(kind, name)
  return { key, kind, name, rarity: rarities[0]?.rarity, count, firstCaughtAt, lastCaughtAt, rarities }
}

/** Finds a species in its own spelling, or else in one that differs only in letter case and spaces. */
export function findEntry(entries: readonly SpeciesEntry[], { kind, name }: SpeciesName): SpeciesEntry | undefined {
  const key = entryKey(kind, name)
  const folded = foldSpeciesName(name)
  return (
    entries.find((entry) => entry.key === key) ??
    entries.find((entry) => entry.kind === kind && folded !== '' && foldSpeciesName(entry.name) === folded)
  )
}

// The page of the server has the same order as that of the browser.
const names = new Intl.Collator('en', { numeric: true })

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
export function matching<Entry extends Pick<SpeciesEntry, 'kind' | 'name'> & Partial<Pick<SpeciesEntry, 'rarities'>>>(
  entries: readonly Entry[],
  { text, only }: Pick<ListOptions, 'text' | 'only'>,
): readonly Entry[] {
  const wanted = text.trim().toLowerCase()
  return entries.filter(
    ({ kind, name, rarities = [] }) =>
      (only === undefined || only === kind || rarities.some(({ rarity }) => rarity === only)) &&
      (wanted === '' || name.toLowerCase().includes(wanted)),
  )
}

/** Puts the missing species after the others, except in a list by name. */
export function withMissing<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  missing: readonly Entry[],
  order: Order,
): readonly Entry[] {
  const all = [...entries, ...missing]
  return order === 'name' ? all.sort((one, other) => names.compare(one.name, other.name)) : all
}

/** Returns the filters that match at least one species. */
export function filtersOf(entries: readonly SpeciesEntry[]): readonly Only[] {
  const found = new Set<Only>()
  for (const { kind, rarities } of entries) {
    found.add(kind)
    for (const { rarity } of rarities) if (rarity !== undefined) found.add(rarity)
  }
  return ONLY.filter((one) => found.has(one))
}
