import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { PayloadEntry } from '../client/resources/catch-input.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import type { Kind } from '../contract/kinds.ts'
import { defaultPaths, goneError, inTransaction, type OpenDatabase, openDatabase, toStoreError } from './sqlite-file.ts'
import {
  type Checkpoint,
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
  return storeIn(guarded(path, () => openDatabase(path)))
}

export function openDefaultStore(service: string): OutboxStore {
  return storeIn(guarded(`of ${service}`, () => openDefaultDatabase(service)))
}

function openDefaultDatabase(service: string): OpenDatabase {
  const open = (file: string) => guarded(file, () => openDatabase(file))
  // Not earlier: homedir() throws for a user without a home folder.
  const { own, former } = defaultPaths(service, { platform: process.platform, env: process.env, home: homedir() })
  if (existsSync(own) || !existsSync(former) || NEVER_REAL.test(new URL(service).hostname)) return open(own)
  const opened = open(former)
  const address = addressIn(opened.db)
  if (address === undefined || address === service) return opened
  opened.db.close()
  return open(own)
}

function addressIn(db: DatabaseSync): string | undefined {
  return db.prepare('SELECT address FROM service').get()?.address as string | undefined
}

function guarded<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toStoreError(error, file)
  }
}

type Row = Record<string, string | number | null>

const CATCH_COLUMNS = `catches.seq, catches.collection, catches.entry, catches.added_at, catches.key,
  catches.batch_limit, collections.kind, collections.user, collections.gamemode`
const CATCHES = 'catches JOIN collections ON collections.id = catches.collection'
const WAITING = '(batch IS NULL OR batch IN (SELECT id FROM batches WHERE token IS NOT NULL))'
const LISTED = '(SELECT value FROM json_each(?))'
const WITH_PREFIX = "substr(coalesce(key, ''), 1, length(?)) = ?"

const COUNTS = `SELECT collection, kind, user, gamemode,
    count(*) FILTER (WHERE batch IS NULL) AS queued,
    count(*) FILTER (WHERE token IS NOT NULL) AS frozen,
    count(*) FILTER (WHERE code IS NOT NULL) AS dead,
    min(added_at) FILTER (WHERE code IS NULL) AS oldest_at
  FROM (SELECT catches.*, token, code FROM catches LEFT JOIN batches ON batches.id = batch) AS catches
  JOIN collections ON collections.id = collection GROUP BY collection ORDER BY min(seq)`

const COUNT_WITH_PREFIX = `SELECT count(*) FILTER (WHERE batch IS NULL) AS queued, count(token) AS frozen
  FROM catches LEFT JOIN batches ON batches.id = batch WHERE ${WITH_PREFIX}`

const DEAD_LETTERS = `SELECT batches.id, code, message, set_aside_at, kind, user, gamemode,
    (SELECT count(*) FROM catches WHERE batch = batches.id) AS count
  FROM batches JOIN collections ON collections.id = collection WHERE code IS NOT NULL ORDER BY batches.id`

const FORGET_KEYS = `DELETE FROM keys WHERE (n <= (SELECT max(n) FROM keys) - ? OR added_at < ?)
  AND NOT EXISTS (SELECT 1 FROM catches WHERE catches.key = keys.key)`

// The SQLite of Node 22.19 binds no numbered parameters.
const CLAIM = `UPDATE collections SET owner = given.owner, leased_at = given.now, leased_until = given.now + given.lease
  FROM (SELECT ? AS owner, ? AS now, ? AS lease) AS given WHERE id = ?
  AND (collections.owner IS NULL OR collections.owner = given.owner OR leased_until <= given.now
    OR leased_at > given.now)`

