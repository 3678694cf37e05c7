import { rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createFolder, createPrivateFile } from '../../../../sdk/src/internal/files.node.ts'
import { type FileLock, lockFile } from '../../../../sdk/src/internal/sqlite.node.ts'
import { StorageError } from '../core/errors.ts'
import { toStorageError } from './sqlite.ts'

/** Like `syncFolder`, without blocking the thread on a slow disk. */
export async function syncFolderAsync(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

/** Creates a folder with mode 0700, and missing parents with the default mode. */
export async function makeFolder(path: string): Promise<ReturnType<typeof createFolder>> {
  const created = createFolder(path)
  try {
    if (created.isNew) await syncFolderAsync(dirname(created.folder))
  } catch (error) {
    created.undo()
    throw error
  }
  return created
}

export interface FolderLock extends FileLock {
  /** Unlocks it, and removes the lock file when this lock created it. */
  undo(): void
}

const LOCK_FILE = 'fish.lock'
const MAX_TRIES = 100

/**
 * Locks the folder for this process, until the lock is closed or the process ends in any way: it is a SQLite lock on a
 * separate file, which the system releases with the process.
 *
 * @throws {StorageError} `in_use`; `read_only` if the lock file is not writable
 */
export function lockFolder(folder: string): FolderLock {
  const file = join(folder, LOCK_FILE)
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // Never opens an existing file: closing it would drop the lock of another storage in this process.
    const isNew = createPrivateFile(file)
    const before = fileIdentity(file)
    const lock = tryLock(file, folder)
    if (!lock) break
    // A file that was removed between opening and locking locks nothing: another process may have created a new one.
    if (before !== undefined && fileIdentity(file) === before) return folderLock(lock, isNew ? file : undefined)
    lock.close()
  }
  throw inUse(folder)
}

function tryLock(file: string, folder: string): FileLock | undefined {
  try {
    return lockFile(file, 0)
  } catch (error) {
    throw toStorageError(error, folder)
  }
}

function folderLock(lock: FileLock, made: string | undefined): FolderLock {
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

/** Differs for every file at this path: an inode may be reused, but not with the same creation time. */
function fileIdentity(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}:${stat.birthtimeNs}`
}

function inUse(folder: string): StorageError {
  return new StorageError(
    'in_use',
    `The data folder ${folder} is in use by another process, a server or fish-cli. Stop that one first, or choose another folder.`,
  )
}
