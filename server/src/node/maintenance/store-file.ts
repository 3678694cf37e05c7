import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, closeSync, constants, fsyncSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { SECRET_CHECK_KEY, STORE_KEY } from '../../app/store/item-keys.ts'
import { refuseImportLock } from '../../app/store/store-id.ts'
import { prepareItemReads } from '../../storage/file/reader.ts'
import { APPLICATION_ID, checkSchemaVersion } from '../../storage/file/schema.ts'
import { DatabaseSync } from '../../storage/file/sqlite.ts'
import { STORE_FILE } from '../../storage/file/store-file.ts'
import type { ItemPage, ItemRange } from '../../storage/types.ts'
import { MaintenanceError } from './errors.ts'
import type { WorkOptions } from './options.ts'

/** What a store contains. */
export interface StoreFacts {
  /** Version of its schema. */
  readonly schema: number
  readonly users: number
  /** Writes that were acknowledged and not removed. */
  readonly records: number
  /** Fish and crabs in them. */
  readonly entries: number
  readonly bytes: number
}

export interface StoreContent {
  readonly facts: StoreFacts
  /** Value of {@link SECRET_CHECK_KEY}; `null` when the store was never served. */
  readonly secretCheck: string | null
}

/** The store file of a data folder. */
export function storeFileOf(folder: string): string {
  const file = join(folder, STORE_FILE)
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file
  throw new MaintenanceError('no_store', `There is no store in ${folder}.`, {
    hint: 'Name the folder that contains fish.db.',
  })
}

/**
 * Opens a store for reading, also one that a server has open. Only SQLite opens the file: closing it by other means would
 * drop the locks of a server in this process.
 * @throws MaintenanceError `not_a_store`; StorageError `newer_schema`
 */
export function openStoreFile(file: string): DatabaseSync {
  accessSync(file, constants.R_OK)
  // A connection that may write removes the two files that SQLite puts beside a store; but where it finds a log, it takes
  // that into the store at its end, and reading must not change a store.
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  const address = pathToFileURL(file)
  address.searchParams.set('mode', hasLog ? 'ro' : 'rw')
  const db = new DatabaseSync(address, { readOnly: hasLog })
  try {
    db.exec('PRAGMA busy_timeout = 5000')
    if (pragma(db, 'application_id') !== APPLICATION_ID) {
      throw new MaintenanceError('not_a_store', `${file} is not a store of this service.`)
    }
    checkSchemaVersion(schemaOf(db))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens a store to read its items. One with an older schema stays as it is. */
export function openStoreItems(file: string) {
  const db = openStoreFile(file)
  const { item, page } = prepareItemReads(db)
  return {
    items: { getItem: async (key: string): Promise<string | null> => item(key) },
    listItems: async (range: ItemRange): Promise<ItemPage> => page(range),
    dispose: async () => db.close(),
  }
}

/** Opens a store, checks it, and returns what it contains. */
export async function readContent(file: string, work: WorkOptions): Promise<StoreContent> {
  const db = openStoreFile(file)
  try {
    await checkStoreFile(db, file, work)
    return contentOf(db)
  } finally {
    db.close()
  }
}

/**
 * Reads the whole file to find damage.
 * @throws MaintenanceError `damaged`; StorageError `unfinished` when it contains part of an import
 */
export async function checkStoreFile(db: DatabaseSync, file: string, { onProgress, signal }: WorkOptions) {
  const { size } = spaceOf(db)
  onProgress?.({ step: 'check', unit: 'bytes', done: 0, total: size })
  if ((await runStatement({ db, file, size, sql: 'PRAGMA integrity_check(1)', signal })) !== 'ok') {
    throw new MaintenanceError('damaged', `${file} is damaged.`, { hint: 'Use another backup.' })
  }
  refuseImportLock(itemOf(db, STORE_KEY))
  onProgress?.({ step: 'check', unit: 'bytes', done: size, total: size })
}

/** What an open store contains at one moment. Counting walks over an index, not the content. */
function contentOf(db: DatabaseSync): StoreContent {
  const count = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])
  db.exec('BEGIN')
  try {
    const facts = {
      schema: schemaOf(db),
      users: count("SELECT count(*) FROM items WHERE key >= 'user:' AND key < 'user;'"),
      records: count('SELECT count(*) FROM records'),
      entries: count('SELECT coalesce(sum(count), 0) FROM records'),
      bytes: spaceOf(db).size,
    }
    return { facts, secretCheck: itemOf(db, SECRET_CHECK_KEY) }
  } finally {
    db.exec('ROLLBACK')
  }
}

export function schemaOf(db: DatabaseSync): number {
  return Number(pragma(db, 'user_version'))
}

