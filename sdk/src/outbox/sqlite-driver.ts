import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { PayloadEntry } from '../client/resources/catch-input.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import type { Kind } from '../contract/kinds.ts'
import { defaultPaths, goneError, type OpenDatabase, openDatabase, toStoreError } from './sqlite-file.ts'
import {
  type Collection,
  type CollectionCounts,
  checkpointMoved,
  type LeaseHolder,
  type OutboxStore,
  type StoredCatch,
  withoutDuplicates,
} from './store.ts'

// Names of tests (RFC 6761, 6), which must not adopt the catches of a real service.
const NEVER_REAL = /\.(test|example|invalid)$/

/** Opens the store in a file. Loaded on demand: some runtimes have no `node:sqlite`. */
export function openSqliteStore(path: string): OutboxStore {
  return storeIn(guarded(() => openDatabase(path)))
}

/** Opens the default store of a service. */
export function openDefaultStore(service: string): OutboxStore {
  return storeIn(guarded(() => openDefaultDatabase(service)))
}

function openDefaultDatabase(service: string): OpenDatabase {
  // Not earlier: homedir() throws for a user without a home folder.
  const { own, former } = defaultPaths(service, { platform: process.platform, env: process.env, home: homedir() })
  if (existsSync(own) || !existsSync(former) || NEVER_REAL.test(new URL(service).hostname)) return openDatabase(own)
  const opened = openDatabase(former)
  const address = addressIn(opened.db)
  if (address === undefined || address === service) return opened
  opened.db.close()
  return openDatabase(own)
}

function storeIn({ db, isInPlace }: OpenDatabase): OutboxStore {
  const transaction = <T>(work: () => T): T => {
    // SQLite keeps writing to a file that was deleted or replaced, and those writes would be lost.
    if (!isInPlace()) throw goneError()
    return guarded(() => inTransaction(db, work))
  }
  return guarded(() => ({
    ...prepareBinding(db, transaction),
    ...prepareAdding(db, transaction),
    ...prepareSending(db, transaction),
    ...prepareDeadLetters(db, transaction),
    ...prepareReading(db, transaction),
    close() {
      if (db.isOpen) db.close()
    },
  }))
}

function prepareReading(db: DatabaseSync, transaction: <T>(work: () => T) => T) {
  const counts = prepareQuery(
    db,
    `SELECT collection, kind, user, gamemode,
        count(*) FILTER (WHERE batch IS NULL) AS queued,
        count(*) FILTER (WHERE token IS NOT NULL) AS frozen,
        count(*) FILTER (WHERE code IS NOT NULL) AS set_aside,
        min(added_at) FILTER (WHERE code IS NULL) AS oldest_at
      FROM (SELECT catches.*, token, code FROM catches LEFT JOIN batches ON batches.id = batch) AS catches
      JOIN collections ON collections.id = collection GROUP BY collection ORDER BY min(seq)`,
  )
  const waiting = prepareQuery(
    db,
    `SELECT ${CATCH_COLUMNS} FROM ${CATCHES}
      WHERE batch IS NULL OR batch IN (SELECT id FROM batches WHERE token IS NOT NULL) ORDER BY seq LIMIT ?`,
  )
  return {
    collections: () => transaction(() => counts().map(toCounts)),
    peek: (limit) => transaction(() => waiting(limit).map(toCatch)),
  } satisfies Partial<OutboxStore>
}

function toCounts(row: Row): CollectionCounts {
  return {
    collection: row.collection as string,
    ...toCollection(row),
    queued: row.queued as number,
    frozen: row.frozen as number,
    dead: row.set_aside as number,
    ...(row.oldest_at === null ? {} : { oldestAt: row.oldest_at as number }),
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toStoreError(error)
  }
}

function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite rolls some failed transactions back by itself.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** The service that a file is bound to. */
function addressIn(db: DatabaseSync): string | undefined {
  return db.prepare('SELECT address FROM service').get()?.address as string | undefined
}

