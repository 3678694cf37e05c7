import { setImmediate } from 'node:timers'
import { endOfBase, pageOf, type RecordSource } from '../core/paging.ts'
import { createSlices, SLICE_ROWS, type Slices } from '../core/slices.ts'
import {
  type Collection,
  type DayTally,
  type ItemPage,
  type ItemRange,
  type Leader,
  type LeaderRange,
  MAX_DAYS,
  MAX_SPECIES,
  REMOVED_VERSION,
  type StoredRecord,
  type StoredSpecies,
  type StoredTallies,
  type Tally,
} from '../core/types.ts'
import { packedId, packedKey } from './packed.ts'
import { IN_COLLECTION } from './schema.ts'
import { type DatabaseSync, openDatabase, type SqlValue } from './sqlite.ts'
import { dayOf } from './tallies.ts'

function prepareTallies(db: DatabaseSync) {
  const tallies = db.prepare('SELECT kind, gamemode, label, count FROM tallies WHERE count > 0')
  return {
    tallies: (): Tally[] =>
      tallies.all().map(({ kind, gamemode, label, count }) => ({
        kind: String(kind),
        gamemode: String(gamemode),
        label: label === '' ? null : String(label),
        count: Number(count),
      })),
  }
}

/** Reads the records of a collection. */
interface RecordsReader extends RecordSource {
  latest(count: number): StoredRecord[]
  byId(id: string): StoredRecord | undefined
}

function prepareRecords(db: DatabaseSync) {
  const last = db.prepare(`SELECT max(sequence) AS sequence FROM records WHERE ${IN_COLLECTION}`)
  const columns = 'sequence, id, count, entries'
  const range = db.prepare(
    `SELECT ${columns} FROM records WHERE ${IN_COLLECTION} AND sequence BETWEEN ? AND ? ORDER BY sequence`,
  )
  const latest = db.prepare(`SELECT ${columns} FROM records WHERE ${IN_COLLECTION} ORDER BY sequence DESC LIMIT ?`)
  const byId = db.prepare(`SELECT ${columns} FROM records WHERE id = ? AND +${IN_COLLECTION}`)
  for (const statement of [range, latest, byId]) statement.setReturnArrays(true)
  // The types of `node:sqlite` do not show that `setReturnArrays` makes rows arrays.
  const recordOf = (row: unknown): StoredRecord => {
    const [sequence, id, count, entries] = row as readonly SqlValue[]
    return { sequence: Number(sequence), id: packedId.fromColumn(id), count: Number(count), entries: String(entries) }
  }
  return ({ owner, kind, gamemode }: Collection): RecordsReader => ({
    byId: (id) => {
      const row = byId.get(packedId.toColumn(id), owner, kind, gamemode)
      return row && recordOf(row)
    },
    last: () => Number(last.get(owner, kind, gamemode)?.sequence ?? 0),
    latest: (count) => latest.all(owner, kind, gamemode, count).map(recordOf),
    // A record may be 200 KB long, so only the records that the caller takes are read.
    *between(from, to): Generator<StoredRecord> {
      for (const row of range.iterate(owner, kind, gamemode, from, to)) yield recordOf(row)
    },
  })
}

function prepareDump(db: DatabaseSync) {
  const collections = db.prepare('SELECT kind, gamemode FROM collections WHERE owner = ?')
  const tokens = db.prepare('SELECT dedupe_key, tokens.id FROM owners JOIN tokens USING (owner) WHERE owners.id = ?')
  return {
    collectionsOf: (owner: string): Collection[] =>
      collections.all(owner).map(({ kind, gamemode }) => ({ owner, kind: String(kind), gamemode: String(gamemode) })),
    tokensOf: (owner: string): [id: string, dedupeKey: string][] =>
      tokens.all(owner).map((row) => [packedId.fromColumn(row.id), packedKey.fromColumn(row.dedupe_key)]),
  }
}

function toSpecies(row: unknown): StoredSpecies {
  const [name, label, count, first, last, mark] = row as readonly SqlValue[]
  const timeOf = (time: SqlValue | undefined) => (time === null ? null : Number(time))
  return {
    name: String(name),
    label: label === '' ? null : String(label),
    count: Number(count),
    first: timeOf(first),
    last: timeOf(last),
    mark: mark === null ? null : String(mark),
  }
}

