import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createFolder, createPrivateFile, syncFolder } from '../internal/files.node.ts'
import { type FileProblem, fileProblem, SQLITE_BUSY, sqliteCode } from '../internal/sqlite.node.ts'
import { type PlatformInfo, userFolders } from '../internal/user-folders.node.ts'
import { OutboxStoreError, type OutboxStoreErrorCode } from './errors.ts'

const BUSY_TIMEOUT_MS = 5000

export interface OpenDatabase {
  readonly db: DatabaseSync
  readonly file: string
  /** Whether the open file is still the one at its path. */
  isInPlace(): boolean
}

/** Opens the database of an outbox. Creates it and its folder, accessible to the owner only, if missing. */
export function openDatabase(path: string): OpenDatabase {
  const file = resolve(path)
  const { folder, isNew } = createFolder(dirname(file))
  if (isNew) syncFolder(dirname(folder))
  if (createPrivateFile(file)) syncFolder(folder)
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
    return { db, file, isInPlace }
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
  inTransaction(db, () => {
    // Read again: another process may have migrated it.
    for (const statements of MIGRATIONS.slice(versionOf(db))) db.exec(statements)
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${KNOWN_VERSION}`)
  })
}

export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite rolls some failed transactions back by itself.
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

/** A file for each service in the user's state folder, and that of older versions, one for all services. */
export function defaultPaths(service: string, platform: PlatformInfo) {
  const { state } = userFolders(platform)
  const host = new URL(service).host.replace(/[^a-z\d.-]+/g, '-').slice(0, 64)
  const hash = createHash('sha256').update(service).digest('hex').slice(0, 8)
  return { own: join(state, `outbox-${host}-${hash}.db`), former: join(state, 'outbox.db') }
}

type Advice = readonly [code: OutboxStoreErrorCode, problem: string, hint: string]

const NOT_WRITABLE: Advice = [
  'outbox_not_writable',
  'is not writable.',
  'Check the owner and mode of the file and its folder.',
]

const ADVICE: Readonly<Record<FileProblem, Advice>> = {
  busy: ['outbox_busy', 'is locked by another process.', 'Try again.'],
  'read-only': NOT_WRITABLE,
  'not-opened': NOT_WRITABLE,
  'file-in-the-way': NOT_WRITABLE,
  'folder-in-the-way': NOT_WRITABLE,
  damaged: ['outbox_damaged', 'is damaged or not an outbox.', 'Move it away, or choose another path.'],
  full: ['outbox_disk_full', 'is on a full disk.', 'Free some space.'],
}

function unknownProblem(error: unknown): Advice {
  const { errstr, code, message } = error as { errstr?: string; code?: string; message?: string }
  const reason = errstr ?? code ?? message ?? String(error)
  return ['outbox_unavailable', `failed (${reason}).`, 'Check the disk of the file.']
}

export function toStoreError(error: unknown, file: string): OutboxStoreError {
  if (error instanceof OutboxStoreError) return error
  const known = fileProblem(error)
  const [code, problem, hint] = known ? ADVICE[known] : unknownProblem(error)
  return new OutboxStoreError(code, `The outbox ${file} ${problem}`, { hint, cause: error })
}

export function goneError(): OutboxStoreError {
  return new OutboxStoreError('outbox_gone', 'The file of the outbox was deleted or replaced while it was open.', {
    hint: 'Open the outbox again.',
  })
}
