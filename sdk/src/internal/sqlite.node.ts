// Primary result codes of SQLite (https://sqlite.org/rescode.html).
export const SQLITE_BUSY = 5
export const SQLITE_CORRUPT = 11
export const SQLITE_NOT_A_DATABASE = 26

/** SQLite's primary result code of an error that came from it. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined
  return error.errcode & 0xff
}

/** What is wrong with a file or its disk. */
export type FileProblem =
  | 'busy'
  | 'read-only'
  | 'not-opened'
  | 'damaged'
  | 'full'
  | 'file-in-the-way'
  | 'folder-in-the-way'

const PROBLEMS: ReadonlyMap<unknown, FileProblem> = /* @__PURE__ */ new Map<unknown, FileProblem>([
  [SQLITE_BUSY, 'busy'],
  [8, 'read-only'],
  [SQLITE_CORRUPT, 'damaged'],
  [13, 'full'],
  [14, 'not-opened'],
  [SQLITE_NOT_A_DATABASE, 'damaged'],
  // SQLITE_IOERR_SHMSIZE: there is no room for the index of the log.
  [10 | (19 << 8), 'full'],
  ['EACCES', 'read-only'],
  ['EPERM', 'read-only'],
  ['EROFS', 'read-only'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EEXIST', 'file-in-the-way'],
  ['ENOTDIR', 'file-in-the-way'],
  ['EISDIR', 'folder-in-the-way'],
])

/** What an error of SQLite or of the file system means; `undefined` for any other. */
export function fileProblem(error: unknown): FileProblem | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown }
  return PROBLEMS.get(errcode) ?? PROBLEMS.get(sqliteCode(error) ?? code)
}

/** A lock on a file. It ends with its process. */
export interface FileLock {
  /** Releases the lock. Idempotent. */
  close(): void
}

/**
 * Locks a file for this process, and creates it if needed: with a lock of SQLite, which the system drops when the process
 * ends in any way. Blocks the thread while it waits.
 *
 * Our own: proper-lockfile 4 guesses by the age of a folder whether the owner is alive, and loads in 30 ms.
 *
 * @returns `undefined` when another process still holds the lock after `timeoutMs`
 * @throws the error of SQLite when the file cannot be locked
 */
export function lockFile(file: string, timeoutMs: number): FileLock | undefined {
  // Loaded on use, and synchronously.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const lock = new DatabaseSync(file)
  const close = () => {
    if (lock.isOpen) lock.close()
  }
  try {
    // An exclusive transaction on a read-only file locks nothing, and only a write fails. Its journal needs no file.
    lock.exec(
      `PRAGMA busy_timeout = ${timeoutMs}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1`,
    )
    return { close }
  } catch (error) {
    close()
    if (sqliteCode(error) === SQLITE_BUSY) return undefined
    throw error
  }
}
