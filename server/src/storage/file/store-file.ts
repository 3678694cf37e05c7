import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createPrivateFile, syncFolder } from '../../../../sdk/src/internal/files.node.ts'
import { SQLITE_CORRUPT, sqliteCode } from '../../../../sdk/src/internal/sqlite.node.ts'
import { StorageError } from '../core/errors.ts'
import { type HighWater, MARK_FILE, readHighWater, readMark } from './mark.ts'
import { APPLICATION_ID, checkSchemaVersion, migrate } from './schema.ts'
import { type DatabaseSync, openDatabase } from './sqlite.ts'

/** Name of the database in a data folder. */
export const STORE_FILE = 'fish.db'

/** Creates a missing file. @throws {StorageError} `not_a_store`, `newer_schema`, `damaged`, `unavailable` */
export function prepareStore(folder: string): string {
  const file = join(folder, STORE_FILE)
  if (!checkStore(file)) createStore(file)
  // Beside a reader, SQLite would go on after the end of a log that was deleted, and could not read the new one after a crash.
  if (!hasLog(file) && existsSync(`${file}-shm`)) checkpoint(file)
  return file
}

/** Changes nothing. @returns whether there is a file @throws {StorageError} as {@link prepareStore} */
export function checkStore(file: string): boolean {
  if (checkStoreHeader(file)) {
    checkLog(file)
    checkHighWater(file)
    return true
  }
  if (hasLog(file)) throw mismatchedLog(file)
  const lost = readMark(dirname(file))?.writes ?? 0
  if (lost === 0) return false
  throw new StorageError(
    'damaged',
    `${file} is missing, with about ${lost} acknowledged writes; nothing was changed. Put it back or restore a backup. To start with an empty store, remove ${MARK_FILE}.`,
  )
}

/**
 * SQLite accepts a database whose log was deleted or damaged, without what was in the log. The mark shows that there was
 * more. Without the log, a database may also be damaged: a checkpoint beside a reader moves only some pages. So a store to
 * which no mark applies is checked once; the writer makes its mark.
 */
function checkHighWater(file: string): void {
  const mark = readMark(dirname(file))
  const lost = openUnchanged(file, (db) => lostWrites(db, mark))
  if (lost !== undefined && lost <= 0) return
  if (!isSound(file, 'integrity_check')) {
    throw new StorageError('damaged', `${file} is damaged; nothing was changed. Restore a backup.`)
  }
  if (lost !== undefined) throw lostWritesError(file, lost)
}

/**
 * How many acknowledged writes a database lacks, at most 0 if none; `undefined` where the mark does not apply.
 * @param mark read before the database, which a server may write to
 */
export function lostWrites(db: DatabaseSync, mark: HighWater | undefined): number | undefined {
  const current = readHighWater(db)
  return mark && current?.lineage === mark.lineage ? mark.writes - current.writes : undefined
}

export function lostWritesError(file: string, lost: number): StorageError {
  return new StorageError(
    'damaged',
    `${file} lacks about ${lost} acknowledged writes; nothing was changed. ${STORE_FILE}-wal was deleted or damaged, or ${STORE_FILE} was replaced by an older one. Put the right one back or restore a backup. To continue without these writes, remove ${MARK_FILE}.`,
  )
}

/** Without a log, a read-only connection would leave two files behind; with one, a writable connection would change it. */
function openUnchanged<Result>(file: string, use: (db: DatabaseSync) => Result): Result {
  using db = openDatabase(file, { readOnly: hasLog(file) })
  return use(db)
}

/** Only `integrity_check` compares indexes with their tables. */
function isSound(file: string, check: 'quick_check' | 'integrity_check'): boolean {
  try {
    return openUnchanged(file, (db) => db.prepare(`PRAGMA ${check}(1)`).get()?.[check] === 'ok')
  } catch (error) {
    if (sqliteCode(error) === SQLITE_CORRUPT) return false
    throw error
  }
}

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * SQLite applies any write-ahead log that it finds beside a database, whether or not the two belong together: a backup copied
 * over a crashed store would be mixed with later data. So the result of a log is checked first, read-only, which changes
 * neither.
 */
function checkLog(file: string): void {
  if (hasLog(file) && !isSound(file, 'quick_check')) throw mismatchedLog(file)
}

/**
 * Moves the write-ahead log of a store that nobody has open into its file, and flushes it, so that one rename moves all of it.
 * The last connection does the same when it closes, but without an error where that fails.
 */
export function checkpoint(file: string): void {
  using db = openDatabase(file)
  if (moveLog(db)) return
  throw new StorageError('unavailable', `Another program has ${file} open. Close it and try again.`)
}

/** @returns false while another connection reads the log */
function moveLog(db: DatabaseSync): boolean {
  return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0
}

const RETRY_MS = 50

/**
 * Moves a log that has lost its name into the database: otherwise its writes end with this process, since the last
 * connection does not move the log beside a reader. Waits for readers, and for a disk that is full.
 * @param onBlocked called once if it has to wait
 */
