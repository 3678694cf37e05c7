import { existsSync } from 'node:fs'
import { checkReplaceable, makeFolderOf } from './atomic-file.ts'
import { fileFailure } from './file-failure.ts'

/** A lock on a file. It ends with its process, however that ends. */
export interface FileLock {
  /** Gives it back. Once is enough, more often does no harm. */
  close(): void
}

/**
 * Locks a file, which is made where there is none, with a lock of the system's.
 *
 * @param patienceMs How long to wait for who has it, in milliseconds, standing still.
 * @returns The lock; nothing when another has it
 * @throws CliError `file_not_locked`
 */
export function lockFile(path: string, patienceMs: number): FileLock | undefined {
  // Loaded when it is used, and at once: what locks must not wait.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  let lock: InstanceType<typeof DatabaseSync> | undefined
  const close = () => {
    if (lock?.isOpen) lock.close()
  }
  try {
    makeFolderOf(path)
    lock = new DatabaseSync(path)
    // Nothing is ever written, so no journal has to be on the disk, nor is left there.
    lock.exec(`PRAGMA busy_timeout = ${patienceMs}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`)
    return { close }
  } catch (error) {
    close()
    if ((error as LockError).errcode === BUSY) return undefined
    throw fileFailure(named(error as LockError), path, 'locked')
  }
}

/**
 * Looks whether a file can be locked, and makes none. Another who has the lock is no reason why not.
 *
 * @throws What {@link lockFile} would.
 */
export function checkLockable(path: string): void {
  // What is there is tried: only SQLite knows what it takes.
  if (existsSync(path)) {
    lockFile(path, 0)?.close()
    return
  }
  try {
    checkReplaceable(path)
  } catch (error) {
    throw fileFailure(error as NodeJS.ErrnoException, path, 'locked')
  }
}

// SQLite's primary result code SQLITE_BUSY (https://sqlite.org/rescode.html).
const BUSY = 5

/** What SQLite throws has its own code and words for it, such as of a full disk. */
type LockError = NodeJS.ErrnoException & { readonly errcode?: number; readonly errstr?: string }

function named({ code, name, message, errstr = code }: LockError): NodeJS.ErrnoException {
  return { name, message, ...(errstr === undefined ? {} : { code: errstr }) }
}
