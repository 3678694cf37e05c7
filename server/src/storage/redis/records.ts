import type { AppendResult, StorageDriver, StoredRecord } from '../types.ts'
import type { Connection } from './connection.ts'
import { collectionName, ownerKeys, tokenField } from './keys.ts'

/** Most records of one chunk. */
const CHUNK_RECORDS = 500
/** A chunk is complete once its entries have this many bytes; the record that gets it there is in it. */
const CHUNK_BYTES = 256 * 1024

// Where the script that appends has put the forms among the fields of a record.
const PLACES = { plain: 4, full: 6 } as const

function toRecords(flat: readonly string[]): StoredRecord[] {
  const records: StoredRecord[] = []
  for (let at = 0; at + 2 < flat.length; at += 3) {
    records.push({ sequence: Number(flat[at]), count: Number(flat[at + 1]), entries: flat[at + 2] ?? '' })
  }
  return records
}

/** The records of all owners: a stream for each collection, whose ids are the sequences. */
export function createRedisRecords({
  client,
  call,
  run,
}: Connection): Pick<StorageDriver, 'append' | 'findRecord' | 'read' | 'removeOwner'> {
  return {
    async append(collection, { id, dedupeKey, count, plain, full }) {
      const { prefix, about, tokens } = ownerKeys(collection.owner)
      const name = collectionName(collection)
      const token = dedupeKey === null ? ['0', ''] : ['1', tokenField(dedupeKey)]
      const keys = [about, tokens, prefix + name]
      const [outcome, storedId] = (await call('fishAppend', keys, [name, ...token, id, count, plain, full])) as string[]
      return (outcome === 'owner_removed' ? { outcome } : { outcome, id: storedId }) as AppendResult
    },

    async findRecord(owner, dedupeKey) {
      return (await run(() => client.hget(ownerKeys(owner).tokens, tokenField(dedupeKey)))) ?? undefined
    },

    async *read(collection, form, range = {}) {
      const key = ownerKeys(collection.owner).prefix + collectionName(collection)
      let from = Math.max(0, Math.ceil(range.from ?? 0))
      let entries = range.entries ?? Number.POSITIVE_INFINITY
      // Known from the first answer on: what is appended meanwhile is left out.
      let last = ''
      while (entries > 0) {
        const most = [CHUNK_RECORDS, CHUNK_BYTES, Math.min(entries, Number.MAX_SAFE_INTEGER)]
        const answer = await call('fishRead', [key], [from, last, PLACES[form], ...most])
        const [newest = '0-0', ...flat] = answer as string[]
        const chunk = toRecords(flat)
        const end = chunk.at(-1)
        if (!end) return
        yield chunk
        from = end.sequence + 1
        last = newest
        entries -= chunk.reduce((sum, record) => sum + record.count, 0)
        if (from > Number.parseInt(last, 10)) return
      }
    },

    async removeOwner(owner) {
      const { prefix, about, tokens } = ownerKeys(owner)
      await call('fishRemoveOwner', [about, tokens], [prefix])
    },
  }
}
