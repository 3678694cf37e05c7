import { execFile } from 'node:child_process'
import { accessSync, closeSync, constants, fsyncSync, openSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isSea } from 'node:sea'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { SQLITE_CORRUPT, SQLITE_NOT_A_DATABASE } from '../../../../sdk/src/internal/sqlite.node.ts'
import type { AppSecrets } from '../../app/options.ts'
import { SECRET_CHECK_KEY } from '../../app/store/item-keys.ts'
import { newStoreId, refuseUnfinished } from '../../app/store/store-id.ts'
import { createEncryption, DecryptionError } from '../../app/users/encryption.ts'
import { decryptSecretCheck } from '../../app/users/secret-check.ts'
import { readSecrets, readSecretsText, SECRETS_FILE } from '../../node/secrets-file.ts'
import { STORE_KEY } from '../../storage/core/keys.ts'
import { prepareItemReads } from '../../storage/file/reader.ts'
import { checkSchema } from '../../storage/file/schema.ts'
import { type DatabaseSync, openDatabase, toStorageError } from '../../storage/file/sqlite.ts'
import { hasLog, STORE_FILE } from '../../storage/file/store-file.ts'
import { MaintenanceError, type MaintenanceOptions } from './maintenance.ts'
import { VACUUM_PART, vacuumInto } from './vacuum.ts'

/** Whether a store can be served with the secrets in its folder. */
export type SecretsLocation =
  /** The secrets in the folder decrypt the keys of the store. */
  | 'included'
  /** The keys are encrypted with a `FISH_SECRET` that the folder does not contain. */
  | 'needed'

/** The content of a store, and whether the folder contains its secrets. */
export interface StoreReport {
  /** Version of the schema. */
  readonly schema: number
  /** Number of players. */
  readonly users: number
  /** Number of acknowledged writes that were not removed. */
  readonly records: number
  /** Number of fish and crabs in the records. */
  readonly entries: number
  /** Size of the database file. */
  readonly bytes: number
  /** Whether the folder contains the secrets that decrypt the keys. */
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
 * Returns how to open the store of a data folder for reading, even while a server uses the store. Only SQLite may open
 * the file: if other code opened and closed the file, a server in this process would lose its POSIX locks.
 */
function sourceOf(folder: string): { readonly address: URL; readonly readOnly: boolean } {
  const file = storeFileOf(folder)
  accessSync(file, constants.R_OK)
  // A read-write connection removes its `-wal` and `-shm` files on close, but also moves an existing log into the
  // store. Reading must not change a store, so a store with a log is opened read-only.
  const readOnly = hasLog(file)
  const address = pathToFileURL(file)
  address.searchParams.set('mode', readOnly ? 'ro' : 'rw')
  return { address, readOnly }
}

/**
 * @throws MaintenanceError `no_store`; StorageError `not_a_store`, `newer_schema`, `unfinished` for an incomplete copy
 */
function checkSource(folder: string): void {
  const { address, readOnly } = sourceOf(folder)
  using db = openDatabase(address, { readOnly })
  checkSchema(storeFileOf(folder), firstValue(db, 'PRAGMA application_id'), schemaOf(db))
  refuseUnfinished(itemOf(db, STORE_KEY))
}

const POLL_MS = 200

/**
 * Copies a snapshot of a store and its secrets into an empty folder, even while a server uses the store. Deleted data
 * is not copied. The copy is on the disk when the promise resolves.
 * @throws MaintenanceError `no_store`, `damaged`, `unavailable`; StorageError `not_a_store`, `newer_schema`,
 * `unfinished`
 */
export async function copyFolder(
  from: string,
  to: string,
  { onProgress, signal }: MaintenanceOptions,
): Promise<StoreReport> {
  const secrets = readSecretsText(from)
  checkSource(from)
  // Check the secrets here, so that an error names their path in `from`, not in the copy.
  await readSecrets(from)
  const copy = join(to, STORE_FILE)
  const total = statSync(storeFileOf(from)).size
  const report = (done: number) => onProgress?.({ step: 'copy', unit: 'bytes', done: Math.min(done, total), total })
  // Create an empty file with mode 0600, which SQLite accepts. SQLite itself would create a file that other users can
  // read.
  closeSync(openSync(copy, 'wx', 0o600))
  report(0)
  const polling = setInterval(() => report(statSync(copy).size), POLL_MS)
  await copyDatabase(from, copy, signal).finally(() => clearInterval(polling))
  flushFile(copy)
  using db = openDatabase(copy)
  // In DELETE mode, the copy can also be read from a read-only file system.
  db.exec('PRAGMA journal_mode = DELETE')
  // The copy gets a new id: otherwise clients would resume at positions that the copy does not have.
  db.prepare('UPDATE items SET value = ? WHERE key = ?').run(newStoreId(random), STORE_KEY)
  if (readSecretsText(from) !== secrets) {
    // A rotation during the copy may have discarded the secret that decrypts the copied keys.
    throw new MaintenanceError('unavailable', 'The secrets changed meanwhile.', { hint: 'Run it again.' })
  }
  if (secrets !== undefined) writeFileSync(join(to, SECRETS_FILE), secrets, { mode: 0o600, flag: 'wx', flush: true })
  report(total)
  return {
    schema: schemaOf(db),
    users: Number(firstValue(db, "SELECT count(*) FROM items WHERE key >= 'user:' AND key < 'user;'")),
    records: Number(firstValue(db, 'SELECT count(*) FROM records')),
    entries: Number(firstValue(db, 'SELECT coalesce(sum(count), 0) FROM collections')),
    bytes: statSync(copy).size,
    secrets: await locateSecrets(to, itemOf(db, SECRET_CHECK_KEY)),
  }
}

const VACUUM_PROGRAM = `(${vacuumInto})(process.argv.slice(1))`

/** Copies in a child process: SQLite copies in one call, which only killing the process can interrupt. */
async function copyDatabase(from: string, copy: string, signal: AbortSignal | undefined): Promise<void> {
  const { address, readOnly } = sourceOf(from)
  // The environment of the child contains no secrets. Windows cannot start a process without `SystemRoot`.
  const env = process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot }
  const options = { env, windowsHide: true, killSignal: 'SIGKILL', ...(signal ? { signal } : {}) } as const
  const program = isSea() ? [VACUUM_PART] : ['-e', VACUUM_PROGRAM]
  const args = [...program, address.href, readOnly ? 'ro' : 'rw', copy]
  try {
    await promisify(execFile)(process.execPath, args, options)
  } catch (error) {
    signal?.throwIfAborted()
    const code = Number((error as { code?: unknown }).code)
    if (code === SQLITE_CORRUPT || code === SQLITE_NOT_A_DATABASE) {
      throw new MaintenanceError('damaged', `${storeFileOf(from)} is damaged.`, { hint: 'Use another backup.' })
    }
    throw toStorageError(
      Object.assign(new Error('the copy failed', { cause: error }), { errcode: code }),
      dirname(copy),
    )
  }
}

function flushFile(file: string): void {
  const handle = openSync(file, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** @param secretCheck `null` if the store was never served */
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

function itemOf(db: DatabaseSync, key: string): string | null {
  return prepareItemReads(db).item(key)
}

function firstValue(db: DatabaseSync, sql: string): unknown {
  return Object.values(db.prepare(sql).get() ?? {})[0]
}
