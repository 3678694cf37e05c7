import type { RarityLabel } from '@fish-crab/sdk'

/** The kinds of catches. Fish have a rarity, crabs do not. */
export type Kind = 'fish' | 'crab'

/** Catches of one name and rarity. Sample collections have no times. */
export interface Species {
  readonly name: string
  readonly rarity?: RarityLabel | undefined
  readonly count: number
  /** ISO 8601. */
  readonly firstCaughtAt?: string | undefined
  /** ISO 8601. */
  readonly lastCaughtAt?: string | undefined
}

/** A collection by species and rarity, most caught first. */
export interface Summary {
  readonly total: number
  /** The number of names across all rarities. */
  readonly unique: number
  readonly species: readonly Species[]
  /** Whether the species of the collection are unknown, because there are too many species or days. */
  readonly isPartial?: boolean
  /** The last catch of a partial summary, in ISO 8601. */
  readonly lastCaughtAt?: string | undefined
}

export interface DayCount {
  /** A UTC day, such as `2026-01-31`. */
  readonly day: string
  readonly count: number
}

/** Counts more catches by their UTC days. */
export function withDays(days: readonly DayCount[], entries: readonly Entry[]): readonly DayCount[] {
  const counts = new Map(days.map(({ day, count }) => [day, count]))
  for (const { caughtAt = new Date().toISOString() } of entries) {
    const day = caughtAt.slice(0, 'YYYY-MM-DD'.length)
    counts.set(day, (counts.get(day) ?? 0) + 1)
  }
  return Array.from(counts, ([day, count]) => ({ day, count }))
}

/** The item with the latest time, or the first item if none has a time. The list must not be empty. */
export function latestOf<Item>(items: readonly Item[], timeOf: (item: Item) => string | undefined): Item {
  return items.reduce((latest, one) => ((timeOf(one) ?? '') > (timeOf(latest) ?? '') ? one : latest))
}

/** One catch. */
export interface Entry {
  readonly name: string
  readonly rarity?: RarityLabel | undefined
  readonly caughtAt?: string | undefined
}

/** Identifies a species of one rarity. */
export function speciesKey({ name, rarity }: Pick<Species, 'name' | 'rarity'>): string {
  return `${rarity ?? ''} ${name}`
}

/** Returns a summary with the entries added. */
export function withEntries(summary: Summary, entries: readonly Entry[]): Summary {
  return entries.length === 0 ? summary : mergeSummaries([summary, summarize(entries)])
}

/** The catches of several summaries together. */
export function mergeSummaries(summaries: readonly Summary[]): Summary {
  const byKey = new Map<string, Species>()
  for (const one of summaries.flatMap(({ species }) => species)) {
    const key = speciesKey(one)
    const known = byKey.get(key)
    byKey.set(key, known ? merged(known, one) : one)
  }
  const species = [...byKey.values()].sort((one, other) => other.count - one.count)
  const total = summaries.reduce((sum, one) => sum + one.total, 0)
  const known = { total, unique: new Set(species.map(({ name }) => name)).size, species }
  if (!summaries.some(({ isPartial }) => isPartial)) return known
  return { ...known, isPartial: true, lastCaughtAt: latestTimeOf(...summaries) }
}

/** The time of the last catch of all summaries together. */
export function latestTimeOf(...summaries: readonly Summary[]): string | undefined {
  const times = summaries.flatMap(({ species, lastCaughtAt }) => [
    lastCaughtAt,
    ...species.map((one) => one.lastCaughtAt),
  ])
  return latestOf([undefined, ...times], (time) => time)
}

function merged(one: Species, other: Species): Species {
  const firsts = [one.firstCaughtAt, other.firstCaughtAt].filter((time) => time !== undefined).sort()
  const lasts = [one.lastCaughtAt, other.lastCaughtAt].filter((time) => time !== undefined).sort()
  return { ...one, count: one.count + other.count, firstCaughtAt: firsts[0], lastCaughtAt: lasts.at(-1) }
}

/** Counts entries by species. */
export function summarize(entries: readonly Entry[]): Summary {
  const byKey = new Map<string, Species>()
  for (const { name, rarity, caughtAt } of entries) {
    const key = speciesKey({ name, rarity })
    const { count = 0, firstCaughtAt = caughtAt, lastCaughtAt = caughtAt } = byKey.get(key) ?? {}
    const [first, last] = caughtAt === undefined ? [] : [firstCaughtAt, lastCaughtAt]
    byKey.set(key, {
      name,
      rarity,
      count: count + 1,
      firstCaughtAt: first !== undefined && caughtAt !== undefined && caughtAt < first ? caughtAt : first,
      lastCaughtAt: last !== undefined && caughtAt !== undefined && caughtAt > last ? caughtAt : last,
    })
  }
  const species = [...byKey.values()].sort((one, other) => other.count - one.count)
  return { total: entries.length, unique: new Set(entries.map(({ name }) => name)).size, species }
}

/**
 * Whether a summary has a catch of the same species and rarity that is as late as the given entry, or later. A partial
 * summary may have a catch of another species.
 */
export function includes(summary: Summary, entry: Entry): boolean {
  const found = summary.species.find(({ name, rarity }) => name === entry.name && rarity === entry.rarity)
  const { lastCaughtAt } = found ?? (summary.isPartial ? summary : {})
  return lastCaughtAt !== undefined && entry.caughtAt !== undefined && lastCaughtAt >= entry.caughtAt
}

/** The catches between two reads of a collection: each species with a higher count, and the difference. */
export function caughtSince(before: Summary, now: Summary): readonly (Species & { readonly added: number })[] {
  const counts = new Map(before.species.map((one) => [speciesKey(one), one.count]))
  return now.species.flatMap((one) => {
    const added = one.count - (counts.get(speciesKey(one)) ?? 0)
    return added > 0 ? [{ ...one, added }] : []
  })
}
