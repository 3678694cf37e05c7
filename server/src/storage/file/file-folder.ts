import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StorageError } from '../errors.ts'
import { sqliteCode } from './file-errors.ts'
import { MARK_FILE, readHighWater, readMark } from './file-high-water.ts'
import { findStore } from './file-identity.ts'
import { APPLICATION_ID, migrate } from './file-schema.ts'
import { DatabaseSync } from './sqlite.ts'

/** Name of the database in a data folder. */
export const STORE_FILE = 'fish.db'

const SQLITE_CORRUPT = 11

/** Makes the names in a folder survive a power loss. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder as a file; it writes names through by itself.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Creates an empty file; answers whether it did. One that exists, also since a moment ago, is not even opened. */
export function createPrivateFile(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600))
    return true
  } catch (error) {
    if (!existsSync(file)) throw error
    return false
  }
}

/** A new store takes its name only when it is whole, so a crash on the way leaves none rather than half of one. */
function createStore(file: string): void {
  const draft = `${file}.new`
  for (const old of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`]) rmSync(old, { force: true })
  createPrivateFile(draft)
  const db = new DatabaseSync(draft)
  try {
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    migrate(db)
    db.exec('PRAGMA journal_mode = WAL')
  } finally {
    db.close()
  }
  renameSync(draft, file)
  syncFolder(dirname(file))
}

/** Makes the folder, for its owner only, and the folders above it as the system makes them. */
export function prepareFolder(path: string): string {
  return makeFolder(path).folder
}

/** A folder that is there now, and what was made for that. */
export interface MadeFolder {
  readonly folder: string
  /** Takes away what was made, where it is empty. */
  undo(): void
}

/** The same as {@link prepareFolder}, for who may have to take it back. */
export function makeFolder(path: string): MadeFolder {
  const folder = resolve(path)
  if (existsSync(folder)) return { folder, undo() {} }
  const missing = missingFrom(folder)
  const undo = () => removeEmpty(missing)
  try {
    for (const above of missing.slice(1).toReversed()) makeUnlessThere(above)
    mkdirSync(folder, { mode: 0o700 })
    syncFolder(dirname(folder))
  } catch (error) {
    undo()
    throw error
  }
  return { folder, undo }
}

/** The folder and those above it that do not exist, the deepest first. */
function missingFrom(folder: string): readonly string[] {
  const missing: string[] = []
  for (let at = folder; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  return missing
}

/** Not Node's recursive way: that never ends where a folder cannot be made in one that exists, such as /proc. */
function makeUnlessThere(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}

function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder)
    } catch {
      // Somebody else's by now, or never made.
    }
  }
}

/**
 * The database file of a locked folder, created when there is none.
 *
 * @throws {StorageError} `not_a_store`, `newer_schema`, `damaged`
 */
export function prepareStore(folder: string): string {
  const file = join(folder, STORE_FILE)
  if (!checkStore(file)) createStore(file)
  return file
}

/**
 * Looks whether a database file of a locked folder can be opened, and changes nothing.
 *
 * @returns whether there is a file
 * @throws {StorageError} `not_a_store`, `newer_schema`, `damaged`
 */
export function checkStore(file: string): boolean {
  if (findStore(file)) {
    checkLeftLog(file)
    checkHighWater(file)
    return true
  }
  if (hasLog(file)) throw strangeLog(file)
  const lost = readMark(dirname(file))?.writes ?? 0
  if (lost === 0) return false
  throw new StorageError(
    'damaged',
    `${file} is gone, and with it about ${lost} writes that were acknowledged; nothing was changed. Put it back or restore a backup; or remove ${MARK_FILE}, to begin anew.`,
  )
}

/**
 * A log that was deleted or damaged is no error to SQLite: it takes the database as it was before. The mark tells that
 * there was more.
 */
function checkHighWater(file: string): void {
  const mark = readMark(dirname(file))
  if (!mark) return
  // A connection that may not write would leave two files behind where there is no log; one that may changes a log.
  const db = new DatabaseSync(file, { readOnly: hasLog(file) })
  try {
    const found = readHighWater(db)
    if (found?.lineage !== mark.lineage || found.writes >= mark.writes) return
    throw new StorageError(
      'damaged',
      `${file} ends before what was acknowledged: about ${mark.writes - found.writes} writes are missing, and nothing was changed. ${STORE_FILE}-wal was deleted or damaged, or an older ${STORE_FILE} was put here. Put the right one back or restore a backup; or remove ${MARK_FILE}, to go on without these writes.`,
    )
  } finally {
    db.close()
  }
}

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * SQLite lays a write-ahead log that it finds over the database beside it, whether or not the two belong together: a
 * backup copied over a crashed store would be mixed with what came after it. So what a log that was left behind makes
 * of the database is checked first, read-only, which changes neither.
 */
function checkLeftLog(file: string): void {
  if (!hasLog(file)) return
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const problem = db.prepare('PRAGMA quick_check(1)').get()?.quick_check
    if (problem !== 'ok') throw strangeLog(file)
  } catch (error) {
    if (error instanceof StorageError) throw error
    throw sqliteCode(error) === SQLITE_CORRUPT ? strangeLog(file) : error
  } finally {
    db.close()
  }
}

function strangeLog(file: string): StorageError {
  return new StorageError(
    'damaged',
    `${file} and ${file}-wal do not belong together, and nothing was changed. If ${STORE_FILE} was restored from a backup, move ${STORE_FILE}-wal and ${STORE_FILE}-shm away and start again; if it was deleted, restore it.`,
  )
}
