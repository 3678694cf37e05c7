import { type Collection, MAX_SPECIES, type SpeciesTally, type StoredRecord } from './types.ts'

/**
 * Counts species, for drivers: appends add what they store, and a driver without stored tallies counts its records.
 *
 * @example
 * const entries = '{"name":"Koi","rarity":"Gold","caughtAt":"2026-01-31T12:00:00Z"}'
 * const species = new SpeciesTallies().add(entries).list()
 */
export class SpeciesTallies {
  readonly #byKey = new Map<string, { -readonly [Key in keyof SpeciesTally]: SpeciesTally[Key] }>()

  /** Counts entries in the format of `NewRecord.entries`. Those without a name or a time are left out. */
  add(entries: string): this {
    for (const entry of parseEntries(entries)) {
      const { name, rarity, caughtAt } = Object(entry)
      const at = Date.parse(caughtAt)
      if (typeof name === 'string' && !Number.isNaN(at)) this.#count(name, typeof rarity === 'string' ? rarity : '', at)
    }
    return this
  }

  /** Number of species so far. */
  get size(): number {
    return this.#byKey.size
  }

  /** The tallies so far, in any order. */
  list(): SpeciesTally[] {
    return Array.from(this.#byKey.values(), (tally) => ({ ...tally }))
  }

  #count(name: string, label: string, at: number): void {
    const key = `${label}\0${name}`
    const tally = this.#byKey.get(key)
    if (!tally) {
      this.#byKey.set(key, { name, label: label || null, count: 1, first: at, last: at })
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

/** `null`: more than {@link MAX_SPECIES}. */
type Species = readonly SpeciesTally[] | null

interface SpeciesSource {
  /** The stored tallies of a collection; `undefined` when they are not those of its records. */
  find(collection: Collection): Promise<Species | undefined>
  version(collection: Collection): Promise<string>
  read(collection: Collection): AsyncIterable<readonly StoredRecord[]>
  /** Stores tallies if the collection still has this version. */
  store(collection: Collection, version: string, species: Species): Promise<unknown>
}

interface Count {
  readonly version: string
  readonly counting: Promise<Species>
  /** Also of storing it; never rejects. */
  readonly ended: Promise<void>
}

/**
 * Reads tallies that appends maintain. The first read after a removal, or of data from before there were tallies, counts
 * the records and stores the result: what was removed does not say which first and last times are left. A collection is
 * counted once at a time, however often it changes: who removes and reads in turns makes no work for more than one.
 */
export function createSpeciesReader({ find, version, read, store }: SpeciesSource) {
  /** Those that are being counted or stored. */
  const counts = new Map<string, Count>()

  async function count(collection: Collection): Promise<Species> {
    const tallies = new SpeciesTallies()
    for await (const chunk of read(collection)) {
      for (const { entries } of chunk) tallies.add(entries)
      if (tallies.size > MAX_SPECIES) return null
    }
    return tallies.list()
  }

  return async (collection: Collection): Promise<Species> => {
    const { owner, kind, gamemode } = collection
    const key = JSON.stringify([owner, kind, gamemode])
    for (let hasWaited = false; ; hasWaited = true) {
      const found = await find(collection)
      if (found !== undefined) return found
      const counted = await version(collection)
      const known = counts.get(key)
      // After a wait, one that began since has everything that there was at the call.
      if (known && (hasWaited || known.version === counted)) return known.counting
      if (known) {
        await known.ended
        continue
      }
      const counting = count(collection)
      const ended = counting
        // Nobody waits for this copy, and a storage that is full or read-only can still be read.
        .then((species) => store(collection, counted, species))
        .then(() => {})
        .catch(() => {})
        .finally(() => counts.delete(key))
      counts.set(key, { version: counted, counting, ended })
      return counting
    }
  }
}
