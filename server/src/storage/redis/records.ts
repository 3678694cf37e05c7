import { dumpOwner } from '../core/dump.ts'
import { decodeKeyPart, encodeKeyPart } from '../core/keys.ts'
import { byRank, CHUNK_CHARACTERS, CHUNK_RECORDS } from '../core/paging.ts'
import { createSlices } from '../core/slices.ts'
import { speciesKey } from '../core/tally.ts'
import {
  type AppendResult,
  type DayTally,
  type Leader,
  MAX_DAYS,
  REMOVED_VERSION,
  type RecordTally,
  type StorageDriver,
  type StoredRecord,
  type StoredSpecies,
  type Tally,
} from '../core/types.ts'
import type { Connection } from './connection.ts'
import { allBuckets, collectionKeys, collectionName, decodeText, encodeText, ownerKeys } from './keys.ts'
import { rowsOf } from './scripts.ts'

type RecordRow = [sequence: string, id: string, count: string, entries: string]

function toRecord([sequence, id, count, entries]: Readonly<RecordRow>): StoredRecord {
  return { sequence: Number(sequence), id, count: Number(count), entries }
}

function labelsText(labels: RecordTally['labels']): string {
  return Object.entries(labels)
    .map(([label, count]) => `${encodeKeyPart(label)} ${count}`)
    .join(' ')
}

const SEQUENCE_FIELD = /^sequence:([^:]*):([^:]*)$/

/** The arguments of a tally, as scripts expect them. */
function tallyArgs({ count, labels, species, days }: RecordTally): (string | number)[] {
  return [
    ...[count, labelsText(labels), species.length],
    ...species.flatMap((one) => [speciesKey(one), one.count, one.first, one.last]),
    ...days.flatMap(({ day, label, count }) => [label === null ? day : `${day} ${label}`, count]),
  ]
}

function toSpecies([field, value]: readonly [string, string]): StoredSpecies {
  const [name, label] = JSON.parse(field)
  const [count, first, last, mark = null] = value.split(' ').map((part) => (part === '-' ? null : part))
  const timeOf = (text: string | null | undefined) => (text ? Number(text) : null)
  return { name, label, count: Number(count), first: timeOf(first), last: timeOf(last), mark }
}

const DAY = /^(\S+)(?: (.*))?$/su

function toDay([field, count]: readonly [string, string]): DayTally {
  const [, day = '', label = null] = DAY.exec(field) ?? []
  return { day, label, count: Number(count) }
}

// Versions are random: with a counter, a restored backup would repeat versions.
const newVersion = () => crypto.randomUUID()