/** The queue in one database, each operation in a transaction. The schema is in sqlite-file.ts. */
function storeIn(opened: OpenDatabase): OutboxStore {
  const { db } = opened
  const { rows, number, change, transaction } = sqlOf(opened)

  const checkpointValue = (checkpoint: string) =>
    rows('SELECT value FROM bookmarks WHERE name = ?', [checkpoint])[0]?.value as string | undefined

  const setCheckpoint = ({ name, value }: Pick<Checkpoint, 'name' | 'value'>) =>
    change(
      'INSERT INTO bookmarks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [name, value],
    )

  const hasLease = ({ collection, owner }: LeaseHolder) =>
    rows('SELECT 1 FROM collections WHERE id = ? AND owner = ?', [collection, owner]).length > 0

  const catchesIn = (where: string, values: SQLInputValue[], limit = -1) =>
    rows(`SELECT ${CATCH_COLUMNS} FROM ${CATCHES} WHERE ${where} ORDER BY seq LIMIT ?`, [...values, limit]).map(toCatch)

  /** Moves queued and frozen catches to another batch, or none, and deletes batches that are empty then. */
  const move = (collection: string, which: readonly number[] | 'all', batch: number | null, batchLimit?: number) => {
    const [all, list] = which === 'all' ? [1, '[]'] : [0, JSON.stringify(which)]
    const count = change(
      `UPDATE catches SET batch = ?, batch_limit = ? WHERE collection = ? AND ${WAITING} AND (? OR seq IN ${LISTED})`,
      [batch, batchLimit ?? null, collection, all, list],
    )
    change('DELETE FROM batches WHERE collection = ? AND NOT EXISTS (SELECT 1 FROM catches WHERE batch = batches.id)', [
      collection,
    ])
    return count
  }

  /** Ends dead letters by a change of their catches. @returns the number of catches */
  const endDeadLetters = (ids: readonly number[] | undefined, sql: string) =>
    transaction(() => {
      const all = rows('SELECT id FROM batches WHERE code IS NOT NULL').map(({ id }) => id as number)
      const ended = JSON.stringify(ids ? all.filter((id) => ids.includes(id)) : all)
      const count = change(`${sql} WHERE batch IN ${LISTED}`, [ended])
      change(`DELETE FROM batches WHERE id IN ${LISTED}`, [ended])
      return count
    })

  return {
    bind: (service) =>
      transaction(() => {
        const address = addressIn(db)
        if (address !== undefined) return { service: address, adopted: false }
        change('INSERT INTO service (address) VALUES (?)', [service])
        const used = rows('SELECT 1 FROM collections UNION ALL SELECT 1 FROM bookmarks LIMIT 1')
        return { service, adopted: used.length > 0 }
      }),
    add: ({ catches, checkpoint, now, maxCatches, maxKeys, keysSince }) =>
      transaction(() => {
        if (checkpoint && checkpointMoved(checkpoint, checkpointValue(checkpoint.name))) return { type: 'moved' }
        const isKnown = (key: string) => rows('SELECT 1 FROM keys WHERE key = ?', [key]).length > 0
        const unknown = withoutDuplicates(catches, isKnown)
        const isFull = unknown.size > 0 && number('SELECT count(*) FROM catches') + unknown.size > maxCatches
        if (isFull) return { type: 'full' }
        for (const { collection, kind, user, gamemode, entry, key } of unknown.values()) {
          if (key !== undefined) change('INSERT INTO keys (key, added_at) VALUES (?, ?)', [key, now])
          change('INSERT INTO collections (id, kind, user, gamemode) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING', [
            collection,
            kind,
            user,
            gamemode,
          ])
          change('INSERT INTO catches (collection, entry, added_at, key) VALUES (?, ?, ?, ?)', [
            collection,
            JSON.stringify(entry),
            now,
            key ?? null,
          ])
        }
        if (unknown.size > 0) change(FORGET_KEYS, [maxKeys, keysSince])
        if (checkpoint) setCheckpoint(checkpoint)
        return { type: 'added', addedIndexes: [...unknown.keys()] }
      }),
    checkpoint: (name) => transaction(() => checkpointValue(name)),
    collections: () => transaction(() => rows(COUNTS).map(toCounts)),
    peek: (limit) => transaction(() => catchesIn(WAITING, [], limit)),
    claim: ({ collection, owner, now, leaseMs }) =>
      transaction(() => {
        if (change(CLAIM, [owner, now, leaseMs, collection]) > 0) return { granted: true }
        const [lease] = rows('SELECT leased_until FROM collections WHERE id = ? AND owner IS NOT NULL', [collection])
        return { granted: false, until: Number(lease?.leased_until ?? now) }
      }),
    release({ collection, owner }) {
      change('UPDATE collections SET owner = NULL WHERE id = ? AND owner = ?', [collection, owner])
    },
    // In one transaction, since an acknowledgement may come between the two reads.
    nextBatch: (collection, limit) =>
      transaction(() => {
        const [frozen] = rows(
          'SELECT id, token FROM batches WHERE collection = ? AND token IS NOT NULL ORDER BY id LIMIT 1',
          [collection],
        )
        if (!frozen) return { catches: catchesIn('collection = ? AND batch IS NULL', [collection], limit) }
        const batch = frozen.id as number
        return { frozen: { batch, token: frozen.token as string }, catches: catchesIn('batch = ?', [batch]) }
      }),
    freeze: (holder, seqs, token) =>
      transaction(() => {
        const list = JSON.stringify(seqs)
        const queued = `SELECT count(*) FROM catches WHERE collection = ? AND batch IS NULL AND seq IN ${LISTED}`
        if (!hasLease(holder) || number(queued, [holder.collection, list]) !== seqs.length) return undefined
        const batch = number('INSERT INTO batches (collection, token) VALUES (?, ?) RETURNING id', [
          holder.collection,
          token,
        ])
        change(`UPDATE catches SET batch = ? WHERE seq IN ${LISTED}`, [batch, list])
        return batch
      }),
    acknowledge: (batch) =>
      transaction(() => {
        change('DELETE FROM catches WHERE batch = (SELECT id FROM batches WHERE id = ? AND token IS NOT NULL)', [batch])
        return change('DELETE FROM batches WHERE id = ? AND token IS NOT NULL', [batch]) > 0
      }),
    requeue: (holder, seqs, batchLimit) =>
      transaction(() => {
        if (!hasLease(holder)) return false
        move(holder.collection, seqs, null, batchLimit)
        return true
      }),
    addDeadLetter: (holder, which, { code, message }, now) =>
      transaction(() => {
        if (!hasLease(holder)) return undefined
        const id = number(
          'INSERT INTO batches (collection, code, message, set_aside_at) VALUES (?, ?, ?, ?) RETURNING id',
          [holder.collection, code, message, now],
        )
        const count = move(holder.collection, which, id)
        return count > 0 ? { id, count } : undefined
      }),
    deadLetters: (limit) =>
      transaction(() =>
        rows(DEAD_LETTERS).map((row) => ({
          id: row.id as number,
          collection: toCollection(row),
          reason: { code: row.code as string, message: row.message as string },
          at: row.set_aside_at as number,
          count: row.count as number,
          catches: catchesIn('batch = ?', [row.id as number], limit),
        })),
      ),
    retry: (ids) => endDeadLetters(ids, 'UPDATE catches SET batch = NULL, batch_limit = NULL'),
    drop: (ids) => endDeadLetters(ids, 'DELETE FROM catches'),
    cancel: ({ keyPrefix = '', checkpoint, dryRun }) =>
      transaction(() => {
        const [counts] = rows(COUNT_WITH_PREFIX, [keyPrefix, keyPrefix])
        if (!dryRun) {
          change(`DELETE FROM catches WHERE batch IS NULL AND ${WITH_PREFIX}`, [keyPrefix, keyPrefix])
          if (checkpoint) setCheckpoint(checkpoint)
        }
        return { cancelled: Number(counts?.queued), frozen: Number(counts?.frozen) }
      }),
    close() {
      if (db.isOpen) db.close()
    },
  }
}

