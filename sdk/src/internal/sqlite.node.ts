// Primary result codes of SQLite (https://sqlite.org/rescode.html).
export const SQLITE_BUSY = 5
export const SQLITE_CORRUPT = 11
export const SQLITE_NOT_A_DATABASE = 26

/** The primary result code of an SQLite error; `undefined` for other errors. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined
  return error.errcode & 0xff
}

/** A problem with a file or its disk. */
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
  // SQLITE_IOERR_SHMSIZE: the disk has no space for the index of the write-ahead log.
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

/** The file problem that caused an error of SQLite or of the file system; `undefined` for other errors. */
export function fileProblem(error: unknown): FileProblem | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown }
  return PROBLEMS.get(errcode) ?? PROBLEMS.get(sqliteCode(error) ?? code)
}

/** A lock on a file, which ends when the process ends. */
export interface FileLock {
  /** Releases the lock. Idempotent. */
  close(): void
}

/**
 * Locks a file for this process with an SQLite lock, and creates the file if needed. The operating system releases the
 * lock when the process ends, even after a crash. The thread is blocked while the function waits.
 *
 * This replaces proper-lockfile 4, which guesses from the age of a folder whether the owner is alive, and takes 30 ms
 * to load.
 *
 * @returns `undefined` when another process still holds the lock after `timeoutMs`
 * @throws the error of SQLite when the file cannot be locked
 */
export function lockFile(file: string, timeoutMs: number): FileLock | undefined {
  // `node:sqlite` is loaded only on use, and `import()` would not be synchronous.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const lock = new DatabaseSync(file)
  const close = () => {
    if (lock.isOpen) lock.close()
  }
  try {
    // An exclusive transaction on a read-only file locks nothing, so the lock also writes `user_version`, which fails
    // on such a file. A journal in memory avoids a journal file.
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
