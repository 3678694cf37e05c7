import type { Collection, DumpedWrite, NewRecord } from './types.ts'

/** The data of one owner, as a driver stores it. */
export interface DumpSource {
  collections(): Promise<readonly Collection[]>
  /** The records of a collection, oldest first. */
  records(collection: Collection): AsyncIterable<readonly Omit<NewRecord, 'dedupeKey'>[]>
  tokens(): Promise<readonly (readonly [id: string, dedupeKey: string])[]>
}

/** Implements `dump` for a driver that stores tokens separately from records. */
export async function* dumpOwner({ collections, records, tokens }: DumpSource): AsyncGenerator<readonly DumpedWrite[]> {
  const keys = new Map(await tokens())
  for (const collection of await collections()) {
    for await (const chunk of records(collection)) {
      yield chunk.map((record) => {
        const dedupeKey = keys.get(record.id) ?? null
        keys.delete(record.id)
        return { collection, record: { ...record, dedupeKey } }
      })
    }
  }
  yield Array.from(keys, ([id, dedupeKey]) => ({ token: { id, dedupeKey } }))
}
