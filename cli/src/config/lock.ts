import { existsSync } from 'node:fs'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { checkReplaceable, fileError, makeFolderOf } from './files.ts'
import { lockPath } from './paths.ts'

/**
 * Runs a change of this program's files under a lock. The operating system releases the lock when the process ends, so a
 * killed one leaves nothing to clean up. `change` must be synchronous: waiting for the lock blocks the thread.
 *
 * Our own, on SQLite's locks: proper-lockfile 4 guesses by the age of a folder whether the owner is alive, and loads in
 * 30 ms.
 *
 * @param timeoutMs How long to wait for the lock. @default 5000
 * @throws CliError `config_busy` after that time; `file_not_locked` when the file cannot be locked
 */
export async function withLock<Result>(
  context: Pick<Context, 'env'>,
  change: () => Result,
  timeoutMs = 5000,
): Promise<Result> {
  const path = lockPath(context)
  const lock = lockFile(path, timeoutMs)
  if (!lock) throw busy(path, timeoutMs)
  try {
    return change()
  } finally {
    lock.close()
  }
}

/** Checks whether the lock can be taken, without creating its file. One held by another process is not an error. */
export function checkLock(context: Pick<Context, 'env'>): void {
  const path = lockPath(context)
  // An existing file is tried: only SQLite knows what it accepts.
  if (existsSync(path)) lockFile(path, 0)?.close()
  else checkReplaceable(path, 'locked')
}

function busy(path: string, timeoutMs: number): CliError {
  return new CliError({
    code: 'config_busy',
    message: `Another process has locked ${path} for ${timeoutMs} ms; nothing was changed.`,
    hint: 'Try again when it has finished.',
    exit: EXIT.failure,
  })
}

/** A lock on a file. It ends with its process. */
interface FileLock {
  /** Releases the lock. Idempotent. */
  close(): void
}

/**
 * Locks a file, and creates it if needed.
 *
 * @param timeoutMs How long to block for the lock
 * @returns `undefined` when another process holds the lock
 * @throws CliError `file_not_locked`
 */
export function lockFile(path: string, timeoutMs: number): FileLock | undefined {
  // Loaded on use, and synchronously.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  let lock: InstanceType<typeof DatabaseSync> | undefined
  const close = () => {
    if (lock?.isOpen) lock.close()
  }
  try {
    makeFolderOf(path)
    lock = new DatabaseSync(path)
    // Nothing is written, so no journal file is needed.
    lock.exec(`PRAGMA busy_timeout = ${timeoutMs}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`)
    return { close }
  } catch (error) {
    close()
    if ((error as LockError).errcode === BUSY) return undefined
    throw fileError(named(error as LockError), path, 'locked')
  }
}

// SQLite's primary result code SQLITE_BUSY (https://sqlite.org/rescode.html).
const BUSY = 5

/** Errors of SQLite have a code and a text of their own, such as for a full disk. */
type LockError = NodeJS.ErrnoException & { readonly errcode?: number; readonly errstr?: string }

function named({ code, name, message, errstr = code }: LockError): NodeJS.ErrnoException {
  return { name, message, ...(errstr === undefined ? {} : { code: errstr }) }
}