function prepareBinding(db: DatabaseSync, transaction: <T>(work: () => T) => T) {
  const isUsed = prepareQuery(db, 'SELECT 1 FROM collections UNION ALL SELECT 1 FROM bookmarks LIMIT 1')
  const add = prepareChange(db, 'INSERT INTO service (address) VALUES (?)')
  return {
    bind: (service) =>
      transaction(() => {
        const address = addressIn(db)
        if (address !== undefined) return { service: address, adopted: false }
        add(service)
        return { service, adopted: isUsed().length > 0 }
      }),
  } satisfies Partial<OutboxStore>
}

function prepareAdding(db: DatabaseSync, transaction: <T>(work: () => T) => T) {
  const count = prepareQuery(db, 'SELECT count(*) AS n FROM catches')
  const addCollection = prepareChange(
    db,
    'INSERT INTO collections (id, kind, user, gamemode) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  )
  const findKey = prepareQuery(db, 'SELECT 1 FROM keys WHERE key = ?')
  const addKey = prepareChange(db, 'INSERT INTO keys (key, added_at) VALUES (?, ?)')
  const addCatch = prepareChange(db, 'INSERT INTO catches (collection, entry, added_at, key) VALUES (?, ?, ?, ?)')
  const forgetKeys = prepareChange(
    db,
    `DELETE FROM keys WHERE (n <= (SELECT max(n) FROM keys) - ? OR added_at < ?)
      AND NOT EXISTS (SELECT 1 FROM catches WHERE catches.key = keys.key)`,
  )
  const setCheckpoint = prepareChange(
    db,
    'INSERT INTO bookmarks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const countMeant = prepareQuery(
    db,
    `SELECT count(*) FILTER (WHERE batch IS NULL) AS queued, count(token) AS frozen
      FROM catches LEFT JOIN batches ON batches.id = batch WHERE substr(coalesce(key, ''), 1, length(?)) = ?`,
  )
  const removeQueued = prepareChange(
    db,
    "DELETE FROM catches WHERE batch IS NULL AND substr(coalesce(key, ''), 1, length(?)) = ?",
  )
  const findCheckpoint = prepareQuery(db, 'SELECT value FROM bookmarks WHERE name = ?')

  const checkpointOf = (name: string) => findCheckpoint(name)[0]?.value as string | undefined

  return {
    add: ({ catches, checkpoint, now, maxCatches, maxKeys, keysSince }) =>
      transaction(() => {
        if (checkpoint && checkpointMoved(checkpoint, checkpointOf(checkpoint.name))) return { type: 'moved' }
        const unknown = withoutDuplicates(catches, (key) => findKey(key).length > 0)
        if (unknown.size > 0 && Number(count()[0]?.n) + unknown.size > maxCatches) return { type: 'full' }
        for (const { collection, kind, user, gamemode, entry, key } of unknown.values()) {
          if (key !== undefined) addKey(key, now)
          addCollection(collection, kind, user, gamemode)
          addCatch(collection, JSON.stringify(entry), now, key ?? null)
        }
        if (unknown.size > 0) forgetKeys(maxKeys, keysSince)
        if (checkpoint) setCheckpoint(checkpoint.name, checkpoint.value)
        return { type: 'added', addedIndexes: [...unknown.keys()] }
      }),
    checkpoint: (name) => transaction(() => checkpointOf(name)),
    cancel: ({ keyPrefix = '', checkpoint, dryRun }) =>
      transaction(() => {
        const [counts] = countMeant(keyPrefix, keyPrefix)
        if (!dryRun) {
          removeQueued(keyPrefix, keyPrefix)
          if (checkpoint) setCheckpoint(checkpoint.name, checkpoint.value)
        }
        return { cancelled: Number(counts?.queued), frozen: Number(counts?.frozen) }
      }),
  } satisfies Partial<OutboxStore>
}

const LISTED = '(SELECT value FROM json_each(?))'

function prepareSending(db: DatabaseSync, transaction: <T>(work: () => T) => T) {
  const holds = prepareHolds(db)
  const removeEmptyBatches = prepareRemoveEmptyBatches(db)
  const claim = prepareChange(
    db,
    // The SQLite of Node 22.19 binds no numbered parameters.
    `UPDATE collections SET owner = given.owner, leased_at = given.now, leased_until = given.now + given.lease
      FROM (SELECT ? AS owner, ? AS now, ? AS lease) AS given WHERE id = ?
      AND (collections.owner IS NULL OR collections.owner = given.owner OR leased_until <= given.now
        OR leased_at > given.now)`,
  )
  const leasedUntil = prepareQuery(db, 'SELECT leased_until FROM collections WHERE id = ? AND owner IS NOT NULL')
  const release = prepareChange(db, 'UPDATE collections SET owner = NULL WHERE id = ? AND owner = ?')
  const findFrozen = prepareQuery(
    db,
    'SELECT id, token FROM batches WHERE collection = ? AND token IS NOT NULL ORDER BY id LIMIT 1',
  )
  const ofBatch = prepareQuery(db, `SELECT ${CATCH_COLUMNS} FROM ${CATCHES} WHERE batch = ? ORDER BY seq`)
  const queued = prepareQuery(
    db,
    `SELECT ${CATCH_COLUMNS} FROM ${CATCHES} WHERE collection = ? AND batch IS NULL ORDER BY seq LIMIT ?`,
  )
  const addBatch = prepareQuery(db, 'INSERT INTO batches (collection, token) VALUES (?, ?) RETURNING id')
  const countQueued = prepareQuery(
    db,
    `SELECT count(*) AS n FROM catches WHERE collection = ? AND batch IS NULL AND seq IN ${LISTED}`,
  )
  const bind = prepareChange(db, `UPDATE catches SET batch = ? WHERE seq IN ${LISTED}`)
  const removeFrozenCatches = prepareChange(
    db,
    'DELETE FROM catches WHERE batch = (SELECT id FROM batches WHERE id = ? AND token IS NOT NULL)',
  )
  const removeFrozen = prepareChange(db, 'DELETE FROM batches WHERE id = ? AND token IS NOT NULL')
  const requeue = prepareChange(
    db,
    `UPDATE catches SET batch = NULL, batch_limit = ? WHERE collection = ? AND seq IN ${LISTED}
      AND (batch IS NULL OR batch IN (SELECT id FROM batches WHERE token IS NOT NULL))`,
  )

  return {
    claim: ({ collection, owner, now, leaseMs }) =>
      transaction(() => {
        if (claim(owner, now, leaseMs, collection) > 0) return { granted: true }
        return { granted: false, until: Number(leasedUntil(collection)[0]?.leased_until ?? now) }
      }),
    release({ collection, owner }) {
      release(collection, owner)
    },
    // In one transaction, since an acknowledgement may come between the two reads.
    nextBatch: (collection, limit) =>
      transaction(() => {
        const [frozen] = findFrozen(collection)
        if (!frozen) return { catches: queued(collection, limit).map(toCatch) }
        const batch = frozen.id as number
        return { frozen: { batch, token: frozen.token as string }, catches: ofBatch(batch).map(toCatch) }
      }),
    freeze: (holder, seqs, token) =>
      transaction(() => {
        const list = JSON.stringify(seqs)
        if (!holds(holder) || Number(countQueued(holder.collection, list)[0]?.n) !== seqs.length) return undefined
        const batch = addBatch(holder.collection, token)[0]?.id as number
        bind(batch, list)
        return batch
      }),
    acknowledge: (batch) =>
      transaction(() => {
        removeFrozenCatches(batch)
        return removeFrozen(batch) > 0
      }),
    requeue: (holder, seqs, batchLimit) =>
      transaction(() => {
        if (!holds(holder)) return false
        requeue(batchLimit ?? null, holder.collection, JSON.stringify(seqs))
        removeEmptyBatches(holder.collection)
        return true
      }),
  } satisfies Partial<OutboxStore>
}

const WAITING = '(batch IS NULL OR batch IN (SELECT id FROM batches WHERE token IS NOT NULL))'

function prepareDeadLetters(db: DatabaseSync, transaction: <T>(work: () => T) => T) {
  const holds = prepareHolds(db)
  const removeEmptyBatches = prepareRemoveEmptyBatches(db)
  const addBatch = prepareQuery(
    db,
    'INSERT INTO batches (collection, code, message, set_aside_at) VALUES (?, ?, ?, ?) RETURNING id',
  )
  const moveAll = prepareChange(
    db,
    `UPDATE catches SET batch = ?, batch_limit = NULL WHERE collection = ? AND ${WAITING}`,
  )
  const moveSome = prepareChange(
    db,
    `UPDATE catches SET batch = ?, batch_limit = NULL WHERE collection = ? AND ${WAITING} AND seq IN ${LISTED}`,
  )
  const list = prepareQuery(
    db,
    `SELECT batches.id, code, message, set_aside_at, kind, user, gamemode,
        (SELECT count(*) FROM catches WHERE batch = batches.id) AS n
      FROM batches JOIN collections ON collections.id = collection WHERE code IS NOT NULL ORDER BY batches.id`,
  )
  const ofBatch = prepareQuery(db, `SELECT ${CATCH_COLUMNS} FROM ${CATCHES} WHERE batch = ? ORDER BY seq LIMIT ?`)
  const queue = prepareChange(db, 'UPDATE catches SET batch = NULL, batch_limit = NULL WHERE batch = ?')
  const removeCatches = prepareChange(db, 'DELETE FROM catches WHERE batch = ?')
  const removeBatch = prepareChange(db, 'DELETE FROM batches WHERE id = ?')

  /** Deletes dead letters. @returns the number of their catches */
  const end = (ids: readonly number[] | undefined, forEach: (id: number) => number) =>
    transaction(() => {
      let count = 0
      for (const { id } of list()) {
        if (ids && !ids.includes(id as number)) continue
        count += forEach(id as number)
        removeBatch(id as number)
      }
      return count
    })

  return {
    addDeadLetter: (holder, which, { code, message }, now) =>
      transaction(() => {
        if (!holds(holder)) return undefined
        const id = addBatch(holder.collection, code, message, now)[0]?.id as number
        const count =
          which === 'all' ? moveAll(id, holder.collection) : moveSome(id, holder.collection, JSON.stringify(which))
        // Includes the new one, if no catch moved.
        removeEmptyBatches(holder.collection)
        return count > 0 ? { id, count } : undefined
      }),
    deadLetters: (limit) =>
      transaction(() =>
        list().map((row) => ({
          id: row.id as number,
          collection: toCollection(row),
          reason: { code: row.code as string, message: row.message as string },
          at: row.set_aside_at as number,
          count: row.n as number,
          catches: ofBatch(row.id as number, limit).map(toCatch),
        })),
      ),
    retry: (ids) => end(ids, queue),
    drop: (ids) => end(ids, removeCatches),
  } satisfies Partial<OutboxStore>
}

type Row = Record<string, string | number | null>

/** The columns for {@link toCatch}. */
const CATCH_COLUMNS = `catches.seq, catches.collection, catches.entry, catches.added_at, catches.key,
  catches.batch_limit, collections.kind, collections.user, collections.gamemode`

const CATCHES = 'catches JOIN collections ON collections.id = catches.collection'

function toCatch(row: Row): StoredCatch {
  return {
    seq: row.seq as number,
    collection: row.collection as string,
    ...toCollection(row),
    entry: JSON.parse(row.entry as string) as PayloadEntry,
    addedAt: row.added_at as number,
    ...(row.key === null ? {} : { key: row.key as string }),
    ...(row.batch_limit === null ? {} : { batchLimit: row.batch_limit as number }),
  }
}

function toCollection(row: Row): Collection {
  return { kind: row.kind as Kind, user: row.user as string, gamemode: row.gamemode as Gamemode }
}

/** A statement that returns rows. */
function prepareQuery(db: DatabaseSync, sql: string): (...values: SQLInputValue[]) => Row[] {
  const statement = db.prepare(sql)
  return (...values) => statement.all(...values) as Row[]
}

/** A statement that returns the number of changed rows. */
function prepareChange(db: DatabaseSync, sql: string): (...values: SQLInputValue[]) => number {
  const statement = db.prepare(sql)
  return (...values) => Number(statement.run(...values).changes)
}

function prepareHolds(db: DatabaseSync): (holder: LeaseHolder) => boolean {
  const find = prepareQuery(db, 'SELECT 1 FROM collections WHERE id = ? AND owner = ?')
  return ({ collection, owner }) => find(collection, owner).length > 0
}

/** Deletes the empty batches of a collection. */
function prepareRemoveEmptyBatches(db: DatabaseSync): (collection: string) => number {
  return prepareChange(
    db,
    'DELETE FROM batches WHERE collection = ? AND NOT EXISTS (SELECT 1 FROM catches WHERE batch = batches.id)',
  )
}