/** The records of all owners: a stream for each collection, with the sequences as ids. */
export function createRedisRecords({ client, call, read, write, run }: Connection) {
  /** Reads the fields and values of a hash in parts. */
  async function scan(key: string): Promise<[field: string, value: string][]> {
    const pairs = new Map<string, string>()
    let cursor = '0'
    do {
      const [next, flat] = await run(() => client.hscan(key, cursor, 'COUNT', CHUNK_RECORDS))
      for (const [field, value] of rowsOf<[string, string]>(flat, 2)) pairs.set(field, value)
      cursor = next
    } while (cursor !== '0')
    return [...pairs]
  }

  const operations = {
    async append(collection, { id, dedupeKey, entries, tally }) {
      const { name, tokens, ...keys } = collectionKeys(collection)
      const token = dedupeKey === null ? ['0', ''] : ['1', encodeText(dedupeKey)]
      const args = [name, collection.owner, ...token, id, newVersion(), entries, ...tallyArgs(tally)]
      const reply = await write('fishAppend', [...keys.changes, ...keys.collection, tokens], args)
      const [outcome, storedId] = reply as string[]
      return (outcome === 'owner_removed' ? { outcome } : { outcome, id: storedId }) as AppendResult
    },

    async useToken(owner, { dedupeKey, id }) {
      const { about, tokens } = ownerKeys(owner)
      await write('fishUseToken', [about, tokens], [encodeText(dedupeKey), id])
    },

    async findRecord(owner, dedupeKey) {
      // This read is sent as a write, so that it waits for replicas: the result acknowledges a stored catch.
      const id = await write('fishFindRecord', [ownerKeys(owner).tokens], [encodeText(dedupeKey)])
      return (id as string | null) ?? undefined
    },

    async *read(collection, range = {}) {
      const keys = collectionKeys(collection).collection
      let from = Math.max(0, Math.ceil(range.from ?? 0))
      let remaining = range.entries ?? Number.POSITIVE_INFINITY
      // The first reply sets the end of the read: the read skips later records.
      let last = ''
      while (remaining > 0) {
        const most = [CHUNK_RECORDS, CHUNK_CHARACTERS, Math.min(remaining, Number.MAX_SAFE_INTEGER)]
        const [newest = '0', ...flat] = (await read('fishRead', keys, [from, last, ...most])) as string[]
        const chunk = rowsOf<RecordRow>(flat, 4).map(toRecord)
        const end = chunk.at(-1)
        if (!end) return
        yield chunk
        from = end.sequence + 1
        last = newest
        remaining -= chunk.reduce((sum, record) => sum + record.count, 0)
        if (from > Number(last)) return
      }
    },

    async version(collection) {
      const { about, name } = collectionKeys(collection)
      const [removed, version] = await run(() => client.hmget(about, 'removed', `version:${name}`))
      return removed ? REMOVED_VERSION : (version ?? 'empty')
    },

    async latest(collection, count) {
      const flat = (await call('fishLatest', collectionKeys(collection).collection, [count])) as string[]
      return rowsOf<RecordRow>(flat, 4).map(toRecord)
    },

    async findById(collection, id) {
      // This read is sent as a write, so that it waits for replicas: a missing record acknowledges its removal.
      const row = (await write('fishFindById', collectionKeys(collection).collection, [id])) as RecordRow | null
      return row ? toRecord(row) : undefined
    },

    async removeEntriesIf(collection, { record, tally, remaining }) {
      const { name, ...keys } = collectionKeys(collection)
      const args = [name, collection.owner, record.id, record.count, newVersion(), newVersion()]
      args.push(remaining?.entry ?? '', remaining?.tally.count ?? 0, remaining?.entries ?? '', ...tallyArgs(tally))
      return (await write('fishRemoveEntries', [...keys.changes, ...keys.collection], args)) === 1
    },

    async moveRecordIf(collection, { record, tally, gamemode }) {
      const [from, to] = [collectionKeys(collection), collectionKeys({ ...collection, gamemode })]
      const versions = [newVersion(), newVersion(), newVersion()]
      const args = [from.name, to.name, collection.owner, record.id, record.count, ...versions, ...tallyArgs(tally)]
      return (await write('fishMoveRecord', [...from.changes, ...from.collection, ...to.collection], args)) === 1
    },

    async collectionTallies(collection) {
      const keys = collectionKeys(collection).collection
      const reply = await read('fishCollectionTallies', keys, [collection.owner])
      const [negativeCount, speciesFields, dayFields] = reply as [string, string[] | null, string[]]
      const slices = createSlices()
      const species: StoredSpecies[] = []
      for await (const slice of slices(rowsOf<[string, string]>(speciesFields ?? [], 2))) {
        species.push(...slice.map(toSpecies))
      }
      const days: DayTally[] = []
      const distinct = new Set<string>()
      for await (const slice of slices(rowsOf<[string, string]>(dayFields, 2))) {
        for (const tally of slice.map(toDay)) {
          distinct.add(tally.day)
          days.push(tally)
        }
      }
      return {
        count: Math.abs(Number(negativeCount)),
        species: speciesFields && species,
        days: distinct.size > MAX_DAYS ? null : days,
      }
    },

    async setTimes(collection, times) {
      const args = times.flatMap((one) => [speciesKey(one), one.first, one.last, one.mark])
      await call('fishSetTimes', [collectionKeys(collection).species], args)
    },

    dump(owner): ReturnType<StorageDriver['dump']> {
      const { about, tokens } = ownerKeys(owner)
      return dumpOwner({
        async collections() {
          const fields = await run(() => client.hkeys(about))
          return fields.flatMap((field) => {
            const [, kind, gamemode] = SEQUENCE_FIELD.exec(field) ?? []
            if (kind === undefined || gamemode === undefined) return []
            return [{ owner, kind: decodeKeyPart(kind), gamemode: decodeKeyPart(gamemode) }]
          })
        },
        tokens: async () => (await scan(tokens)).map(([field, id]) => [id, decodeText(field)] as const),
        read: operations.read,
      })
    },

    async removeOwner(owner) {
      const { prefix, about, tokens, tallies, bucket } = ownerKeys(owner)
      await write('fishRemoveOwner', [about, tallies, bucket.tallies, tokens], [owner, prefix, bucket.leaders])
    },
  } satisfies Partial<StorageDriver>
  return operations
}

function toTally([field, count]: readonly [string, number]): Tally {
  const [kind = '', gamemode = '', label = ''] = field.split(':').map(decodeKeyPart)
  return { kind, gamemode, label: label || null, count }
}

/**
 * Adds up the sums of all buckets. Scripts update the sums together with the records, so a read takes the same few
 * commands for any amount of data.
 */
export function createRedisTallies({ client, run }: Connection) {
  return {
    async tallies() {
      const buckets = await run(() => Promise.all(allBuckets().map(({ tallies }) => client.hgetall(tallies))))
      const sums = new Map<string, number>()
      for (const [field, count] of buckets.flatMap((bucket) => Object.entries(bucket))) {
        sums.set(field, (sums.get(field) ?? 0) + Number(count))
      }
      return [...sums].map(toTally)
    },

    async leaders({ kind, gamemode, limit }) {
      const board = collectionName(kind, gamemode)
      const buckets = await run(() =>
        Promise.all(allBuckets().map(({ leaders }) => client.zrange(leaders + board, 0, limit - 1, 'WITHSCORES'))),
      )
      const found: Leader[] = buckets
        .flatMap((flat) => rowsOf<[string, string]>(flat, 2))
        .map(([owner, score]) => ({ owner, count: -Number(score) }))
      return found.sort(byRank).slice(0, limit)
    },
  } satisfies Partial<StorageDriver>
}
