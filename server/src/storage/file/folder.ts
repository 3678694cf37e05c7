import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createFolder, createPrivateFile } from '../../../../sdk/src/internal/files.node.ts'
import { type FileLock, lockFile } from '../../../../sdk/src/internal/sqlite.node.ts'
import { StorageError } from '../core/errors.ts'
import { toStorageError } from './sqlite.ts'

/** Flushes a folder to the disk like `syncFolder`, but does not block the thread if the disk is slow. */
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

export const LOCK_FILE = 'fish.lock'

/**
 * Locks the folder for this process until the lock is closed or the process ends in any way. The lock is a SQLite lock
 * on a separate file. When the process ends, the system releases the lock. The lock file stays.
 *
 * @throws {StorageError} `in_use`; `read_only` if the lock file is not writable
 */
export function lockFolder(folder: string): FileLock {
  const file = join(folder, LOCK_FILE)
  try {
    createPrivateFile(file)
    const lock = lockFile(file, 0)
    if (lock) return lock
  } catch (error) {
    throw toStorageError(error, folder)
  }
  throw inUse(folder)
}

function inUse(folder: string): StorageError {
  return new StorageError('in_use', `The data folder ${folder} is in use by another process, a server or fish-cli.`, {
    hint: 'Stop that one first, or choose another folder.',
  })
}
