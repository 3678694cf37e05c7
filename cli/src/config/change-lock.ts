import { CliError } from '../failures/cli-error.ts'
import { EXIT } from '../failures/exit.ts'
import type { Io } from '../io.ts'
import { makeFolderOf } from './atomic-file.ts'
import { fileFailure } from './file-failure.ts'
import { lockPath } from './paths.ts'

/**
 * Does a change of this program's files while no other process does one. It is a lock of the system's, which ends with
 * its process, so a killed one leaves nothing to clear away. `change` must not wait for anything: whoever is next in the
 * same process waits by standing still.
 *
 * @param patienceMs How long to wait for the lock, in milliseconds. @default 5000
 * @throws CliError `config_busy` when the lock is not to be had in that time; `file_not_locked` when it cannot be had
 */
export async function whileLocked<Result>(
  io: Pick<Io, 'env'>,
  change: () => Result,
  patienceMs = 5000,
): Promise<Result> {
  const { DatabaseSync } = await import('node:sqlite')
  const path = lockPath(io)
  const open = () => {
    makeFolderOf(path)
    const lock = new DatabaseSync(path)
    lock.exec(`PRAGMA busy_timeout = ${patienceMs}`)
    return lock
  }
  const lock = attempt(open, (error) => fileFailure(error, path, 'locked'))
  try {
    attempt(
      () => lock.exec('BEGIN EXCLUSIVE'),
      (error) => (error.errcode === BUSY ? busy(path, patienceMs) : fileFailure(named(error), path, 'locked')),
    )
    return change()
  } finally {
    lock.close()
  }
}

// SQLite's primary result code SQLITE_BUSY (https://sqlite.org/rescode.html).
const BUSY = 5

/** What SQLite throws has its own code and words for it, such as of a full disk. */
type LockError = NodeJS.ErrnoException & { readonly errcode?: number; readonly errstr?: string }

function attempt<Result>(work: () => Result, failure: (error: LockError) => Error): Result {
  try {
    return work()
  } catch (error) {
    throw failure(error as LockError)
  }
}

function named({ code, name, message, errstr = code }: LockError): NodeJS.ErrnoException {
  return { name, message, ...(errstr === undefined ? {} : { code: errstr }) }
}

function busy(path: string, patienceMs: number): CliError {
  return new CliError({
    code: 'config_busy',
    message: `Another process has held ${path} for ${patienceMs} ms; nothing was changed.`,
    hint: 'Try again when it is done.',
    exit: EXIT.failure,
  })
}