function toDay(row: unknown): DayTally {
  const [day, label, count] = row as readonly SqlValue[]
  return { day: dayOf(Number(day)), label: label === '' ? null : String(label), count: Number(count) }
}

function prepareCollectionTallies(db: DatabaseSync) {
  const find = db.prepare('SELECT collection, count FROM collections WHERE owner = ? AND kind = ? AND gamemode = ?')
  const species = db.prepare(
    `SELECT name, label, count, first, last, mark FROM species_and_days WHERE collection = ? AND name >= '' LIMIT ?`,
  )
  const days = db.prepare(`SELECT name, label, count FROM species_and_days WHERE collection = ? AND name < '' LIMIT ?`)
  for (const statement of [species, days]) statement.setReturnArrays(true)
  return {
    find: ({ owner, kind, gamemode }: Collection) => {
      const { collection, count } = find.get(owner, kind, gamemode) ?? { collection: 0, count: 0 }
      return { collection: Number(collection), count: Number(count) }
    },
    species: (collection: number, limit: number) => species.iterate(collection, limit),
    days: (collection: number, limit: number) => days.iterate(collection, limit),
  }
}

type CollectionTalliesReads = ReturnType<typeof prepareCollectionTallies>

const NO_LIMIT = -1

/** Reads the tallies of a collection with few entries in one step. Returns `undefined` if there are many entries. */
function readFewTallies(reads: CollectionTalliesReads, of: Collection): StoredTallies | undefined {
  const { collection, count } = reads.find(of)
  if (count > SLICE_ROWS) return undefined
  return {
    count,
    species: Array.from(reads.species(collection, NO_LIMIT), toSpecies),
    days: Array.from(reads.days(collection, NO_LIMIT), toDay),
  }
}

/**
 * Prepares reads of many rows in slices. Each read uses one snapshot. A connection has one snapshot, so these reads need
 * their own connection and take turns.
 */
function prepareLongReads(db: DatabaseSync) {
  const reads = prepareCollectionTallies(db)
  // An index in the order of counts would be faster to read, but each append would change two of its pages.
  const counts = db.prepare(
    `SELECT owner, sum(count) FROM collections WHERE kind = ? AND gamemode = ifnull(?, gamemode)
     GROUP BY owner HAVING sum(count) > 0`,
  )
  counts.setReturnArrays(true)
  const [begin, end] = [db.prepare('BEGIN'), db.prepare('COMMIT')]
  let turn: Promise<unknown> = Promise.resolve()

  function inTurn<Result>(read: (slices: Slices) => Promise<Result>): Promise<Result> {
    const result = turn.then(async () => {
      begin.run()
      try {
        return await read(createSlices())
      } finally {
        end.run()
      }
    })
    turn = result.catch(() => {})
    return result
  }

  async function speciesOf(collection: number, slices: Slices): Promise<StoredSpecies[] | null> {
    const species: StoredSpecies[] = []
    for await (const slice of slices(reads.species(collection, MAX_SPECIES + 1))) species.push(...slice.map(toSpecies))
    return species.length > MAX_SPECIES ? null : species
  }

  async function daysOf(collection: number, slices: Slices): Promise<DayTally[] | null> {
    const days: DayTally[] = []
    let distinct = 0
    for await (const slice of slices(reads.days(collection, NO_LIMIT))) {
      for (const day of slice.map(toDay)) {
        if (day.day !== days.at(-1)?.day) distinct += 1
        if (distinct > MAX_DAYS) return null
        days.push(day)
      }
    }
    return days
  }

  return {
    manyTallies: (of: Collection): Promise<StoredTallies> =>
      inTurn(async (slices) => {
        const { collection, count } = reads.find(of)
        return { count, species: await speciesOf(collection, slices), days: await daysOf(collection, slices) }
      }),
    leaders: ({ kind, gamemode, limit }: LeaderRange): Promise<Leader[]> =>
      inTurn(async (slices) => {
        let first: Leader[] = []
        for await (const slice of slices(counts.iterate(kind, gamemode ?? null))) {
          first = [...first, ...slice.map(toLeader)].sort(byRank).slice(0, limit)
        }
        return first
      }),
  }
}

