import {
  type DayTally,
  MAX_DAYS,
  MAX_SPECIES,
  type RecordTally,
  type SpeciesTally,
  type StoredEntry,
  type StoredTallies,
} from './types.ts'

/**
 * The text of a removed entry. It stays in its record, so that every other entry keeps its index. JSON escapes quotation
 * marks inside of strings, so no name contains this text.
 */
const REMOVED_ENTRY = '{"removed":true}'

export function hasRemovedEntries(entries: string): boolean {
  return entries.includes(REMOVED_ENTRY)
}

/** Parses the entries of a record, in the order in which they were posted. A removed entry is `undefined`. */
export function parseEntries(entries: string): readonly (StoredEntry | undefined)[] {
  const parsed = JSON.parse(`[${entries}]`) as readonly (StoredEntry & { readonly removed?: true })[]
  return hasRemovedEntries(entries) ? parsed.map((entry) => (entry.removed ? undefined : entry)) : parsed
}

/** Replaces an entry by {@link REMOVED_ENTRY}. */
export function withoutEntry(entries: string, index: number): string {
  return parseEntries(entries)
    .map((entry, at) => (entry === undefined || at === index ? REMOVED_ENTRY : JSON.stringify(entry)))
    .join(',')
}

const DAY_LENGTH = '2026-01-31'.length

/** Counts the entries of a record. Removed entries, which are `undefined`, are not counted. */
export function tallyOf(entries: readonly (StoredEntry | undefined)[]): RecordTally {
  const species = new Map<string, Mutable<SpeciesTally>>()
  const days = new Map<string, Mutable<DayTally>>()
  const labels: Record<string, number> = Object.create(null)
  let count = 0
  for (const entry of entries) {
    if (!entry) continue
    const { name, rarity: label = null, caughtAt } = entry
    const at = Date.parse(caughtAt)
    count += 1
    if (label !== null) labels[label] = (labels[label] ?? 0) + 1
    addSpecies(species, { name, label, count: 1, first: at, last: at })
    addDay(days, { day: new Date(at).toISOString().slice(0, DAY_LENGTH), label, count: 1 })
  }
  return { count, labels: { ...labels }, species: [...species.values()], days: [...days.values()] }
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

function addSpecies(sums: Map<string, Mutable<SpeciesTally>>, tally: SpeciesTally): void {
  const key = speciesKey(tally)
  const sum = sums.get(key)
  if (!sum) {
    sums.set(key, { ...tally })
    return
  }
  sum.count += tally.count
  sum.first = Math.min(sum.first, tally.first)
  sum.last = Math.max(sum.last, tally.last)
}

function addDay(sums: Map<string, Mutable<DayTally>>, tally: DayTally): void {
  const key = JSON.stringify([tally.day, tally.label])
  const sum = sums.get(key)
  if (sum) sum.count += tally.count
  else sums.set(key, { ...tally })
}

/** A different text for each name and label. */
export function speciesKey({ name, label }: Pick<SpeciesTally, 'name' | 'label'>): string {
  return JSON.stringify([name, label])
}

/**
 * Adds up the tallies of records, for a driver that does not store the sums.
 *
 * @example
 * const entries = '{"name":"Koi","rarity":"Gold","caughtAt":"2026-01-31T12:00:00Z"}'
 * const { species, days } = new TallySum().add(tallyOf(parseEntries(entries))).tallies()
 */
export class TallySum {
  readonly #species = new Map<string, Mutable<SpeciesTally>>()
  readonly #days = new Map<string, Mutable<DayTally>>()
  #count = 0

  add({ count, species, days }: Omit<RecordTally, 'labels'>): this {
    this.#count += count
    for (const one of species) addSpecies(this.#species, one)
    for (const one of days) addDay(this.#days, one)
    return this
  }

  /** The sums, as `collectionTallies` of a driver returns them. */
  tallies(): StoredTallies {
    const { species, days } = this.rows()
    return {
      count: this.#count,
      species: species.length > MAX_SPECIES ? null : species.map((one) => ({ ...one, mark: null })),
      days: new Set(days.map(({ day }) => day)).size > MAX_DAYS ? null : days,
    }
  }

  rows(): { readonly species: readonly SpeciesTally[]; readonly days: readonly DayTally[] } {
    return { species: [...this.#species.values()], days: [...this.#days.values()] }
  }
}