/** Prepares each statement once. */
function sqlOf({ db, file, isInPlace }: OpenDatabase) {
  const prepared = new Map<string, StatementSync>()
  const statement = (sql: string) => {
    const known = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, known)
    return known
  }
  return {
    rows: (sql: string, values: SQLInputValue[] = []) => statement(sql).all(...values) as Row[],
    /** The first value of the first row. */
    number: (sql: string, values: SQLInputValue[] = []) =>
      Number(Object.values(statement(sql).get(...values) ?? {})[0]),
    /** @returns the number of changed rows */
    change: (sql: string, values: SQLInputValue[] = []) => Number(statement(sql).run(...values).changes),
    transaction<T>(work: () => T): T {
      // SQLite keeps writing to a file that was deleted or replaced, and those writes would be lost.
      if (!isInPlace()) throw goneError()
      return guarded(file, () => inTransaction(db, work))
    },
  }
}

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

function toCounts(row: Row): CollectionCounts {
  return {
    collection: row.collection as string,
    ...toCollection(row),
    queued: row.queued as number,
    frozen: row.frozen as number,
    dead: row.dead as number,
    ...(row.oldest_at === null ? {} : { oldestAt: row.oldest_at as number }),
  }
}

function toCollection(row: Row): Collection {
  return { kind: row.kind as Kind, user: row.user as string, gamemode: row.gamemode as Gamemode }
}