function toLeader(row: unknown): Leader {
  const [owner, count] = row as readonly SqlValue[]
  return { owner: String(owner), count: Number(count) }
}

function byRank(one: Leader, other: Leader): number {
  return other.count - one.count || (one.owner < other.owner ? -1 : 1)
}

/** Prepares reads of items. These reads also work on a store with an older schema. */
export function prepareItemReads(db: DatabaseSync) {
  const get = db.prepare('SELECT value FROM items WHERE key = ?')
  const page = db.prepare(
    `SELECT key, value FROM items WHERE key >= ? AND key > ? AND key < ?
     AND (? = '' OR instr(substr(key, ?), ?) > 0) ORDER BY key LIMIT ?`,
  )
  return {
    item: (key: string): string | null => {
      const row = get.get(key)
      return row ? String(row.value) : null
    },
    page: ({ base, after = '', limit, contains = '' }: ItemRange): ItemPage => {
      const rows = page.all(base, after, endOfBase(base), contains, base.length + 1, contains, limit + 1)
      return pageOf(
        rows.map((row) => ({ key: String(row.key), value: String(row.value) })),
        limit,
      )
    },
  }
}

function prepareItems(db: DatabaseSync) {
  const allKeys = db.prepare('SELECT key FROM items ORDER BY key')
  const keys = db.prepare('SELECT key FROM items WHERE key >= ? AND key < ? ORDER BY key')
  const count = db.prepare('SELECT count FROM item_counts WHERE base = ?')
  return {
    ...prepareItemReads(db),
    keys: (base: string): string[] =>
      (base ? keys.all(base, endOfBase(base)) : allKeys.all()).map((row) => String(row.key)),
    countItems: (base: string): number => Number(count.get(base)?.count ?? 0),
  }
}

function prepareVersion(db: DatabaseSync) {
  const version = db.prepare('SELECT version FROM collections WHERE owner = ? AND kind = ? AND gamemode = ?')
  const removed = db.prepare('SELECT 1 FROM owners WHERE id = ? AND removed = 1')
  return ({ owner, kind, gamemode }: Collection): string => {
    const row = version.get(owner, kind, gamemode)
    if (row) return String(row.version)
    return removed.get(owner) ? REMOVED_VERSION : 'empty'
  }
}

/**
 * Lets the reads of one turn of the event loop share a snapshot. Otherwise SQLite would lock the file for each read,
 * with two system calls.
 */
function createSnapshots(db: DatabaseSync) {
  const [begin, end] = [db.prepare('BEGIN'), db.prepare('COMMIT')]
  let isShared = false
  function endSnapshot(): void {
    if (!isShared) return
    isShared = false
    try {
      end.run()
    } catch {
      // The next read tries again and reports the error.
    }
  }
  return {
    shareSnapshot(): void {
      if (isShared) return
      if (db.isTransaction) end.run()
      begin.run()
      isShared = true
      setImmediate(endSnapshot)
    },
    /** Call `endSnapshot` before a write is acknowledged, because the next read must see the write. */
    endSnapshot,
  }
}

export function openReader(file: string) {
  const db = openDatabase(file, { readOnly: true, timeout: 1000 })
  const ofMany = openDatabase(file, { readOnly: true, timeout: 1000 })
  const reads = prepareCollectionTallies(db)
  const alive = db.prepare('SELECT count(*) FROM sqlite_schema')
  const findRecord = db.prepare(
    'SELECT tokens.id FROM owners JOIN tokens USING (owner) WHERE owners.id = ? AND dedupe_key = ?',
  )
  return {
    ...createSnapshots(db),
    ping: (): void => {
      alive.get()
    },
    ...prepareItems(db),
    findRecord: (owner: string, dedupeKey: string): string | undefined => {
      const row = findRecord.get(owner, packedKey.toColumn(dedupeKey))
      return row && packedId.fromColumn(row.id)
    },
    version: prepareVersion(db),
    records: prepareRecords(db),
    ...prepareDump(db),
    fewTallies: (collection: Collection) => readFewTallies(reads, collection),
    ...prepareLongReads(ofMany),
    ...prepareTallies(db),
    close: (): void => {
      db.close()
      ofMany.close()
    },
  }
}

/** Reads the store on the main thread, without waiting for the writer. */
export type Reader = ReturnType<typeof openReader>
