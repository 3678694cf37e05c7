import {
  type Collection,
  type CollectionTallies,
  type DayTally,
  MAX_DAYS,
  MAX_SPECIES,
  type SpeciesTally,
  type StoredRecord,
} from './types.ts'

const DAY_MS = 86_400_000

/**
 * Tallies in the form that drivers store. A list that is longer than its maximum may be incomplete, and only shows that
 * the collection has too many species or days.
 */
export interface TallyRows {
  readonly species: readonly SpeciesTally[]
  readonly days: readonly DayTally[]
}

/** Number of days from 1970-01-01 to a day such as `2026-01-31`. */
export function numberOfDay(day: string): number {
  return Date.parse(day) / DAY_MS
}

/** The day that is this number of days after 1970-01-01, such as `2026-01-31`. */
export function dayOf(number: number): string {
  return new Date(number * DAY_MS).toISOString().replace(/T.*/, '')
}

/**
 * Counts the species and days of entries. A driver that stores tallies adds each record that it appends. Other drivers
 * add all records of a collection.
 *
 * @example
 * const entries = '{"name":"Koi","rarity":"Gold","caughtAt":"2026-01-31T12:00:00Z"}'
 * const { species, days } = new TallyCounter().add(entries).tallies()
 */
export class TallyCounter {
  readonly #species = new Map<string, { -readonly [Key in keyof SpeciesTally]: SpeciesTally[Key] }>()
  /** Counts by day, as the number of days since 1970-01-01. */
  readonly #days = new Map<number, number>()

  /** Counts entries in the format of `NewRecord.entries`. Entries without a name or a time are ignored. */
  add(entries: string): this {
    for (const entry of parseEntries(entries)) {
      const { name, rarity, caughtAt } = Object(entry)
      const at = Date.parse(caughtAt)
      if (typeof name !== 'string' || Number.isNaN(at)) continue
      if (this.#species.size <= MAX_SPECIES) this.#addToSpecies(name, typeof rarity === 'string' ? rarity : '', at)
      if (this.#days.size <= MAX_DAYS) this.#addToDay(Math.floor(at / DAY_MS))
    }
    return this
  }

  /** The tallies so far. */
  tallies(): CollectionTallies {
    return talliesOf(this.rows())
  }

  /** The tallies so far, for a driver that stores them. */
  rows(): TallyRows {
    return {
      species: Array.from(this.#species.values(), (tally) => ({ ...tally })),
      days: Array.from(this.#days, ([number, count]) => ({ day: dayOf(number), count })),
    }
  }

  #addToDay(number: number): void {
    this.#days.set(number, (this.#days.get(number) ?? 0) + 1)
  }

  #addToSpecies(name: string, label: string, at: number): void {
    const key = `${label}\0${name}`
    const tally = this.#species.get(key)
    if (!tally) {
      this.#species.set(key, { name, label: label || null, count: 1, first: at, last: at })
      return
    }
    tally.count += 1
    tally.first = Math.min(tally.first, at)
    tally.last = Math.max(tally.last, at)
  }
}

function parseEntries(entries: string): readonly unknown[] {
  try {
    return JSON.parse(`[${entries}]`)
  } catch {
    return []
  }
}

function talliesOf({ species, days }: TallyRows): CollectionTallies {
  return { species: species.length > MAX_SPECIES ? null : species, days: days.length > MAX_DAYS ? null : days }
}

interface TalliesSource {
  /** The stored tallies of a collection, or `undefined` if the tallies do not match the records. */
  find(collection: Collection): Promise<TallyRows | undefined>
  version(collection: Collection): Promise<string>
  read(collection: Collection): AsyncIterable<readonly StoredRecord[]>
  /** Stores tallies, unless the version of the collection has changed. */
  store(collection: Collection, version: string, rows: TallyRows): Promise<unknown>
}

interface Count {
  readonly version: string
  readonly counting: Promise<TallyRows>
  /** Resolves when the count is stored or has failed. Never rejects. */
  readonly ended: Promise<void>
}

/**
 * Reads tallies that appends keep up to date. After a removal, the first and last times are unknown, so the next read
 * counts the records and stores the result. The first read of a collection without stored tallies also counts the
 * records. Only one count of a collection runs at a time: alternating removals and reads trigger at most one recount.
 */
export function createTalliesReader({ find, version, read, store }: TalliesSource) {
  /** The counts in progress, by collection. */
  const counts = new Map<string, Count>()

  async function count(collection: Collection): Promise<TallyRows> {
    const counter = new TallyCounter()
    for await (const chunk of read(collection)) for (const { entries } of chunk) counter.add(entries)
    return counter.rows()
  }

  return async (collection: Collection): Promise<CollectionTallies> => {
    const { owner, kind, gamemode } = collection
    const key = JSON.stringify([owner, kind, gamemode])
    for (let hasWaited = false; ; hasWaited = true) {
      const found = await find(collection)
      if (found !== undefined) return talliesOf(found)
      const counted = await version(collection)
      const known = counts.get(key)
      // A count that is found after a wait began after the call, so the count contains everything that was stored
      // before the call.
      if (known && (hasWaited || known.version === counted)) return talliesOf(await known.counting)
      if (known) {
        await known.ended
        continue
      }
      const counting = count(collection)
      const ended = counting
        // Reads do not wait until the tallies are stored, because a full or read-only storage must still be readable.
        .then((rows) => store(collection, counted, rows))
        .then(() => {})
        .catch(() => {})
        .finally(() => counts.delete(key))
      counts.set(key, { version: counted, counting, ended })
      return talliesOf(await counting)
    }
  }
}
