import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OutboxStoreError, type OutboxStoreErrorCode } from './errors.ts'

const BUSY_TIMEOUT_MS = 5000
const SQLITE_BUSY = 5

/** An open database. */
export interface OpenDatabase {
  readonly db: DatabaseSync
  /** Whether the open file is still the one at its path. */
  isInPlace(): boolean
}

/** Opens the database of an outbox. Creates it and its folder, accessible to the owner only, if missing. */
export function openDatabase(path: string): OpenDatabase {
  const file = resolve(path)
  prepareFolder(dirname(file))
  createPrivateFile(file)
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  try {
    migrate(db)
    useWriteAheadLog(db)
    // Every add survives a power loss.
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

/** The change needs an exclusive lock, for which SQLite does not always wait. */
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

/** Not `recursive`: Node loops forever if a folder cannot be created in an existing one, such as /proc. */
function makeFolder(folder: string, mode?: number): void {
  const above = dirname(folder)
  if (!existsSync(above) && above !== folder) makeFolder(above)
  try {
    mkdirSync(folder, mode === undefined ? {} : { mode })
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}

/** An existing file is not even opened: closing it would drop SQLite's locks on it. */
function createPrivateFile(file: string): void {
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, 'wx', 0o600))
    syncFolder(dirname(file))
  } catch (error) {
    if (!existsSync(file)) throw error
  }
}

