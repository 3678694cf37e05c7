import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
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

/** As {@link syncFolder}, for threads that have other work while a disk is slow. */
export async function syncFolderAsync(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

/** Creates an empty file and returns whether it did. An existing file is not even opened. */
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
export async function makeFolder(path: string): Promise<MadeFolder> {
  const folder = resolve(path)
  if (existsSync(folder)) return { folder, undo() {} }
  const missing = missingFolders(folder)
  const undo = () => removeEmpty(missing)
  try {
    for (const above of missing.slice(1).toReversed()) makeIfMissing(above)
    mkdirSync(folder, { mode: 0o700 })
    await syncFolderAsync(dirname(folder))
  } catch (error) {
    undo()
    throw error
  }
  return { folder, undo }
}

/** The folder and those above it that do not exist, the deepest first. */
function missingFolders(folder: string): readonly string[] {
  const missing: string[] = []
  for (let at = folder; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  return missing
}

/** `mkdir` with `recursive` never ends where an existing folder allows no new one, such as /proc. */
function makeIfMissing(folder: string): void {
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
      // In use by others, or never made.
    }
  }
}

export interface FolderLock {
  /** Unlocks the folder. */
  close(): void
  /** Unlocks it, and removes the lock file when this lock created it. */
  undo(): void
}

const LOCK_FILE = 'fish.lock'
const SQLITE_BUSY = 5
const MAX_TRIES = 100

/**
 * Locks the folder for this process, until the lock is closed or the process ends in any way: it is a lock of SQLite on a file
 * of its own, which the system drops with the process.
 *
 * @throws {StorageError} `in_use`; `read_only` where the lock file may not be written
 */
export function lockFolder(folder: string): FolderLock {
  const file = join(folder, LOCK_FILE)
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // Never opens an existing file: closing it would drop the lock of another storage in this process.
    const isNew = createPrivateFile(file)
    const before = birthOf(file)
    const lock = new DatabaseSync(file)
    try {
      // An exclusive transaction on a read-only file locks nothing, and only a write fails.
      lock.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1')
    } catch (error) {
      lock.close()
      throw sqliteCode(error) === SQLITE_BUSY ? inUse(folder, error) : toStorageError(error, folder)
    }
    // A file that was removed between opening and locking locks nothing: another process may have made the next one.
    if (before !== undefined && birthOf(file) === before) return folderLock(lock, isNew ? file : undefined)
    lock.close()
  }
  throw inUse(folder)
}

function folderLock(lock: DatabaseSync, made: string | undefined): FolderLock {
  return {
    close: () => lock.close(),
    undo() {
      // While locked: a process that has it open finds, once it has the lock, that the file is gone.
      // Windows removes no open file.
      if (made !== undefined && process.platform !== 'win32') rmSync(made, { force: true })
      lock.close()
    },
  }
}

/** Differs for every file at this path: an inode may be used again, but not at the same moment. */
function birthOf(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}:${stat.birthtimeNs}`
}

function inUse(folder: string, cause?: unknown): StorageError {
  return new StorageError(
    'in_use',
    `The data folder ${folder} is in use by another process, a server or fish-cli. Stop that one first, or choose another folder.`,
    { cause },
  )
}
