import { execFile } from 'node:child_process'
import { accessSync, closeSync, constants, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { AppSecrets } from '../../app/options.ts'
import { SECRET_CHECK_KEY } from '../../app/store/item-keys.ts'
import { newStoreId, refuseUnfinished } from '../../app/store/store-id.ts'
import { createEncryption, DecryptionError } from '../../app/users/encryption.ts'
import { decryptSecretCheck } from '../../app/users/secret-check.ts'
import { STORE_KEY } from '../../storage/core/keys.ts'
import { prepareItemReads } from '../../storage/file/reader.ts'
import { checkSchema } from '../../storage/file/schema.ts'
import { backup, type DatabaseSync, openDatabase } from '../../storage/file/sqlite.ts'
import { hasLog, STORE_FILE } from '../../storage/file/store-file.ts'
import { readSecrets, readSecretsText, SECRETS_FILE } from '../secrets-file.ts'
import { MaintenanceError, type MaintenanceOptions } from './maintenance.ts'

/** Whether a store can be served with the secrets beside it. */
export type SecretsLocation =
  /** The secrets beside it decrypt its keys. */
  | 'included'
  /** Its keys are encrypted with a `FISH_SECRET` that is not beside it, and that it needs. */
  | 'needed'

/** What a store contains, and whether its secrets are beside it. */
export interface StoreReport {
  /** Version of its schema. */
  readonly schema: number
  readonly users: number
  /** Writes that were acknowledged and not removed. */
  readonly records: number
  /** Fish and crabs in them. */
  readonly entries: number
  readonly bytes: number
  readonly secrets: SecretsLocation
}

export function storeFileOf(folder: string): string {
  const file = join(folder, STORE_FILE)
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file
  throw new MaintenanceError('no_store', `There is no store in ${folder}.`, {
    hint: 'Name the folder that contains fish.db.',
  })
}

/**
 * Opens the store of a data folder for reading, as of one moment, also while a server uses it. Only SQLite opens the file:
 * closing it by other means would drop the locks of a server in this process.
 * @throws MaintenanceError `no_store`; StorageError `not_a_store`, `newer_schema`
 */
export function openStore(folder: string): DatabaseSync {
  const file = storeFileOf(folder)
  accessSync(file, constants.R_OK)
  // A connection that may write removes the two files that SQLite puts beside a store; but where it finds a log, it takes
  // that into the store at its end, and reading must not change a store.
  const readOnly = hasLog(file)
  const address = pathToFileURL(file)
  address.searchParams.set('mode', readOnly ? 'ro' : 'rw')
  const db = openDatabase(address, { readOnly })
  try {
    // One read transaction is a consistent snapshot, even while a server writes.
    db.exec('BEGIN')
    checkSchema(file, firstValue(db, 'PRAGMA application_id'), schemaOf(db))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Reads the whole store. @throws MaintenanceError `damaged`; StorageError `unfinished` for a part of a copy */
export async function inspectStore(
  db: DatabaseSync,
  folder: string,
  { onProgress, signal }: MaintenanceOptions,
): Promise<StoreReport> {
  const file = storeFileOf(folder)
  const bytes = sizeOf(db)
  const report = (done: number) => onProgress?.({ step: 'check', unit: 'bytes', done, total: bytes })
  report(0)
  const isChecked = bytes >= LARGE && (await runInChildProcess([file, INTEGRITY_CHECK], signal))
  if (!isChecked && firstValue(db, INTEGRITY_CHECK) !== 'ok') {
    throw new MaintenanceError('damaged', `${file} is damaged.`, { hint: 'Use another backup.' })
  }
  refuseUnfinished(itemOf(db, STORE_KEY))
  report(bytes)
  signal?.throwIfAborted()
  return {
    schema: schemaOf(db),
    users: Number(firstValue(db, "SELECT count(*) FROM items WHERE key >= 'user:' AND key < 'user;'")),
    records: Number(firstValue(db, 'SELECT count(*) FROM records')),
    entries: Number(firstValue(db, 'SELECT coalesce(sum(count), 0) FROM records')),
    bytes,
    secrets: await locateSecrets(folder, itemOf(db, SECRET_CHECK_KEY)),
  }
}

const INTEGRITY_CHECK = 'PRAGMA integrity_check(1)'

/** From this size on, in bytes, a statement about a whole store takes longer than the start of a process. */
const LARGE = 16 * 1024 * 1024

// Only built-in modules and no file, so that it also runs out of a bundle. Ctrl-C of a terminal is for the parent.
const STATEMENT_PROGRAM = `
process.on('SIGINT', () => {})
const [file, sql, ...values] = process.argv.slice(1)
const row = new (require('node:sqlite').DatabaseSync)(file, { readOnly: true }).prepare(sql).get(...values)
console.log(Object.values(row ?? {})[0] ?? 'ok')`

/**
 * Runs a statement where it can be interrupted: SQLite does it in one go.
 * @returns whether its result is `ok` or none; false also where no child process runs
 */
async function runInChildProcess(
  statement: readonly [file: string, sql: string, ...values: string[]],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // Without secrets. Windows starts nothing without this one.
  const env = process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot }
  const options = { env, windowsHide: true, killSignal: 'SIGKILL', ...(signal ? { signal } : {}) } as const
  try {
    const args = ['-e', STATEMENT_PROGRAM, ...statement]
    return (await promisify(execFile)(process.execPath, args, options)).stdout === 'ok\n'
  } catch {
    signal?.throwIfAborted()
    return false
  }
}

/** Pages that are copied in one go. In between, this process does other things. */
const COPIED_PAGES = 1000

interface CopyPlan {
  readonly from: string
  /** An empty folder. */
  readonly to: string
  /** The {@link readSecretsText} of `from` before the store was opened. */
  readonly secrets: string | undefined
}

/** The copy is of the moment at which the store was opened, and on the disk when this settles. */
export async function copyStore(
  db: DatabaseSync,
  { from, to, secrets }: CopyPlan,
  { onProgress, signal }: MaintenanceOptions,
): Promise<void> {
  const copy = join(to, STORE_FILE)
  const total = sizeOf(db)
  const report = (done: number) => onProgress?.({ step: 'copy', unit: 'bytes', done, total })
  createEmpty(copy)
  report(0)
  await backup(db, copy, {
    rate: COPIED_PAGES,
    progress({ totalPages, remainingPages }) {
      signal?.throwIfAborted()
      report(total * (1 - remainingPages / totalPages))
    },
  })
  using written = openDatabase(copy)
  // Without a log, it can be read from a read-only file system, too.
  written.exec('PRAGMA journal_mode = DELETE')
  // Otherwise, clients would resume at positions that are lost.
  written.prepare('UPDATE items SET value = ? WHERE key = ?').run(newStoreId(random), STORE_KEY)
  checkSecretsUnchanged(from, secrets)
  if (secrets !== undefined) writeFileSync(join(to, SECRETS_FILE), secrets, { mode: 0o600, flag: 'wx', flush: true })
  report(total)
}

/** SQLite accepts an empty file, and would create one that everybody can read. */
function createEmpty(file: string): void {
  closeSync(openSync(file, 'wx', 0o600))
}

/** Leaves out what was deleted: copied pages still contain it as free space. Needs room for both stores. */
export async function compactStore(folder: string, signal: AbortSignal | undefined): Promise<void> {
  const [file, compact] = [join(folder, STORE_FILE), join(folder, `${STORE_FILE}-compact`)]
  createEmpty(compact)
  const isLarge = statSync(file).size >= LARGE
  if (!(isLarge && (await runInChildProcess([file, COMPACT, compact], signal)))) {
    rmSync(compact)
    createEmpty(compact)
    using db = openDatabase(file, { readOnly: true })
    db.prepare(COMPACT).run(compact)
  }
  renameSync(compact, file)
}

const COMPACT = 'VACUUM INTO ?'

/** @param secrets the {@link readSecretsText} before the store was opened: a rotation since then may have discarded them */
function checkSecretsUnchanged(folder: string, secrets: string | undefined): void {
  if (readSecretsText(folder) === secrets) return
  throw new MaintenanceError('unavailable', 'The secrets changed meanwhile.', { hint: 'Run it again.' })
}

/** @param secretCheck `null` when the store was never served */
export async function locateSecrets(folder: string, secretCheck: string | null): Promise<SecretsLocation> {
  const secrets = await readSecrets(folder)
  if (secretCheck === null) return 'included'
  if (!secrets) return 'needed'
  try {
    await decryptSecretCheck(secretCheck, encryptionWith(atRestSecrets(secrets)))
    return 'included'
  } catch (error) {
    if (error instanceof DecryptionError) return 'needed'
    throw error
  }
}

export function atRestSecrets({ encryption, previousEncryption = [] }: AppSecrets): readonly string[] {
  return [encryption, ...previousEncryption]
}

const random = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes)

export function encryptionWith(secrets: readonly string[]) {
  return createEncryption(secrets, random)
}

function schemaOf(db: DatabaseSync): number {
  return Number(firstValue(db, 'PRAGMA user_version'))
}

function sizeOf(db: DatabaseSync): number {
  return Number(firstValue(db, 'PRAGMA page_count')) * Number(firstValue(db, 'PRAGMA page_size'))
}

function itemOf(db: DatabaseSync, key: string): string | null {
  return prepareItemReads(db).item(key)
}

function firstValue(db: DatabaseSync, sql: string): unknown {
  return Object.values(db.prepare(sql).get() ?? {})[0]
}