/** Makes the entries of a folder survive a power loss. */
function syncFolder(folder: string): void {
  // Windows cannot open a folder as a file; it writes entries through by itself.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** `PRAGMA application_id` of the files of outboxes: "FCOB" in ASCII. */
const APPLICATION_ID = 0x46434f42

/**
 * The migrations of the schema, oldest first; `PRAGMA user_version` is the number of applied ones. Released entries are
 * never edited.
 *
 * A catch without a batch is queued. A batch with a token is frozen; a batch with a code is a dead letter.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE collections (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, user TEXT NOT NULL, gamemode TEXT NOT NULL,
    owner TEXT, leased_at INTEGER, leased_until INTEGER
  ) STRICT;
  CREATE TABLE batches (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL REFERENCES collections (id),
    token TEXT, code TEXT, message TEXT, set_aside_at INTEGER,
    CHECK ((token IS NULL) <> (code IS NULL))
  ) STRICT;
  CREATE TABLE catches (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL REFERENCES collections (id),
    entry TEXT NOT NULL, added_at INTEGER NOT NULL, key TEXT,
    batch INTEGER REFERENCES batches (id), batch_limit INTEGER
  ) STRICT;
  CREATE INDEX catches_by_collection ON catches (collection, batch, seq);
  CREATE INDEX catches_by_batch ON catches (batch, seq) WHERE batch IS NOT NULL;
  CREATE INDEX catches_by_key ON catches (key) WHERE key IS NOT NULL;
  CREATE TABLE keys (n INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, added_at INTEGER NOT NULL) STRICT;
  CREATE INDEX keys_by_age ON keys (added_at);
  CREATE TABLE bookmarks (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  `,
  'CREATE TABLE service (address TEXT NOT NULL) STRICT;',
]

const KNOWN_VERSION = MIGRATIONS.length

/** Migrates an open file in one transaction; concurrent processes wait for each other. */
function migrate(db: DatabaseSync): void {
  if (versionOf(db) === KNOWN_VERSION) return
  db.exec('BEGIN IMMEDIATE')
  try {
    // Read again: another process may have migrated it.
    MIGRATIONS.slice(versionOf(db)).forEach((statements) => {
      db.exec(statements)
    })
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${KNOWN_VERSION}; COMMIT`)
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** The schema version of a file; 0 for an empty one. @throws OutboxStoreError `outbox_newer`, `outbox_damaged` */
function versionOf(db: DatabaseSync): number {
  const id = Number(db.prepare('PRAGMA application_id').get()?.application_id)
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  const isEmpty = id === 0 && version === 0 && db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
  if (isEmpty) return 0
  if (id !== APPLICATION_ID) {
    throw new OutboxStoreError('outbox_damaged', 'The file is a database, but not an outbox.', {
      hint: 'Choose another path.',
    })
  }
  if (version > KNOWN_VERSION) {
    throw new OutboxStoreError(
      'outbox_newer',
      `A newer version of @fish-crab/sdk wrote this outbox (schema ${version}, this one knows ${KNOWN_VERSION}).`,
      { hint: 'Update the package. The outbox is unchanged.' },
    )
  }
  return version
}

interface PathContext {
  /** As `process.platform`. */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  readonly home: string
}

/** The default paths of the outbox of a service. */
interface DefaultPaths {
  readonly own: string
  /** The path of older versions, one for all services. */
  readonly former: string
}

/**
 * A file for each service in `$XDG_STATE_HOME/fish-crab`, by default below `~/.local/state` (XDG Base Directory
 * Specification 0.8); on macOS below `~/Library/Application Support`, on Windows below `%LOCALAPPDATA%`.
 */
export function defaultPaths(service: string, context: PathContext): DefaultPaths {
  const { XDG_STATE_HOME: given } = context.env
  // The specification: relative paths are ignored.
  const state = given && isAbsolute(given) ? given : stateHome(context)
  const host = new URL(service).host.replace(/[^a-z\d.-]+/g, '-').slice(0, 64)
  const hash = createHash('sha256').update(service).digest('hex').slice(0, 8)
  const inFolder = (name: string) => join(state, 'fish-crab', name)
  return { own: inFolder(`outbox-${host}-${hash}.db`), former: inFolder('outbox.db') }
}

function stateHome({ platform, env, home }: PathContext): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.LOCALAPPDATA || join(home, 'AppData', 'Local')
  return join(home, '.local', 'state')
}

type Advice = readonly [code: OutboxStoreErrorCode, summary: string, hint: string]

const BUSY: Advice = ['outbox_busy', 'Another process locks the file of the outbox.', 'Try again.']
const NOT_WRITABLE: Advice = [
  'outbox_not_writable',
  'The file of the outbox is not writable.',
  'Check the owner and mode of the file and its folder.',
]
const DAMAGED: Advice = [
  'outbox_damaged',
  'The file of the outbox is damaged or not an outbox.',
  'Move it away, or choose another path.',
]
const FULL: Advice = ['outbox_disk_full', 'The disk of the outbox is full. Nothing was changed.', 'Free some space.']
const OTHER: Advice = ['outbox_unavailable', 'The store of the outbox failed. Nothing was changed.', 'See cause.']

// Primary result codes of SQLite (https://sqlite.org/rescode.html) and error codes of the system.
const ADVICE = /* @__PURE__ */ new Map<unknown, Advice>([
  [5, BUSY],
  [8, NOT_WRITABLE],
  [11, DAMAGED],
  [13, FULL],
  [14, NOT_WRITABLE],
  [26, DAMAGED],
  ['EACCES', NOT_WRITABLE],
  ['EPERM', NOT_WRITABLE],
  ['EROFS', NOT_WRITABLE],
  ['ENOTDIR', NOT_WRITABLE],
  ['EISDIR', NOT_WRITABLE],
  ['EEXIST', NOT_WRITABLE],
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
])

/** The primary result code of an error of SQLite. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined
  return error.errcode & 0xff
}

export function toStoreError(error: unknown): OutboxStoreError {
  if (error instanceof OutboxStoreError) return error
  const systemCode = error instanceof Error && 'code' in error ? error.code : undefined
  const [code, summary, hint] = ADVICE.get(sqliteCode(error) ?? systemCode) ?? OTHER
  return new OutboxStoreError(code, summary, { hint, cause: error })
}

export function goneError(): OutboxStoreError {
  return new OutboxStoreError('outbox_gone', 'The file of the outbox was deleted or replaced while it was open.', {
    hint: 'Open the outbox again.',
  })
}
