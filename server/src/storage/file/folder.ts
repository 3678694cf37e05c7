import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StorageError } from '../errors.ts'
import { DatabaseSync, sqliteCode, toStorageError } from './sqlite.ts'

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

interface MadeFolder {
  readonly folder: string
  /** Removes the folders that were made, where they are empty. */
  undo(): void
}

/** Makes a folder with mode 0700, and missing folders above it with the default mode. */
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

/** A data folder that this process has for itself. */
export interface FolderLock {
  /** Lets others have the folder. */
  close(): void
  /** The same, and takes the lock file away when there was none before this lock. */
  undo(): void
}

const LOCK_FILE = 'fish.lock'
const SQLITE_BUSY = 5
const MOST_TRIES = 100

/**
 * Takes the folder for this process alone, until the answer is closed or the process is gone, however it ends:
 * the lock is one of SQLite's on a file of its own, and the system drops it with the process.
 *
 * @throws {StorageError} `in_use`; `read_only` where the lock file may not be written
 */
export function lockFolder(folder: string): FolderLock {
  const file = join(folder, LOCK_FILE)
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    // Not by opening an existing one: closing it again would drop the lock of another storage in this process.
    const isNew = createPrivateFile(file)
    const before = birthOf(file)
    const lock = new DatabaseSync(file)
    try {
      // Of a file that may not be written, SQLite makes an exclusive transaction that locks nothing: a write tells.
      lock.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1')
    } catch (error) {
      lock.close()
      throw sqliteCode(error) === SQLITE_BUSY ? inUse(folder, error) : toStorageError(error, folder)
    }
    // A file that was taken away between opening and locking locks nothing: somebody else may have made the next one.
    if (before !== undefined && birthOf(file) === before) return heldBy(lock, isNew ? file : undefined)
    lock.close()
  }
  throw inUse(folder)
}

function heldBy(lock: DatabaseSync, made: string | undefined): FolderLock {
  return {
    close: () => lock.close(),
    undo() {
      // While it is held: whoever opened it before finds, once it has the lock, that the file is no longer there.
      // Windows removes no file that is open.
      if (made !== undefined && process.platform !== 'win32') rmSync(made, { force: true })
      lock.close()
    },
  }
}

/** What no other file at this place has in common with it: an inode may be used again, a moment is not. */
function birthOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`
}

function inUse(folder: string, cause?: unknown): StorageError {
  return new StorageError(
    'in_use',
    `The data folder ${folder} is in use by another process, a server or fish-cli. Stop that one first, or choose another folder.`,
    { cause },
  )
}
