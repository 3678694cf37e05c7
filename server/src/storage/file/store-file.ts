import { closeSync, lstatSync, openSync, readlinkSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StorageError } from '../errors.ts'
import { createPrivateFile, syncFolder } from './folder.ts'
import { MARK_FILE, readHighWater, readMark } from './mark.ts'
import { APPLICATION_ID, checkSchemaVersion, migrate } from './schema.ts'
import { DatabaseSync, sqliteCode } from './sqlite.ts'

/** Name of the database in a data folder. */
export const STORE_FILE = 'fish.db'

const SQLITE_CORRUPT = 11

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
  if (checkStoreHeader(file)) {
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

const MAGIC = 'SQLite format 3\0'

/** To how many bytes SQLite cuts a write-ahead log that it begins anew; else it cuts no file of an open database. */
export const LOG_SIZE_LIMIT = 64 * 1024 * 1024

interface FoundFile {
  /** Device and inode. */
  readonly fileId: string
  readonly size: number
}

function find(file: string): FoundFile | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && { fileId: `${found.dev}:${found.ino}`, size: Number(found.size) }
}

/** Device and inode of a file, `undefined` when there is none. */
export function fileIdOf(file: string): string | undefined {
  return find(file)?.fileId
}

/**
 * Remembers which log a database that is open has, and answers what refuses writes once the database or its log is no
 * longer the one at its path, or shorter than it was: they would be acknowledged and lost. A log that was cut and then
 * written on has a hole besides, which SQLite would lay over the database.
 *
 * @param fileId of the database, from before it was opened
 * @returns throws StorageError `unavailable`
 */
export function guardFiles(file: string, fileId: string): () => void {
  const replaced = 'was deleted or replaced while it was open.'
  // As long as a file is open no other one gets its inode. A database without a log has neither of the two.
  const log = [`${file}-wal`, `${file}-shm`].map((path) => ({
    path,
    found: find(path),
    gone: `${path} ${replaced} Stop the service with SIGTERM, which saves what was acknowledged, and start it again.`,
  }))
  const gone = `The data file ${replaced} Put it back, or restart the service.`
  const watched = [{ path: file, found: { fileId, size: find(file)?.size ?? 0 }, gone }, ...log]
  return () => {
    for (const one of watched) {
      if (!one.found) continue
      const now = find(one.path)
      if (now?.fileId !== one.found.fileId) throw new StorageError('unavailable', one.gone)
      if (now.size < Math.min(one.found.size, LOG_SIZE_LIMIT)) {
        throw new StorageError(
          'unavailable',
          `${one.path} was cut short while it was open, and may have lost what was acknowledged. Stop the service and start it again, which says what is missing.`,
        )
      }
      one.found = now
    }
  }
}

/** The lock and the mark belong to a folder, and SQLite keeps the log beside the file that a link leads to. */
function refuseLink(file: string): void {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return
  const folder = dirname(resolve(dirname(file), readlinkSync(file)))
  throw new StorageError(
    'in_use',
    `${file} is a symbolic link: by the folder that it leads to, a second server could open the same file and damage it. Name ${folder} instead; or put the file itself in place of the link.`,
  )
}

/**
 * Looks at the header of a file (https://sqlite.org/fileformat2.html, section 1.3) before SQLite opens it, because
 * opening may already change it. Call it only while holding the folder's lock: closing a file that this
 * process has open elsewhere would drop its locks.
 *
 * @returns whether there is a file
 * @throws {StorageError} `in_use`, `not_a_store`, `newer_schema`, `damaged`
 */
function checkStoreHeader(file: string): boolean {
  const header = Buffer.alloc(100)
  refuseLink(file)
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) return false
  // The lock belongs to a folder: by a link in another one, a second server would open the same file with its own log.
  if (found.isFile() && found.nlink > 1) {
    throw new StorageError(
      'in_use',
      `${file} has another hard link, by which a second server could open it and damage both. Remove that link; or copy the file, and put the copy in its place.`,
    )
  }
  // A new store takes its name when it is whole: no crash of this service leaves an empty one.
  if (found.size === 0) {
    throw new StorageError(
      'damaged',
      `${file} is empty: what it held is lost, and nothing was changed. Restore a backup; or move it and ${MARK_FILE} away, to begin anew.`,
    )
  }
  const handle = openSync(file, 'r')
  try {
    readSync(handle, header, 0, header.length, 0)
  } finally {
    closeSync(handle)
  }
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC || header.readUInt32BE(68) !== APPLICATION_ID) {
    throw new StorageError(
      'not_a_store',
      `${file} is not a file of this service and was left as it is. Move it away, or choose another folder.`,
    )
  }
  checkSchemaVersion(header.readUInt32BE(60))
  return true
}