/** Size of a store and the used part of it, in bytes. */
export function spaceOf(db: DatabaseSync): { readonly size: number; readonly used: number } {
  const pageSize = Number(pragma(db, 'page_size'))
  const size = Number(pragma(db, 'page_count')) * pageSize
  return { size, used: size - Number(pragma(db, 'freelist_count')) * pageSize }
}

function itemOf(db: DatabaseSync, key: string): string | null {
  return prepareItemReads(db).item(key)
}

function pragma(db: DatabaseSync, name: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]
}

/** Waits until a file is on the disk. */
export function syncFile(file: string): void {
  const handle = openSync(file, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** A statement that reads a whole store. */
interface Statement {
  readonly db: DatabaseSync
  /** The file of the store. */
  readonly file: string
  /** Its size in bytes. */
  readonly size: number
  readonly sql: string
  readonly parameters?: readonly string[]
  /** The file that it writes, if any: empty or absent before. */
  readonly output?: string
  /** Called many times a second while it runs. */
  readonly onTick?: () => void
  readonly signal?: AbortSignal | undefined
}

/** Smaller stores, in bytes, take less time than starting a process. */
const SMALL = 16 * 1024 * 1024
const TICK_MS = 50
/** How much later than its child this process may receive a signal of the terminal. */
const SIGNAL_MS = 200

// Only built-in modules and no file, so that it also runs out of a bundle.
const PROGRAM = `
const { DatabaseSync } = require('node:sqlite')
const [file, sql, ...parameters] = process.argv.slice(1)
let outcome
try {
  const db = new DatabaseSync(file, { readOnly: true })
  db.exec('PRAGMA busy_timeout = 5000')
  outcome = { value: Object.values(db.prepare(sql).get(...parameters) ?? {})[0] ?? null }
} catch ({ message, code, errcode }) {
  outcome = { error: { message, code, errcode } }
}
process.stdout.write(JSON.stringify(outcome))
`

/**
 * Runs a statement and returns the first value of its first row. For a large store it runs in a child process: SQLite
 * does it in one go, which nothing could interrupt in this process, not even a signal. Without a child process that
 * works, the statement runs here.
 * @throws the reason of the signal; MaintenanceError `unavailable` when the child was killed; errors of SQLite
 */
export async function runStatement(statement: Statement): Promise<unknown> {
  const { db, file, size, sql, parameters = [], output, signal } = statement
  const runHere = () => Object.values(db.prepare(sql).get(...parameters) ?? {})[0] ?? null
  signal?.throwIfAborted()
  const child = size < SMALL ? undefined : await startChild([file, sql, ...parameters])
  if (!child) return runHere()
  const outcome = outcomeIn(await outputOf(child, statement))
  signal?.throwIfAborted()
  if (outcome?.error) throw Object.assign(new Error(outcome.error.message), outcome.error)
  if (outcome) return outcome.value
  // Ctrl-C goes to all processes of a terminal, and this one may be the last to receive it.
  await setTimeout(SIGNAL_MS, undefined, signal ? { signal } : {}).catch(() => {})
  signal?.throwIfAborted()
  // A child that exited is not a working Node: it lacks a library, or is another program.
  const isUntouched = output === undefined || (statSync(output, { throwIfNoEntry: false })?.size ?? 0) === 0
  if (child.signalCode === null && isUntouched) return runHere()
  throw new MaintenanceError('unavailable', 'The process that read the store was killed.', { hint: 'Run it again.' })
}

type Child = ChildProcessByStdio<null, Readable, null>

async function startChild(parameters: readonly string[]): Promise<Child | undefined> {
  try {
    const child = spawn(process.execPath, ['-e', PROGRAM, '--', ...parameters], {
      // Without secrets. Windows starts nothing without this one.
      env: process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot },
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    })
    await once(child, 'spawn')
    return child
  } catch {
    return undefined
  }
}

async function outputOf(child: Child, { onTick, signal }: Statement): Promise<string> {
  const kill = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', kill)
  const timer = onTick && setInterval(onTick, TICK_MS)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  try {
    if (signal?.aborted) kill()
    await once(child, 'close')
  } finally {
    clearInterval(timer)
    signal?.removeEventListener('abort', kill)
  }
  return text
}

interface Outcome {
  readonly value?: unknown
  readonly error?: { readonly message: string }
}

/** The output of {@link PROGRAM}; `undefined` for any other. */
function outcomeIn(text: string): Outcome | undefined {
  try {
    const outcome: unknown = JSON.parse(text)
    const isOutcome = typeof outcome === 'object' && outcome !== null && ('value' in outcome || 'error' in outcome)
    return isOutcome ? (outcome as Outcome) : undefined
  } catch {
    return undefined
  }
}
