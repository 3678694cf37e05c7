import { createTalliesReader, TallyCounter } from '../core/collection-tallies.ts'
import { dumpOwner } from '../core/dump.ts'
import { decodeKeyPart, encodeKeyPart } from '../core/keys.ts'
import { byRank, CHUNK_CHARACTERS, CHUNK_RECORDS } from '../core/paging.ts'
import {
  type AppendResult,
  type Leader,
  type NewRecord,
  REMOVED_VERSION,
  type SpeciesTally,
  type StorageDriver,
  type StoredRecord,
  type Tally,
} from '../core/types.ts'
import type { Connection } from './connection.ts'
import { allBuckets, collectionKeys, collectionName, decodeText, encodeText, ownerKeys } from './keys.ts'
import { rowsOf } from './scripts.ts'

function toRecord([sequence, id, count, entries]: readonly [string, string, string, string]): StoredRecord {
  return { sequence: Number(sequence), id, count: Number(count), entries }
}

function labelsText(labels: NewRecord['labels']): string {
  return Object.entries(labels)
    .map(([label, carriers]) => `${encodeKeyPart(label)} ${carriers}`)
    .join(' ')
}

function parseLabels(text: string): NewRecord['labels'] {
  const pairs = rowsOf<[string, string]>(text.split(' '), 2)
  return Object.fromEntries(pairs.map(([label, carriers]) => [decodeKeyPart(label), Number(carriers)]))
}

const SEQUENCE_FIELD = /^sequence:([^:]*):([^:]*)$/

// JSON escapes characters that UTF-8 cannot encode.
function speciesField({ name, label }: Pick<SpeciesTally, 'name' | 'label'>): string {
  return JSON.stringify([name, label])
}

function toSpecies([field, value]: readonly [string, string]): SpeciesTally {
  const [name, label] = JSON.parse(field)
  const [count = 0, first = 0, last = 0] = value.split(' ').map(Number)
  return { name, label, count, first, last }
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
    async append(collection, { id, dedupeKey, count, labels, entries }) {
      const { name, about, tokens, records, ids, tallies, leaders, species, days, bucket } = collectionKeys(collection)
      const token = dedupeKey === null ? ['0', ''] : ['1', encodeText(dedupeKey)]
      const counted = new TallyCounter().add(entries).rows()
      const args = [name, collection.owner, ...token, id, newVersion(), count, labelsText(labels), entries]
      args.push(counted.species.length)
      for (const one of counted.species) args.push(speciesField(one), one.count, one.first, one.last)
      for (const { day, count } of counted.days) args.push(day, count)
      const keys = [about, tokens, records, ids, tallies, bucket.tallies, ...leaders, species, days]
      const [outcome, storedId] = (await write('fishAppend', keys, args)) as string[]
      return (outcome === 'owner_removed' ? { outcome } : { outcome, id: storedId }) as AppendResult
    },

    async findRecord(owner, dedupeKey) {
      // This read is sent as a write, so that it waits for replicas: the result acknowledges a stored catch.
      const id = await write('fishFindRecord', [ownerKeys(owner).tokens], [encodeText(dedupeKey)])
      return (id as string | null) ?? undefined
    },

    async *read(collection, range = {}) {
      const { records } = collectionKeys(collection)
      let from = Math.max(0, Math.ceil(range.from ?? 0))
      let remaining = range.entries ?? Number.POSITIVE_INFINITY
      // The first reply sets the end of the read: the read skips later records.
      let last = ''
      while (remaining > 0) {
        const most = [CHUNK_RECORDS, CHUNK_CHARACTERS, Math.min(remaining, Number.MAX_SAFE_INTEGER)]
        const reply = await read('fishRead', [records], [from, last, ...most])
        const [newest = '0-0', ...flat] = reply as string[]
        const chunk = rowsOf<[string, string, string, string]>(flat, 4).map(toRecord)
        const end = chunk.at(-1)
        if (!end) return
        yield chunk
        from = end.sequence + 1
        last = newest
        remaining -= chunk.reduce((sum, record) => sum + record.count, 0)
        if (from > Number.parseInt(last, 10)) return
      }
    },

    async version(collection) {
      const { about, name } = collectionKeys(collection)
      const [removed, version] = await run(() => client.hmget(about, 'removed', `version:${name}`))
      return removed ? REMOVED_VERSION : (version ?? 'empty')
    },

    async latest(collection, most) {
      const { records } = collectionKeys(collection)
      const found = await run(() => client.xrevrange(records, '+', '-', 'COUNT', most))
      return found.map(([sequence, [, count = '', , entries = '', , , , id = '']]) =>
        toRecord([String(Number.parseInt(sequence, 10)), id, count, entries]),
      )
    },

    async removeRecord(collection, id) {
      const { name, about, records, ids, tallies, leaders, bucket } = collectionKeys(collection)
      const keys = [about, records, ids, tallies, bucket.tallies, ...leaders]
      const args = [name, collection.owner, id, newVersion()]
      const [count, entries = ''] = (await write('fishRemoveRecord', keys, args)) as string[]
      return count === undefined ? undefined : { count: Number(count), entries }
    },

    async moveRecord(collection, id, gamemode) {
      const [from, to] = [collectionKeys(collection), collectionKeys({ ...collection, gamemode })]
      const [ofKind = '', ofFrom = ''] = from.leaders
      const keys = [from.about, from.records, from.ids, to.records, to.ids, from.tallies, from.bucket.tallies]
      const args = [from.name, to.name, collection.owner, id, newVersion(), newVersion()]
      return Number(await write('fishMoveRecord', [...keys, ofKind, ofFrom, to.leaders[1] ?? ''], args))
    },

    dump(owner) {
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
        async *records(collection) {
          const { records } = collectionKeys(collection)
          for (let from = '-'; ; ) {
            const found = await run(() => client.xrange(records, from, '+', 'COUNT', CHUNK_RECORDS))
            const last = found.at(-1)
            if (!last) return
            yield found.map(([, [, count, , entries = '', , labels = '', , id = '']]) => {
              return { id, count: Number(count), labels: parseLabels(labels), entries }
            })
            from = `(${last[0]}`
          }
        },
      })
    },

    async removeOwner(owner) {
      const { prefix, about, tokens, tallies, bucket } = ownerKeys(owner)
      await write('fishRemoveOwner', [about, tokens, tallies, bucket.tallies], [owner, prefix, bucket.leaders])
    },
  } satisfies Partial<StorageDriver>
  const collectionTallies = createTalliesReader({
    async find(collection) {
      const { about, species, days, name } = collectionKeys(collection)
      const found = (await call('fishCollectionTallies', [about, species, days], [name])) as [string[], string[]] | null
      if (!found) return undefined
      const [ofSpecies, ofDays] = found
      return {
        species: rowsOf<[string, string]>(ofSpecies, 2).map(toSpecies),
        days: rowsOf<[string, string]>(ofDays, 2).map(([day, count]) => ({ day, count: Number(count) })),
      }
    },
    async store(collection, version, rows) {
      const { about, species, days, name } = collectionKeys(collection)
      const args = [name, version, rows.species.length]
      for (const { count, first, last, ...one } of rows.species)
        args.push(speciesField(one), `${count} ${first} ${last}`)
      for (const { day, count } of rows.days) args.push(day, count)
      await call('fishSetCollectionTallies', [about, species, days], args)
    },
    version: operations.version,
    read: operations.read,
  })
  return { ...operations, collectionTallies }
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
