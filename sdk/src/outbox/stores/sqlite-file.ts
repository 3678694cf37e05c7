import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteCode } from './sqlite-errors.ts'
import { migrate } from './sqlite-schema.ts'

const BUSY_TIMEOUT_MS = 5000
const SQLITE_BUSY = 5

/** An open database. */
export interface OpenDatabase {
  readonly db: DatabaseSync
  /** Whether the file that is open still stands at its path. */
  isInPlace(): boolean
}

/** Opens the database of an outbox; makes it, and its folder, for their owner only when there is none. */
export function openDatabase(path: string): OpenDatabase {
  const file = resolve(path)
  prepareFolder(dirname(file))
  createPrivateFile(file)
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  try {
    migrate(db)
    useWriteAheadLog(db)
    // An add that returned survives a power loss.
    db.exec('PRAGMA synchronous = FULL')
    const opened = statSync(file, { bigint: true })
    const isInPlace = () => {
      const now = statSync(file, { bigint: true, throwIfNoEntry: false })
      return now?.ino === opened.ino && now.dev === opened.dev
    }
    return { db, isInPlace }
  } catch (error) {
    db.close()
    throw error
  }
}

/** The change needs the file for itself for a moment, and SQLite does not wait for that in every case. */
function useWriteAheadLog(db: DatabaseSync): void {
  const until = Date.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (sqliteCode(error) !== SQLITE_BUSY || Date.now() > until) throw error
    }
  }
}

function prepareFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(folder, 0o700)
  syncFolder(dirname(folder))
}

/** Not Node's recursive way: that never ends where a folder cannot be made in one that exists, such as /proc. */
function makeFolder(folder: string, mode?: number): void {
  const above = dirname(folder)
  if (!existsSync(above) && above !== folder) makeFolder(above)
  try {
    mkdirSync(folder, mode === undefined ? {} : { mode })
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}

/** One that exists, also since a moment ago, is not even opened: to close it would drop SQLite's locks on it. */
function createPrivateFile(file: string): void {
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, 'wx', 0o600))
    syncFolder(dirname(file))
  } catch (error) {
    if (!existsSync(file)) throw error
  }
}

/** Makes the names in a folder survive a power loss. */
function syncFolder(folder: string): void {
  // Windows cannot open a folder as a file; it writes names through by itself.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
