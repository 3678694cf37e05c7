import { createHash, randomBytes } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { createFolder, createPrivateFile, syncFolder } from '../internal/files.node.ts'
import {
  type FileLock,
  type FileProblem,
  fileProblem,
  lockFile,
  SQLITE_BUSY,
  sqliteCode,
} from '../internal/sqlite.node.ts'
import { userFolders } from '../internal/user-folders.node.ts'
import { OutboxStoreError, type OutboxStoreErrorCode } from './errors.ts'

const IN_MEMORY = ':memory:'
const BUSY_TIMEOUT_MS = 5000

export interface OutboxFile {
  readonly db: DatabaseSync
  /** The path of the file, for messages. */
  readonly name: string
  /** Locks the outbox for one batch. Returns `undefined` while another process is sending a batch. */
  lock(): FileLock | undefined
  readonly reserve: Reserve
}

/**
 * Opens the database of an outbox. Creates the file and its folder if they are missing, so that only the owner can
 * access them.
 */
export function openFile(path: string): OutboxFile {
  if (path === IN_MEMORY) {
    const db = new DatabaseSync(IN_MEMORY)
    createSchema(db, path)
    return { db, name: path, lock: () => ({ close() {} }), reserve: { refill() {}, release: () => false } }
  }
  const name = resolve(path)
  const lockName = `${name}.lock`
  const { folder, isNew } = createFolder(dirname(name))
  if (isNew) syncFolder(dirname(folder))
  if (createPrivateFile(name)) syncFolder(folder)
  createPrivateFile(lockName)
  const reserve = openReserve(`${name}.reserve`)
  const db = openDatabase(name, reserve)
  reserve.refill()
  return { db, name, lock: () => guarded(lockName, () => lockFile(lockName, 0)), reserve }
}

function openDatabase(name: string, reserve: Reserve): DatabaseSync {
  const db = new DatabaseSync(name, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  try {
    createSchema(db, name)
    useWriteAheadLog(db)
    // With `FULL`, added catches survive a power loss.
    db.exec('PRAGMA synchronous = FULL')
    db.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`)
    return db
  } catch (error) {
    db.close()
    // SQLite needs space for the index of the write-ahead log.
    if (fileProblem(error) === 'full' && reserve.release()) return openDatabase(name, reserve)
    throw error
  }
}

/** The write-ahead log is so short (512 KiB) that the reserve has space for its pages in the database. */
const LOG_PAGES = 128

/** Space for the largest token, which the database and its write-ahead log both contain, and for the changed pages. */
const RESERVE_BYTES = 1024 * 1024

/** Space on the disk that only deliveries use, so that queued catches can be sent while the disk is full. */
interface Reserve {
  /** Writes the reserve if it is missing and the disk has space. */
  refill(): void
  /** Returns whether there was a reserve. */
  release(): boolean
}

function openReserve(path: string): Reserve {
  const release = () => {
    if (!existsSync(path)) return false
    rmSync(path, { force: true })
    return true
  }
  return {
    release,
    refill() {
      try {
        // Random bytes take space on a file system that compresses.
        if (createPrivateFile(path)) writeFileSync(path, randomBytes(RESERVE_BYTES))
      } catch {
        release()
      }
    },
  }
}

/** Opens an outbox file without changing it. */
export function openReadOnly(path: string): DatabaseSync {
  const file = pathToFileURL(path)
  // Without `immutable`, SQLite would create a missing write-ahead log.
  if (!existsSync(`${path}-wal`)) file.search = 'immutable=1'
  return new DatabaseSync(file, { readOnly: true, timeout: 1000 })
}

/** Returns the default path: each service has its own file in the user's state folder. */
export function defaultPath(service: string): string {
  const { state } = userFolders({ platform: process.platform, env: process.env, home: homedir() })
  const host = new URL(service).host.replace(/[^a-z\d.-]+/g, '-').slice(0, 64)
  const hash = createHash('sha256').update(service).digest('hex').slice(0, 8)
  return join(state, `outbox-${host}-${hash}.db`)
}

/**
 * Retries while the file is busy, because the journal mode needs an exclusive lock and SQLite does not always wait for
 * this lock.
 */
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

/** `PRAGMA application_id` of outbox files: "FCOX" in ASCII. */
const APPLICATION_ID = 0x46434f58
const VERSION = 1

/** A catch without a batch is queued. A batch with a token is frozen; a batch with a code is a dead letter. */
const SCHEMA = `
  CREATE TABLE service (address TEXT NOT NULL) STRICT;
  CREATE TABLE collections (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, user TEXT NOT NULL, gamemode TEXT NOT NULL
  ) STRICT;
  CREATE TABLE batches (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL REFERENCES collections (id),
    token TEXT, code TEXT, message TEXT, rejected_at INTEGER,
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
  CREATE TABLE checkpoints (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${VERSION};`

/** Creates a missing schema in a transaction, so that concurrent processes wait for each other. */
function createSchema(db: DatabaseSync, name: string): void {
  if (hasSchema(db, name)) return
  inTransaction(db, () => {
    // The schema is checked again, because another process may have created it.
    if (!hasSchema(db, name)) db.exec(SCHEMA)
  })
}

/** @throws OutboxStoreError for the database of another program or version */
function hasSchema(db: DatabaseSync, name: string): boolean {
  const id = db.prepare('PRAGMA application_id').get()?.application_id
  const version = db.prepare('PRAGMA user_version').get()?.user_version
  if (id === APPLICATION_ID) {
    if (version === VERSION) return true
    throw new OutboxStoreError('outbox_other_version', `Another version of @fish-crab/sdk wrote the outbox ${name}.`, {
      hint: 'Send the catches in the file with that version, or move the file away.',
    })
  }
  if (id === 0 && db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined) return false
  throw new OutboxStoreError('outbox_damaged', `The file ${name} is a database, but not an outbox.`, {
    hint: 'Choose another path.',
  })
}

export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite rolls back some failed transactions automatically.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
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

/** @throws OutboxStoreError for any error of the work */
export function guarded<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof OutboxStoreError) throw error
    const known = fileProblem(error)
    const [code, problem, hint] = known ? ADVICE[known] : unknownProblem(error)
    throw new OutboxStoreError(code, `The outbox ${name} ${problem}`, { hint, cause: error })
  }
}
