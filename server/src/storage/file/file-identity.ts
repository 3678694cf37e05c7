import { closeSync, lstatSync, openSync, readlinkSync, readSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StorageError } from '../errors.ts'
import { MARK_FILE } from './file-high-water.ts'
import { APPLICATION_ID, checkSchemaVersion } from './file-schema.ts'

const MAGIC = 'SQLite format 3\0'

/** To how many bytes SQLite cuts a write-ahead log that it begins anew; else it cuts no file of an open database. */
export const LOG_SIZE_LIMIT = 64 * 1024 * 1024

interface FoundFile {
  /** Device and inode. */
  readonly identity: string
  readonly size: number
}

function find(file: string): FoundFile | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && { identity: `${found.dev}:${found.ino}`, size: Number(found.size) }
}

/** Device and inode of a file, `undefined` when there is none. */
export function identityOf(file: string): string | undefined {
  return find(file)?.identity
}

/**
 * Remembers which log a database that is open has, and answers what refuses writes once the database or its log is no
 * longer the one at its path, or shorter than it was: they would be acknowledged and lost. A log that was cut and then
 * written on has a hole besides, which SQLite would lay over the database.
 *
 * @param identity of the database, from before it was opened
 * @returns throws StorageError `unavailable`
 */
export function guardFiles(file: string, identity: string): () => void {
  const replaced = 'was deleted or replaced while it was open.'
  // As long as a file is open no other one gets its inode. A database without a log has neither of the two.
  const log = [`${file}-wal`, `${file}-shm`].map((path) => ({
    path,
    found: find(path),
    gone: `${path} ${replaced} Stop the service with SIGTERM, which saves what was acknowledged, and start it again.`,
  }))
  const gone = `The data file ${replaced} Put it back, or restart the service.`
  const watched = [{ path: file, found: { identity, size: find(file)?.size ?? 0 }, gone }, ...log]
  return () => {
    for (const one of watched) {
      if (!one.found) continue
      const now = find(one.path)
      if (now?.identity !== one.found.identity) throw new StorageError('unavailable', one.gone)
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
export function findStore(file: string): boolean {
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
