import { randomUUID } from 'node:crypto'
import {
  type Collection,
  type CollectionTallies,
  type DayTally,
  type FishStorage,
  type NewRecord,
  parseEntries,
  type ReadRange,
  type SpeciesTally,
  type StoredEntry,
  type Tally,
  tallyOf,
} from '../../src/storage/index.ts'

/** Creates a collection with a new owner, which no other test uses. */
export function newCollection(part: Partial<Collection> = {}): Collection {
  return { owner: randomUUID(), kind: 'fish', gamemode: 'earth', ...part }
}

/** Creates an entry that was caught at a Unix time in milliseconds. */
export function newEntry(
  name: string,
  { rarity, at = 0 }: { rarity?: string | undefined; at?: number } = {},
): StoredEntry {
  return { name, ...(rarity === undefined ? {} : { rarity }), caughtAt: new Date(at).toISOString() }
}

interface RecordPart extends Partial<Pick<NewRecord, 'id' | 'dedupeKey'>> {
  /** Entries, or names of entries. @default one entry with the id as its name */
  readonly entries?: readonly (StoredEntry | string)[]
}

/** Creates a record with a new id. */
export function newRecord({ id = randomUUID(), dedupeKey = id, entries: given = [id] }: RecordPart = {}): NewRecord {
  const entries = given.map((entry) => (typeof entry === 'string' ? newEntry(entry) : entry))
  return { id, dedupeKey, entries: entries.map((entry) => JSON.stringify(entry)).join(','), tally: tallyOf(entries) }
}

/** Creates a record of one entry for each name. */
export function recordOf(...names: readonly string[]): NewRecord {
  return newRecord({ entries: names })
}

/** Creates a record with this number of entries. */
export function recordOfSize(count: number): NewRecord {
  return recordOf(...Array.from({ length: count }, (_, index) => `Fish ${index}`))
}

export async function readChunks(storage: FishStorage, from: Collection, range?: ReadRange) {
  const chunks = []
  for await (const chunk of storage.read(from, range)) chunks.push(chunk)
  return chunks
}

export async function readAll(storage: FishStorage, from: Collection, range?: ReadRange) {
  return (await readChunks(storage, from, range)).flat()
}

export async function readEntries(storage: FishStorage, from: Collection) {
  return (await readAll(storage, from)).map((record) => record.entries)
}

/** The names of all entries of a collection that were not removed, oldest first. */
export async function readNames(storage: FishStorage, from: Collection): Promise<string[]> {
  return (await readEntries(storage, from)).flatMap((entries) =>
    parseEntries(entries).flatMap((entry) => (entry ? [entry.name] : [])),
  )
}

export async function dumpOf(storage: FishStorage, owner: string) {
  const writes = []
  for await (const chunk of storage.dump(owner)) writes.push(...chunk)
  return writes
}

export async function talliesOf(storage: FishStorage, kind: string): Promise<Tally[]> {
  const order = ({ gamemode, label }: Tally) => JSON.stringify([gamemode, label ?? ''])
  const found = (await storage.tallies()).filter((tally) => tally.kind === kind)
  return found.sort((one, other) => (order(one) < order(other) ? -1 : 1))
}

/** Reads the tallies of a collection and sorts them. */
export async function collectionTalliesOf(storage: FishStorage, collection: Collection): Promise<CollectionTallies> {
  const { count, species, days } = await storage.collectionTallies(collection)
  const order = ({ name, label }: SpeciesTally) => JSON.stringify([name, label])
  const orderOfDay = ({ day, label }: DayTally) => JSON.stringify([day, label])
  return {
    count,
    species: species?.toSorted((one, other) => (order(one) < order(other) ? -1 : 1)) ?? null,
    days: days?.toSorted((one, other) => (orderOfDay(one) < orderOfDay(other) ? -1 : 1)) ?? null,
  }
}

/** One call of each operation except `ping` and `onChange`, for tests that cover all operations. */
export function operationsOf(storage: FishStorage): readonly (() => Promise<unknown>)[] {
  const window = { durationMs: 300_000, limit: 25, now: 1_700_000_000_000 }
  return [
    () => storage.append(newCollection(), newRecord()),
    () => storage.findRecord('owner', 'token'),
    () => readEntries(storage, newCollection()),
    () => dumpOf(storage, 'owner'),
    () => storage.version(newCollection()),
    () => storage.latest(newCollection(), 1),
    () => storage.findById(newCollection(), 'id'),
    () => storage.removeRecord(newCollection(), 'id'),
    () => storage.removeEntry(newCollection(), 'id', 0),
    () => storage.useToken('owner', { dedupeKey: 'token', id: 'id' }),
    () => storage.moveRecord(newCollection(), 'id', 'sky'),
    () => storage.removeOwner('owner'),
    () => storage.tallies(),
    () => storage.collectionTallies(newCollection()),
    () => storage.leaders({ kind: 'fish', limit: 1 }),
    () => storage.countItems('a:'),
    () => storage.setItemIfAbsent('a:b', 'c'),
    () => storage.removeItemIf('a:b', 'c'),
    () => storage.replaceItemIf('a:b', 'c', 'd'),
    () => storage.listItems({ base: 'a:', limit: 1 }),
    () => storage.countInWindow('key', window),
    () => storage.peekWindow('key', window),
    () => storage.items.getItem('a:b'),
    () => storage.items.setItem('a:b', 'c'),
    () => storage.items.removeItem('a:b'),
    () => storage.items.getKeys(),
  ]
}
