import { encodeKeyPart } from '../keys.ts'
import type { AppendResult, NewRecord, StorageDriver, StoredRecord } from '../types.ts'
import type { Connection } from './connection.ts'
import { collectionKeys, ownerKeys, tokenField } from './keys.ts'

/** Most records of one chunk. */
const CHUNK_RECORDS = 500
/** A chunk is complete once its entries have this many bytes; the record that gets it there is in it. */
const CHUNK_BYTES = 64 * 1024

// Where the script that appends has put the forms among the fields of a record.
const PLACES = { plain: 4, full: 6 } as const

function toRecords(flat: readonly string[]): StoredRecord[] {
  const records: StoredRecord[] = []
  for (let at = 0; at + 2 < flat.length; at += 3) {
    records.push({ sequence: Number(flat[at]), count: Number(flat[at + 1]), entries: flat[at + 2] ?? '' })
  }
  return records
}

function labelsText(labels: NewRecord['labels']): string {
  return Object.entries(labels)
    .map(([label, carriers]) => `${encodeKeyPart(label)} ${carriers}`)
    .join(' ')
}

// Random, not counted: a restored backup counts on from where it was, and would give a version a second time.
const newVersion = () => crypto.randomUUID()

type RecordOperations = 'append' | 'findRecord' | 'read' | 'version' | 'removeRecord' | 'removeOwner'

/** The records of all owners: a stream for each collection, whose ids are the sequences. */
export function createRedisRecords({ client, call, write, run }: Connection): Pick<StorageDriver, RecordOperations> {
  return {
    async append(collection, { id, dedupeKey, count, labels, plain, full }) {
      const { name, about, tokens, records, ids, tallies, bucket } = collectionKeys(collection)
      const token = dedupeKey === null ? ['0', ''] : ['1', tokenField(dedupeKey)]
      const [outcome, storedId] = (await write(
        'fishAppend',
        [about, tokens, records, ids, tallies, bucket.tallies],
        [name, collection.owner, bucket.leaders, ...token, id, count, labelsText(labels), newVersion(), plain, full],
      )) as string[]
      return (outcome === 'owner_removed' ? { outcome } : { outcome, id: storedId }) as AppendResult
    },

    async findRecord(owner, dedupeKey) {
      // A write: its outcome is acknowledged as a stored catch.
      return (
        ((await write('fishFindRecord', [ownerKeys(owner).tokens], [tokenField(dedupeKey)])) as string) ?? undefined
      )
    },

    async *read(collection, form, range = {}) {
      const { records } = collectionKeys(collection)
      let from = Math.max(0, Math.ceil(range.from ?? 0))
      let entries = range.entries ?? Number.POSITIVE_INFINITY
      // Known from the first answer on: what is appended meanwhile is left out.
      let last = ''
      while (entries > 0) {
        const most = [CHUNK_RECORDS, CHUNK_BYTES, Math.min(entries, Number.MAX_SAFE_INTEGER)]
        const answer = await call('fishRead', [records], [from, last, PLACES[form], ...most])
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

    async version(collection) {
      const { about, name } = collectionKeys(collection)
      const [removed, version] = await run(() => client.hmget(about, 'removed', `version:${name}`))
      return removed ? 'removed' : (version ?? 'empty')
    },

    async removeRecord(collection, id) {
      const { name, about, records, ids, tallies, bucket } = collectionKeys(collection)
      const keys = [about, records, ids, tallies, bucket.tallies]
      const args = [name, collection.owner, bucket.leaders, id, newVersion()]
      return (await write('fishRemoveRecord', keys, args)) === 1
    },

    async removeOwner(owner) {
      const { prefix, about, tokens, tallies, bucket } = ownerKeys(owner)
      await write('fishRemoveOwner', [about, tokens, tallies, bucket.tallies], [owner, prefix, bucket.leaders])
    },
  }
}
