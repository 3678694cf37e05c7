import { existsSync } from 'node:fs'
import { type FileLock, lockFile as lockWithSqlite } from '../../../sdk/src/internal/sqlite.node.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { checkReplaceable, fileError, makeFolderOf } from './files.ts'
import { lockPath } from './paths.ts'

/** The system releases the lock when the process ends. `change` is synchronous: waiting for it blocks the thread. */
export async function withLock<Result>(
  context: Pick<Context, 'env'>,
  change: () => Result,
  timeoutMs = 5000,
): Promise<Result> {
  const path = lockPath(context)
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

/** Does not create the file. A lock that another process holds is not an error. */
export function checkLock(context: Pick<Context, 'env'>): void {
  const path = lockPath(context)
  // An existing file is tried: only SQLite knows what it accepts.
  if (existsSync(path)) lockFile(path, 0)?.close()
  else checkReplaceable(path, 'locked')
}

/** `undefined` when another process holds the lock. */
function lockFile(path: string, timeoutMs: number): FileLock | undefined {
  try {
    makeFolderOf(path)
    return lockWithSqlite(path, timeoutMs)
  } catch (error) {
    // Errors of SQLite have a text of their own, such as for a full disk.
    const { code, name, errstr = code } = error as NodeJS.ErrnoException & { readonly errstr?: string }
    throw fileError({ name, ...(errstr !== undefined && { code: errstr }) }, path, 'locked')
  }
}