export async function saveLog(db: DatabaseSync, onBlocked: () => void): Promise<void> {
  const isMoved = () => {
    try {
      return moveLog(db)
    } catch {
      return false
    }
  }
  db.exec('PRAGMA busy_timeout = 0')
  if (isMoved()) return
  onBlocked()
  do await setTimeout(RETRY_MS)
  while (!isMoved())
}

export function unsavedError(file: string): StorageError {
  return new StorageError(
    'unavailable',
    `Acknowledged writes are not in ${file} yet, and its log was deleted or replaced: they are lost if this process ends now. End every backup and export of the store, and free some space if the disk is full.`,
  )
}

function mismatchedLog(file: string): StorageError {
  return new StorageError(
    'damaged',
    `${file} and ${file}-wal do not belong together, and nothing was changed. If ${STORE_FILE} was restored from a backup, move ${STORE_FILE}-wal and ${STORE_FILE}-shm away and start again; if it was deleted, restore it.`,
  )
}

/** A new store gets its name only when it is complete, so that a crash leaves no partial one. */
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

const MAGIC = 'SQLite format 3\0'

/** Size in bytes to which SQLite truncates a log that it restarts. It truncates no other file of an open database. */
export const LOG_SIZE_LIMIT = 64 * 1024 * 1024

function statOf(file: string) {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && { fileId: `${stat.dev}:${stat.ino}`, size: Number(stat.size) }
}

export function fileIdOf(file: string): string | undefined {
  return statOf(file)?.fileId
}

const LOST_ADVICE =
  'If it was moved, put it back. Otherwise its data ends with this process: copy it before you stop the service, on Linux from /proc/PID/fd.'

/** For a file that was not put back. */
export function lostFileError(file: string): StorageError {
  return new StorageError(
    'replaced',
    `${file} was deleted or replaced while it was open. Unless it was moved, its data is lost.`,
  )
}

/**
 * Returns a check that refuses writes once the database or its log is no longer the one at its path, or shorter than it was:
 * they would be acknowledged and lost. A log that was truncated and then written to also has a hole, which SQLite would apply
 * to the database. `fileId` is from before the database was opened.
 */
export function guardFiles(file: string, fileId: string): () => void {
  const replaced = 'was deleted or replaced while it was open.'
  // While a file is open, no other file gets its inode. A database without a log has neither of the two.
  const log = [`${file}-wal`, `${file}-shm`].map((path) => ({
    path,
    last: statOf(path),
    error: `${path} ${replaced} End backups and exports of the store, then stop the service with SIGTERM, which saves what was acknowledged, and start it again.`,
  }))
  const error = `The data file ${replaced} ${LOST_ADVICE}`
  const watched = [{ path: file, last: { fileId, size: statOf(file)?.size ?? 0 }, error }, ...log]
  return () => {
    for (const one of watched) {
      if (!one.last) continue
      const now = statOf(one.path)
      if (now?.fileId !== one.last.fileId) throw new StorageError('unavailable', one.error)
      if (now.size < Math.min(one.last.size, LOG_SIZE_LIMIT)) {
        throw new StorageError(
          'unavailable',
          `${one.path} was truncated while it was open, and acknowledged writes may be lost. Restart the service: it reports what is missing.`,
        )
      }
      one.last = now
    }
  }
}

/** The lock and the mark belong to a folder, and SQLite puts the log beside the target of a link. */
function refuseLink(file: string): void {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return
  const folder = dirname(resolve(dirname(file), readlinkSync(file)))
  throw new StorageError(
    'in_use',
    `${file} is a symbolic link: a second server could open the same file through its own folder and damage it. Use the folder ${folder} instead, or replace the link with the file.`,
  )
}

/** SQLite would wait for the other end of a pipe. */
function refuseSpecial(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== false) return
  throw new StorageError('not_a_store', `${file} is not a file. Move it away, or choose another folder.`)
}

/**
 * Checks the header of a file (https://sqlite.org/fileformat2.html, section 1.3) before SQLite opens it, which may already
 * change it. Only while holding the lock of the folder: closing a file that this process has open elsewhere would drop its
 * locks.
 */
function checkStoreHeader(file: string): boolean {
  const header = Buffer.alloc(100)
  refuseLink(file)
  for (const beside of [`${file}-wal`, `${file}-shm`, `${file}-journal`]) refuseSpecial(beside)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return false
  if (!stat.isDirectory()) refuseSpecial(file)
  // Through a link in another folder, a second server would open the same file with a log of its own.
  if (stat.isFile() && stat.nlink > 1) {
    throw new StorageError(
      'in_use',
      `${file} has another hard link: a second server could open the file through it and damage it. Remove that link, or replace the file with a copy.`,
    )
  }
  // A new store gets its name when it is complete: no crash of this service leaves an empty one.
  if (stat.size === 0) {
    throw new StorageError(
      'damaged',
      `${file} is empty: its data is lost; nothing was changed. Restore a backup. To start with an empty store, move it and ${MARK_FILE} away.`,
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
