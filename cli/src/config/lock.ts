import { existsSync } from 'node:fs'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { checkReplaceable, fileError, makeFolderOf } from './files.ts'
import { lockPath } from './paths.ts'

/**
 * Does a change of this program's files while no other process does one. It is a lock of the system's, which ends with
 * its process, so a killed one leaves nothing to clear away. `change` must not wait for anything: whoever is next in the
 * same process waits by standing still.
 *
 * @param patienceMs How long to wait for the lock, in milliseconds. @default 5000
 * @throws CliError `config_busy` when the lock is not to be had in that time; `file_not_locked` when it cannot be had
 */
export async function withLock<Result>(
  context: Pick<Context, 'env'>,
  change: () => Result,
  patienceMs = 5000,
): Promise<Result> {
  const path = lockPath(context)
  const lock = lockFile(path, patienceMs)
  if (!lock) throw busy(path, patienceMs)
  try {
    return change()
  } finally {
    lock.close()
  }
}

/**
 * Does what only reads as {@link withLock} would do a change, without the lock: whoever only tries holds nobody up.
 *
 * @throws CliError `file_not_locked` when the lock cannot be had at all
 */
export function withLockChecked<Result>(context: Pick<Context, 'env'>, plan: () => Result): Result {
  checkLockable(lockPath(context))
  return plan()
}

function busy(path: string, patienceMs: number): CliError {
  return new CliError({
    code: 'config_busy',
    message: `Another process has held ${path} for ${patienceMs} ms; nothing was changed.`,
    hint: 'Try again when it is done.',
    exit: EXIT.failure,
  })
}

/** A lock on a file. It ends with its process, however that ends. */
interface FileLock {
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
    throw fileError(named(error as LockError), path, 'locked')
  }
}

/**
 * Looks whether a file can be locked, and makes none. Another who has the lock is no reason why not.
 *
 * @throws What {@link lockFile} would.
 */
function checkLockable(path: string): void {
  // What is there is tried: only SQLite knows what it takes.
  if (existsSync(path)) {
    lockFile(path, 0)?.close()
    return
  }
  try {
    checkReplaceable(path)
  } catch (error) {
    throw fileError(error as NodeJS.ErrnoException, path, 'locked')
  }
}

// SQLite's primary result code SQLITE_BUSY (https://sqlite.org/rescode.html).
const BUSY = 5

/** What SQLite throws has its own code and words for it, such as of a full disk. */
type LockError = NodeJS.ErrnoException & { readonly errcode?: number; readonly errstr?: string }

function named({ code, name, message, errstr = code }: LockError): NodeJS.ErrnoException {
  return { name, message, ...(errstr === undefined ? {} : { code: errstr }) }
}
