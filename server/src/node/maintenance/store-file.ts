import { accessSync, closeSync, constants, fsyncSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { refuseUnfinished, STORE_KEY } from '../../app/store-mark.ts'
import { SEAL_CHECK_KEY } from '../../app/users/seal-check.ts'
import { STORE_FILE } from '../../storage/file/file-folder.ts'
import { APPLICATION_ID, checkSchemaVersion } from '../../storage/file/file-schema.ts'
import { MaintenanceError } from './maintenance-error.ts'
import type { ProgressOptions } from './progress.ts'

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
  const db = new DatabaseSync(file, { readOnly: true })
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

/** Version of the schema of an open store. */
export function schemaOf(db: DatabaseSync): number {
  return Number(pragma(db, 'user_version'))
}

/**
 * Reads the whole file for what may be wrong with it.
 * @throws MaintenanceError `damaged`; StorageError `unfinished` when it holds part of an import
 */
export function checkWhole(db: DatabaseSync, file: string, { onProgress }: ProgressOptions = {}): void {
  const total = sizeOf(db)
  onProgress?.({ step: 'check', unit: 'bytes', done: 0, total })
  if (pragma(db, 'integrity_check(1)') !== 'ok') {
    throw new MaintenanceError('damaged', `${file} is damaged.`, { hint: 'Use another backup.' })
  }
  refuseUnfinished(itemOf(db, STORE_KEY))
  onProgress?.({ step: 'check', unit: 'bytes', done: total, total })
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

function itemOf(db: DatabaseSync, key: string): string | null {
  const row = db.prepare('SELECT value FROM items WHERE key = ?').get(key)
  return row ? String(row.value) : null
}

/** A copy of a store. */
export interface CopiedStore {
  readonly facts: StoreFacts
  /** What its seal is checked with, `null` when it was never served. */
  readonly sealCheck: string | null
}

/**
 * Writes a copy of a store as of one moment, while others read and write it, and checks the copy. It is on the disk
 * when this returns, which SQLite itself does not promise of `VACUUM INTO`.
 */
export function copyStore(source: DatabaseSync, copy: string, progress: ProgressOptions = {}): CopiedStore {
  const total = sizeOf(source)
  progress.onProgress?.({ step: 'copy', unit: 'bytes', done: 0, total })
  // Made first, for its owner only: SQLite takes an empty file, and would let everybody read one of its own.
  closeSync(openSync(copy, 'wx', 0o600))
  source.prepare('VACUUM INTO ?').run(copy)
  syncFile(copy)
  progress.onProgress?.({ step: 'copy', unit: 'bytes', done: total, total })
  const db = openStoreFile(copy)
  try {
    checkWhole(db, copy, progress)
    return { facts: factsOf(db), sealCheck: itemOf(db, SEAL_CHECK_KEY) }
  } finally {
    db.close()
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
