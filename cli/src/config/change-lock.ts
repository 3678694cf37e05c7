import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import type { Io } from '../core/io.ts'
import { checkLockable, lockFile } from './file-lock.ts'
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
  const path = lockPath(io)
  const lock = lockFile(path, patienceMs)
  if (!lock) throw busy(path, patienceMs)
  try {
    return change()
  } finally {
    lock.close()
  }
}

/**
 * Does what only reads as {@link whileLocked} would do a change, without the lock: whoever only tries holds nobody up.
 *
 * @throws CliError `file_not_locked` when the lock cannot be had at all
 */
export function asIfLocked<Result>(io: Pick<Io, 'env'>, plan: () => Result): Result {
  checkLockable(lockPath(io))
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
