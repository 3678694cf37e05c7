import { randomUUID } from 'node:crypto'
import type {
  Collection,
  CollectionTallies,
  FishStorage,
  NewRecord,
  ReadRange,
  SpeciesTally,
  Tally,
} from '../storage/index.ts'

/** Creates a collection with a new owner, which no other test uses. */
export function newCollection(part: Partial<Collection> = {}): Collection {
  return { owner: randomUUID(), kind: 'fish', gamemode: 'earth', ...part }
}

/** Creates a record of one entry with a new id. */
export function newRecord(part: Partial<NewRecord> = {}): NewRecord {
  const id = part.id ?? randomUUID()
  return { id, dedupeKey: id, count: 1, labels: {}, entries: `{"of":"${id}"}`, ...part }
}

/** Creates a record of entries, each with the Unix time of its catch in milliseconds. */
export function caughtRecord(
  ...entries: readonly (readonly [entry: { readonly name: string; readonly rarity?: string }, at: number])[]
): NewRecord {
  const text = entries
    .map(([entry, at]) => JSON.stringify({ ...entry, caughtAt: new Date(at).toISOString() }))
    .join(',')
  return newRecord({ count: entries.length, entries: text })
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
  const { species, days } = await storage.collectionTallies(collection)
  const order = ({ name, label }: SpeciesTally) => JSON.stringify([name, label])
  return {
    species: species?.toSorted((one, other) => (order(one) < order(other) ? -1 : 1)) ?? null,
    days: days?.toSorted((one, other) => (one.day < other.day ? -1 : 1)) ?? null,
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
    () => storage.removeRecord(newCollection(), 'id'),
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
