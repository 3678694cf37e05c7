import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createPrivateFile, syncFolder } from '../../../../sdk/src/internal/files.node.ts'
import { SQLITE_CORRUPT, SQLITE_NOT_A_DATABASE, sqliteCode } from '../../../../sdk/src/internal/sqlite.node.ts'
import { StorageError } from '../core/errors.ts'
import { APPLICATION_ID, checkSchema, MOVE_AWAY, migrate, notAStore } from './schema.ts'
import { openDatabase } from './sqlite.ts'

/** Name of the database in a data folder. */
export const STORE_FILE = 'fish.db'

/**
 * Checks the store of a folder, creates a missing store, and returns the path of the file. @throws {StorageError}
 * `not_a_store`, `newer_schema`, `damaged`, `unfinished`, `unavailable`
 */
export function prepareStore(folder: string): string {
  const file = join(folder, STORE_FILE)
  if (checkStore(file)) return file
  refuseLeftovers(folder)
  createStore(file)
  return file
}

/** Names of the temporary folders in which maintenance prepares a store. */
export const UNFINISHED_STORE = /^\.(?:restore|copy|migrate)-[0-9a-f]{8}$/

/** Refuses to create a store beside an unfinished one. Otherwise, a killed copy would look like a new service. */
function refuseLeftovers(folder: string): void {
  const name = readdirSync(folder).find((one) => UNFINISHED_STORE.test(one))
  if (name === undefined) return
  throw new StorageError(
    'unfinished',
    `${folder} contains an unfinished store: a copy, restore or migration was stopped, and nothing was opened.`,
    { hint: `Run that command again, or start empty by removing ${join(folder, name)}.` },
  )
}

/**
 * Checks the store through a read-only connection, which changes nothing. SQLite applies any write-ahead log beside a
 * database, even if the log belongs to another database. If a backup were copied over a crashed store, later data would
 * be mixed into the backup.
 * @returns whether there is a file
 */
function checkStore(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat && !hasLog(file)) return false
  if (!stat) throw mismatch(file)
  // If the file were a pipe, SQLite would wait for the other end of the pipe.
  if (!stat.isFile()) {
    throw new StorageError('not_a_store', `${file} is not a file.`, { hint: MOVE_AWAY })
  }
  try {
    using db = openDatabase(file, { readOnly: true })
    const pragma = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name])
    checkSchema(file, pragma('application_id'), pragma('user_version'))
    if (!hasLog(file) || db.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok') return true
  } catch (error) {
    const code = sqliteCode(error)
    if (code === SQLITE_NOT_A_DATABASE) throw notAStore(file)
    if (code !== SQLITE_CORRUPT || !hasLog(file)) throw error
  }
  throw mismatch(file)
}

function mismatch(file: string): StorageError {
  return new StorageError('damaged', `${file} and ${file}-wal do not belong together, and nothing was changed.`, {
    hint: `If ${STORE_FILE} was restored from a backup, move ${STORE_FILE}-wal and ${STORE_FILE}-shm away and start again; if it was deleted, restore it.`,
  })
}

/** Whether there is a log with writes that are not in the database yet. */
export function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Moves the write-ahead log of a closed store into its file, so that one rename moves the whole store. */
export function checkpoint(file: string): void {
  using db = openDatabase(file)
  if (db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0) return
  throw new StorageError('unavailable', `Another program has ${file} open.`, { hint: 'Close it and try again.' })
}

/** Renames a new store into place only when it is complete, so that a crash leaves no partial store. */
function createStore(file: string): void {
  const temp = `${file}.new`
  for (const old of [temp, `${temp}-journal`, `${temp}-wal`, `${temp}-shm`]) rmSync(old, { force: true })
  createPrivateFile(temp)
  const db = openDatabase(temp)
  try {
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    migrate(db)
    db.exec('PRAGMA journal_mode = WAL')
  } finally {
    db.close()
  }
  renameSync(temp, file)
  syncFolder(dirname(file))
}
