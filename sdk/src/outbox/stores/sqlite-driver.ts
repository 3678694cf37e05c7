import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'
import type { CollectionCounts, OutboxStore } from '../store.ts'
import { prepareAdding } from './sqlite-adding.ts'
import { addressIn, prepareBinding } from './sqlite-binding.ts'
import { goneError, toStoreError } from './sqlite-errors.ts'
import { type OpenDatabase, openDatabase } from './sqlite-file.ts'
import { defaultPaths } from './sqlite-path.ts'
import { CATCH_COLUMNS, CATCHES, prepareQuery, type Row, toCatch, toCollection } from './sqlite-rows.ts'
import { prepareSending } from './sqlite-sending.ts'
import { prepareSettingAside } from './sqlite-setting-aside.ts'

// Names that no service can have, but tests do (RFC 6761, 6): what waited for a real one must not end there.
const NEVER_REAL = /\.(test|example|invalid)$/

/** Opens the store in a file. Loaded when needed: `node:sqlite` is not in every runtime. */
export function openSqliteStore(path: string): OutboxStore {
  return storeIn(guarded(() => openDatabase(path)))
}

/** Opens the store of a service where no path is given. */
export function openDefaultStore(service: string): OutboxStore {
  return storeIn(guarded(() => openDefaultDatabase(service)))
}

function openDefaultDatabase(service: string): OpenDatabase {
  // Only here: a user whom the system does not know has no home folder, and asking for it throws.
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
    // SQLite goes on writing into a file that was deleted or replaced, and all of that would be lost.
    if (!isInPlace()) throw goneError()
    return guarded(() => inTransaction(db, work))
  }
  return guarded(() => ({
    ...prepareBinding(db, transaction),
    ...prepareAdding(db, transaction),
    ...prepareSending(db, transaction),
    ...prepareSettingAside(db, transaction),
    ...prepareLooking(db, transaction),
    close() {
      if (db.isOpen) db.close()
    },
  }))
}

function prepareLooking(db: DatabaseSync, transaction: <T>(work: () => T) => T) {
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
    // SQLite takes some failed transactions back by itself.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
