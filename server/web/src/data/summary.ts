import type { RarityLabel } from '@fish-crab/sdk'
import { RARITIES } from '@fish-crab/sdk/constants'

/** The kinds of catches. Fish have a rarity, crabs do not. */
export type Kind = 'fish' | 'crab'

/** Catches of one name and rarity. */
export interface Species {
  readonly name: string
  readonly rarity?: RarityLabel | undefined
  readonly count: number
  /** ISO 8601. */
  readonly firstCaughtAt: string
  /** ISO 8601. */
  readonly lastCaughtAt: string
}

/** One catch. */
export interface Entry {
  readonly name: string
  readonly rarity?: RarityLabel | undefined
  /** ISO 8601. */
  readonly caughtAt: string
}

/** The catches of one kind by species and rarity, most caught first. */
export interface Summary {
  readonly total: number
  /** The number of names across all rarities; `undefined` if the service lists no species, because there are too many. */
  readonly unique: number | undefined
  /** Streamed catches only, if the service lists no species. */
  readonly species: readonly Species[]
}

export const NO_CATCHES: Summary = { total: 0, unique: 0, species: [] }
/** All rarities, from the most common to the rarest. */
export const RARITY_ORDER: readonly RarityLabel[] = RARITIES.map(({ label }) => label)

/** Returns the rank of a species' rarity, which is higher for rarer species, or -1 if the species has no rarity. */
export function rankOf({ rarity }: Pick<Species, 'rarity'>): number {
  return rarity === undefined ? -1 : RARITY_ORDER.indexOf(rarity)
}

/** ISO 8601 times in UTC sort correctly as text. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** Identifies a species of one rarity. */
export function speciesKey({ name, rarity }: Pick<Species, 'name' | 'rarity'>): string {
  return `${rarity ?? ''} ${name}`
}

/** Returns a summary with the entries added. */
export function withEntries(summary: Summary, entries: readonly Entry[]): Summary {
  if (entries.length === 0) return summary
  const species = entries.map(({ name, rarity, caughtAt }) => {
    return { name, rarity, count: 1, firstCaughtAt: caughtAt, lastCaughtAt: caughtAt }
  })
  return mergeSummaries([summary, { total: entries.length, unique: 0, species }])
}

/** The catches of several summaries together. */
export function mergeSummaries(summaries: readonly Summary[]): Summary {
  const byKey = new Map<string, Species>()
  for (const one of summaries.flatMap(({ species }) => species)) {
    const key = speciesKey(one)
    const known = byKey.get(key)
    byKey.set(key, known ? mergeSpecies(known, one) : one)
  }
  const species = [...byKey.values()].sort((one, other) => other.count - one.count)
  const isListed = summaries.every(({ unique }) => unique !== undefined)
  return {
    total: summaries.reduce((sum, { total }) => sum + total, 0),
    unique: isListed ? new Set(species.map(({ name }) => name)).size : undefined,
    species,
  }
}

/** The catches of both species, with the name and rarity of the first one. */
export function mergeSpecies(one: Species, other: Species): Species {
  return {
    ...one,
    count: one.count + other.count,
    firstCaughtAt: compareText(one.firstCaughtAt, other.firstCaughtAt) < 0 ? one.firstCaughtAt : other.firstCaughtAt,
    lastCaughtAt: compareText(one.lastCaughtAt, other.lastCaughtAt) > 0 ? one.lastCaughtAt : other.lastCaughtAt,
  }
}

/** Returns the rarest species, rarest first. Within a rarity, species with fewer catches come first. */
export function rarestOf(species: readonly Species[], count: number): readonly Species[] {
  const compare = (one: Species, other: Species) =>
    rankOf(other) - rankOf(one) || one.count - other.count || compareText(one.name, other.name)
  return species.reduce<readonly Species[]>((rarest, one) => {
    const last = rarest[count - 1]
    return last && compare(last, one) <= 0 ? rarest : rarest.concat(one).sort(compare).slice(0, count)
  }, [])
}

/** The catches between two reads of a collection: each species with a higher count, and the difference. */
export function caughtSince(before: Summary, now: Summary): readonly (Species & { readonly added: number })[] {
  const counts = new Map(before.species.map((one) => [speciesKey(one), one.count]))
  return now.species.flatMap((one) => {
    const added = one.count - (counts.get(speciesKey(one)) ?? 0)
    return added > 0 ? [{ ...one, added }] : []
  })
}
