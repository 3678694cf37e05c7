import { accessSync, closeSync, constants, fsyncSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SECRET_CHECK_KEY, STORE_KEY } from '../../app/store/item-keys.ts'
import { refuseImportLock } from '../../app/store/store-id.ts'
import { APPLICATION_ID, checkSchemaVersion } from '../../storage/file/schema.ts'
import { DatabaseSync } from '../../storage/file/sqlite.ts'
import { STORE_FILE } from '../../storage/file/store-file.ts'
import { runLong } from './long-statement.ts'
import { MaintenanceError } from './maintenance-error.ts'
import type { WorkOptions } from './progress.ts'

/** What a store holds. */
export interface StoreFacts {
  /** Version of its schema. */
  readonly schema: number
  readonly users: number
  /** Writes that were acknowledged and not removed. */
  readonly records: number
  /** Fish and crabs in them. */
  readonly entries: number
  readonly bytes: number
}

/** The store file of a data folder. */
export function storeFileOf(folder: string): string {
  const file = join(folder, STORE_FILE)
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file
  throw new MaintenanceError('no_store', `There is no store in ${folder}.`, {
    hint: 'Name the folder that holds fish.db.',
  })
}

/**
 * Opens a store for reading, also one that a server serves. Only SQLite opens the file: closing it by other means
 * would drop the locks of a server in this very process.
 * @throws MaintenanceError `not_a_store`; StorageError `newer_schema`
 */
export function openStoreFile(file: string): DatabaseSync {
  accessSync(file, constants.R_OK)
  const db = connectTo(file)
  try {
    db.exec('PRAGMA busy_timeout = 5000')
    if (pragma(db, 'application_id') !== APPLICATION_ID) {
      throw new MaintenanceError('not_a_store', `${file} is not a store of this service.`)
    }
    checkSchemaVersion(Number(pragma(db, 'user_version')))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * SQLite lays two files beside a store that it reads. Only a connection that might write takes them away again; but one
 * that finds a log takes it into the store at its end, and a store is not changed by being read.
 */
function connectTo(file: string): DatabaseSync {
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  const address = pathToFileURL(file)
  address.searchParams.set('mode', hasLog ? 'ro' : 'rw')
  return new DatabaseSync(address, { readOnly: hasLog })
}

/** Version of the schema of an open store. */
export function schemaOf(db: DatabaseSync): number {
  return Number(pragma(db, 'user_version'))
}

/**
 * Reads the whole file for what may be wrong with it.
 * @throws MaintenanceError `damaged`; StorageError `unfinished` when it holds part of an import
 */
export async function checkWhole(db: DatabaseSync, file: string, { onProgress, signal }: WorkOptions = {}) {
  const size = sizeOf(db)
  onProgress?.({ step: 'check', unit: 'bytes', done: 0, total: size })
  if ((await runLong({ db, file, size, sql: 'PRAGMA integrity_check(1)', signal })) !== 'ok') {
    throw new MaintenanceError('damaged', `${file} is damaged.`, { hint: 'Use another backup.' })
  }
  refuseImportLock(itemOf(db, STORE_KEY))
  onProgress?.({ step: 'check', unit: 'bytes', done: size, total: size })
}

/** Counts what a store holds. Walks over its index, not its content. */
function factsOf(db: DatabaseSync): StoreFacts {
  const count = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])
  return {
    schema: schemaOf(db),
    users: count("SELECT count(*) FROM items WHERE key >= 'user:' AND key < 'user;'"),
    records: count('SELECT count(*) FROM records'),
    entries: count('SELECT coalesce(sum(count), 0) FROM records'),
    bytes: sizeOf(db),
  }
}

function sizeOf(db: DatabaseSync): number {
  return Number(pragma(db, 'page_count')) * Number(pragma(db, 'page_size'))
}

/** How large an open store is, and how much of that is in use, in bytes. */
export function spaceOf(db: DatabaseSync): { readonly size: number; readonly used: number } {
  const size = sizeOf(db)
  return { size, used: size - Number(pragma(db, 'freelist_count')) * Number(pragma(db, 'page_size')) }
}

function itemOf(db: DatabaseSync, key: string): string | null {
  const row = db.prepare('SELECT value FROM items WHERE key = ?').get(key)
  return row ? String(row.value) : null
}

/** What is known of a store, or of a copy of one. */
export interface StoreContent {
  readonly facts: StoreFacts
  /** What its seal is checked with, `null` when it was never served. */
  readonly sealCheck: string | null
}

/** What an open store holds, as of one moment. */
export function contentOf(db: DatabaseSync): StoreContent {
  db.exec('BEGIN')
  try {
    return { facts: factsOf(db), sealCheck: itemOf(db, SECRET_CHECK_KEY) }
  } finally {
    db.exec('ROLLBACK')
  }
}

/** Waits until a file is on the disk. */
export function syncFile(file: string): void {
  const handle = openSync(file, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function pragma(db: DatabaseSync, name: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]
}
