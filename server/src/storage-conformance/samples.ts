import { randomUUID } from 'node:crypto'
import type { Collection, FishStorage, NewRecord, ReadRange, RecordForm, Tally } from '../storage/index.ts'

/** A collection that no other test has. */
export function newCollection(part: Partial<Collection> = {}): Collection {
  return { owner: randomUUID(), kind: 'fish', gamemode: 'earth', ...part }
}

/** A record of one entry with an id of its own. */
export function newRecord(part: Partial<NewRecord> = {}): NewRecord {
  const id = part.id ?? randomUUID()
  return { id, dedupeKey: id, count: 1, labels: {}, plain: `{"plain":"${id}"}`, full: `{"full":"${id}"}`, ...part }
}

/** Everything a read yields, chunk after chunk. */
export async function readChunks(storage: FishStorage, from: Collection, form: RecordForm, range?: ReadRange) {
  const chunks = []
  for await (const chunk of storage.read(from, form, range)) chunks.push(chunk)
  return chunks
}

/** Everything a read yields, as one list. */
export async function readAll(storage: FishStorage, from: Collection, form: RecordForm = 'plain', range?: ReadRange) {
  return (await readChunks(storage, from, form, range)).flat()
}

/** The entries of a whole collection. */
export async function readEntries(storage: FishStorage, from: Collection, form: RecordForm = 'plain') {
  return (await readAll(storage, from, form)).map((record) => record.entries)
}

/** The tallies of one kind, by gamemode and label. */
export async function talliesOf(storage: FishStorage, kind: string): Promise<Tally[]> {
  const order = ({ gamemode, label }: Tally) => JSON.stringify([gamemode, label ?? ''])
  const found = (await storage.tallies()).filter((tally) => tally.kind === kind)
  return found.sort((one, other) => (order(one) < order(other) ? -1 : 1))
}
