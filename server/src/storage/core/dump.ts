import { parseEntries, tallyOf } from './tally.ts'
import type { Collection, DumpedWrite, StoredRecord } from './types.ts'

/** The data of one owner, as a driver stores it. */
export interface DumpSource {
  collections(): Promise<readonly Collection[]>
  read(collection: Collection): AsyncIterable<readonly StoredRecord[]>
  tokens(): Promise<readonly (readonly [id: string, dedupeKey: string])[]>
}

/** Implements `dump` for a driver that stores tokens separately from records. */
export async function* dumpOwner({ collections, read, tokens }: DumpSource): AsyncGenerator<readonly DumpedWrite[]> {
  const keys = new Map(await tokens())
  for (const collection of await collections()) {
    for await (const chunk of read(collection)) {
      yield chunk.map(({ id, entries }) => {
        const dedupeKey = keys.get(id) ?? null
        keys.delete(id)
        return { collection, record: { id, dedupeKey, entries, tally: tallyOf(parseEntries(entries)) } }
      })
    }
  }
  yield Array.from(keys, ([id, dedupeKey]) => ({ token: { id, dedupeKey } }))
}
