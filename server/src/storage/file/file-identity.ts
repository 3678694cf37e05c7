import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { StorageError } from '../errors.ts'
import { MARK_FILE } from './file-high-water.ts'
import { APPLICATION_ID, checkSchemaVersion } from './file-schema.ts'

const MAGIC = 'SQLite format 3\0'

/** Device and inode of a file, `undefined` when there is none. */
export function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

/**
 * Remembers which log a database that is open has, and answers what refuses writes once the database or its log is no
 * longer the one at its path: they would be acknowledged and lost with the process.
 *
 * @param identity of the database, from before it was opened
 * @returns throws StorageError `unavailable`
 */
export function guardFiles(file: string, identity: string): () => void {
  // As long as a file is open no other one gets its inode. A database without a log has neither of the two.
  const log = ['-wal', '-shm'].map((end) => ({ path: file + end, identity: identityOf(file + end) }))
  return () => {
    if (identityOf(file) !== identity) {
      throw new StorageError(
        'unavailable',
        'The data file was deleted or replaced while it was open. Put it back, or restart the service.',
      )
    }
    for (const { path, identity } of log) {
      if (identity === undefined || identityOf(path) === identity) continue
      throw new StorageError(
        'unavailable',
        `${path} was deleted or replaced while it was open. Stop the service with SIGTERM, which saves what was acknowledged, and start it again.`,
      )
    }
  }
}

/**
 * Looks at the header of a file (https://sqlite.org/fileformat2.html, section 1.3) before SQLite opens it, because
 * opening may already change it. Call it only while holding the folder's lock: closing a file that this
 * process has open elsewhere would drop its locks.
 *
 * @returns whether there is a file
 * @throws {StorageError} `not_a_store`, `newer_schema`, `damaged`
 */
export function findStore(file: string): boolean {
  const header = Buffer.alloc(100)
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) return false
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
