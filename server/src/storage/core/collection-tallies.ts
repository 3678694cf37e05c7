import { createSlices } from './slices.ts'
import { parseEntries, speciesKey } from './tally.ts'
import type {
  Collection,
  CollectionTallies,
  FoundTimes,
  SpeciesTally,
  StorageDriver,
  StoredSpecies,
  StoredTallies,
} from './types.ts'

type Driver = Pick<StorageDriver, 'collectionTallies' | 'read'> & {
  readonly setTimes: StorageDriver['setTimes'] | undefined
}
type Times = ReadonlyMap<string, Pick<FoundTimes, 'first' | 'last'>>

/** A read of all records of a collection, which finds the times of all species that had a mark at its start. */
interface Scan {
  /** Marks by species. */
  readonly marks: ReadonlyMap<string, string>
  readonly tallies: Promise<CollectionTallies>
  readonly times: Promise<Times>
  /** Resolves when the times are stored, or when the scan has failed. Never rejects. */
  readonly ended: Promise<void>
}

/**
 * Reads tallies that a driver keeps up to date. After the removal of its first or last entry, a species has a mark, and
 * the next read scans the records for its times. One scan serves all marks. Only one scan of a collection runs at a time,
 * and later appends do not change its result: the driver keeps the times of entries that are added after a mark.
 */
export function createTalliesReader(driver: Driver): (collection: Collection) => Promise<CollectionTallies> {
  const scans = new Map<string, Scan>()

  function scan(collection: Collection, key: string, found: StoredTallies, marks: Scan['marks']): Scan {
    const times = findTimes(driver.read(collection), marks)
    const ended = times
      // Reads do not wait until the times are stored, because a full or read-only storage must still be readable.
      .then(async (all) => driver.setTimes?.(collection, await withMarks(found, all)))
      .catch(() => {})
      .finally(() => scans.delete(key))
    const running = { marks, times, tallies: times.then((all) => withTimes(found, all)), ended }
    // Every reader of the scan handles a failure. Without a reader, these handlers prevent unhandled rejections.
    running.tallies.catch(() => {})
    scans.set(key, running)
    return running
  }

  return async (collection) => {
    const key = JSON.stringify([collection.owner, collection.kind, collection.gamemode])
    for (let hasWaited = false; ; hasWaited = true) {
      const found = await driver.collectionTallies(collection)
      const marks = await marksOf(found)
      if (marks.size === 0) return withTimes(found, new Map())
      const running = scans.get(key)
      if (!running) return scan(collection, key, found, marks).tallies
      if ([...marks].every(([species, mark]) => running.marks.get(species) === mark)) {
        return withTimes(found, await running.times)
      }
      // A scan that is found after a wait began after the call, so its tallies contain every earlier change.
      if (hasWaited) return running.tallies
      await running.ended
    }
  }
}

async function marksOf({ species }: StoredTallies): Promise<Scan['marks']> {
  const marks = new Map<string, string>()
  for await (const slice of createSlices()(species ?? [])) {
    for (const one of slice) if (one.mark !== null) marks.set(speciesKey(one), one.mark)
  }
  return marks
}

async function findTimes(chunks: ReturnType<Driver['read']>, marks: Scan['marks']): Promise<Times> {
  const times = new Map<string, { first: number; last: number }>()
  for await (const chunk of chunks) {
    for (const entry of chunk.flatMap(({ entries }) => parseEntries(entries))) {
      if (!entry) continue
      const key = speciesKey({ name: entry.name, label: entry.rarity ?? null })
      if (!marks.has(key)) continue
      const at = Date.parse(entry.caughtAt)
      const found = times.get(key)
      if (!found) times.set(key, { first: at, last: at })
      else Object.assign(found, { first: Math.min(found.first, at), last: Math.max(found.last, at) })
    }
  }
  return times
}

async function withMarks({ species }: StoredTallies, times: Times): Promise<FoundTimes[]> {
  const found: FoundTimes[] = []
  for await (const slice of createSlices()(species ?? [])) {
    for (const { name, label, mark } of slice) {
      const known = mark === null ? undefined : times.get(speciesKey({ name, label }))
      if (mark !== null && known) found.push({ name, label, mark, ...known })
    }
  }
  return found
}

/** Combines the times of a scan with the times of entries that were added after the mark. */
async function withTimes({ species, ...rest }: StoredTallies, times: Times): Promise<CollectionTallies> {
  if (!species) return { ...rest, species }
  const known: SpeciesTally[] = []
  for await (const slice of createSlices()(species)) known.push(...slice.flatMap((one) => toSpecies(one, times)))
  return { ...rest, species: known }
}

function toSpecies({ name, label, count, first, last, mark }: StoredSpecies, times: Times): SpeciesTally[] {
  const found = mark === null ? undefined : times.get(speciesKey({ name, label }))
  const firsts = [first, found?.first].filter((time) => typeof time === 'number')
  const lasts = [last, found?.last].filter((time) => typeof time === 'number')
  // Without a time, the entries of the species were removed during the scan.
  if (firsts.length === 0) return []
  return [{ name, label, count, first: Math.min(...firsts), last: Math.max(...lasts) }]
}
