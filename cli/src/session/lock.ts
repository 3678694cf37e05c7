import { type FileLock, lockFile as lockWithSqlite } from '../../../sdk/src/internal/sqlite.node.ts'
import { CliError, EXIT } from '../core/errors.ts'
import type { System } from '../core/system.ts'
import { fileError, makeFolderOf } from './files.ts'
import { lockPath } from './paths.ts'

/**
 * Runs `change` while no other process holds the lock. The system releases the lock when the process ends. `change`
 * must be synchronous: otherwise, a second call in this process would block the thread until the second call times out.
 */
export async function withLock<Result>(
  system: Pick<System, 'env'>,
  change: () => Result,
  timeoutMs = 5000,
): Promise<Result> {
  const path = lockPath(system)
  const lock = lockFile(path, timeoutMs)
  if (!lock) {
    throw new CliError({
      code: 'config_busy',
      message: `Another process has locked ${path} for ${timeoutMs} ms; nothing was changed.`,
      hint: 'Wait for the other process, then repeat the command.',
      exit: EXIT.failure,
    })
  }
  try {
    return change()
  } finally {
    lock.close()
  }
}

/** Returns `undefined` if another process holds the lock. */
function lockFile(path: string, timeoutMs: number): FileLock | undefined {
  try {
    makeFolderOf(path)
    return lockWithSqlite(path, timeoutMs)
  } catch (error) {
    // SQLite describes its errors in `errstr`, for example a full disk.
    const { code, name, errstr = code } = error as NodeJS.ErrnoException & { readonly errstr?: string }
    throw fileError({ name, ...(errstr !== undefined && { code: errstr }) }, path, 'locked')
  }
}
