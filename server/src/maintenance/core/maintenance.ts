import { resolve } from 'node:path'
import { DecryptionError } from '../../app/users/encryption.ts'
import { ConfigError, type ConfigSource, readSettings } from '../../node/config.ts'
import { otherOwnerOf } from '../../node/other-owner.ts'
import { SecretsError } from '../../node/secrets-file.ts'
import { flagOf, parseStorageAddress, SETTINGS, type StorageAddress } from '../../node/settings.ts'
import { StorageError, type StorageErrorCode } from '../../storage/core/errors.ts'
import { toStorageError } from '../../storage/file/sqlite.ts'

/** Progress of the current step of a maintenance function. */
export interface MaintenanceProgress {
  /**
   * - `check`: checks the source
   * - `copy`: copies a store
   * - `write`: writes migrated catches
   * - `rotate`: encrypts keys with the new secret
   * - `hash`: hashes passwords
   */
  readonly step: 'check' | 'copy' | 'write' | 'rotate' | 'hash'
  /** The counted unit. */
  readonly unit: 'bytes' | 'keys' | 'documents' | 'passwords' | 'catches'
  /** Finished units of this step. */
  readonly done: number
  /** Absent if unknown. */
  readonly total?: number
}

/** Options of every maintenance function that works on a whole store. */
export interface MaintenanceOptions {
  /**
   * Called at the start and the end of each step, and many times in between. Throttle the calls where you display
   * progress. SQLite checks a store in one call, so a check reports only its start and its end. The function must not
   * throw.
   */
  readonly onProgress?: ((progress: MaintenanceProgress) => void) | undefined
  /**
   * Aborts the work with a `MaintenanceError` `interrupted`, whose message names the leftovers. Unfinished folders and
   * files are removed. A part of a copy in Redis stays, and keys that are already encrypted with the new secret stay
   * unchanged.
   */
  readonly signal?: AbortSignal | undefined
}

/** The reason why maintenance was refused or failed. */
export type MaintenanceErrorCode =
  | StorageErrorCode
  /** No store exists at the given path. */
  | 'no_store'
  /** No administrator has this name. */
  | 'no_admin'
  /** The target exists and was not changed. */
  | 'exists'
  /** A check of the content failed. */
  | 'damaged'
  /** The secret in use does not decrypt the data. */
  | 'wrong_secret'
  /** The data needs a `FISH_SECRET`, but the setting is missing. */
  | 'missing_secret'
  /** At least one setting is wrong. The message has one line for each mistake. */
  | 'invalid_settings'
  /** Root must not work on a folder of another user. The error has a `runAs`. */
  | 'other_user'
  /** A path is empty or too long, or leads to something of the wrong kind. */
  | 'invalid_path'
  /** The MongoDB dump is invalid, or was changed during the migration. */
  | 'invalid_dump'
  /** The given signal aborted the work. The message names the leftovers. */
  | 'interrupted'

/** The only error class of the maintenance functions. The message does not quote secrets. */
export class MaintenanceError extends Error {
  override readonly name = 'MaintenanceError'
  /** The reason of the failure. */
  readonly code: MaintenanceErrorCode
  /** The next step to take, as a sentence. */
  readonly hint: string | undefined
  /** The words to put before the command, for `other_user`. */
  readonly runAs: readonly string[] | undefined

  constructor(
    code: MaintenanceErrorCode,
    message: string,
    options: { hint?: string | undefined; runAs?: readonly string[]; cause?: unknown } = {},
  ) {
    const { hint, runAs, cause } = options
    super(message, { cause })
    this.code = code
    this.hint = hint
    this.runAs = runAs
  }
}

/**
 * Runs maintenance. Every error becomes a {@link MaintenanceError}, except an error that a bug in this program causes.
 * @param interruption the signal that interrupts the run, and sentences about the remaining state and the next step
 */
export async function maintain<Result>(
  run: () => Promise<Result>,
  interruption: { signal?: AbortSignal | undefined; state?: string; hint?: string } = {},
): Promise<Result> {
  const { signal, state, hint = 'Run it again.' } = interruption
  try {
    return await run()
  } catch (error) {
    if (!signal?.aborted || error !== signal.reason) throw toMaintenanceError(error)
    throw new MaintenanceError('interrupted', `Interrupted. ${state}`, { hint, cause: error })
  }
}

function toMaintenanceError(error: unknown): unknown {
  if (error instanceof MaintenanceError || !(error instanceof Error)) return error
  const cause = { cause: error }
  if (error instanceof ConfigError) return new MaintenanceError('invalid_settings', error.message, cause)
  if (error instanceof SecretsError) return new MaintenanceError('damaged', withoutTempNames(error.message), cause)
  if (error instanceof StorageError) {
    const { code, problem, hint } = error
    return new MaintenanceError(code, withoutTempNames(problem), { hint: hint && withoutTempNames(hint), ...cause })
  }
  if (error instanceof DecryptionError) {
    return new MaintenanceError('wrong_secret', 'FISH_SECRET is not the secret that this data is encrypted with.', {
      hint: 'Set the right one, also as FISH_SECRET_PREVIOUS. Nothing was changed.',
      ...cause,
    })
  }
  return fromSystem(error)
}

/** Converts errors of files and of SQLite. All other errors are bugs in this program. */
function fromSystem(error: NodeJS.ErrnoException): unknown {
  const { code = '', path } = error
  const isSqlite = code === 'ERR_SQLITE_ERROR'
  if (!isSqlite && error.syscall === undefined) return error
  const known = toStorageError(error)
  const at = withoutTempNames(path ?? 'the folder')
  const failure = (as: MaintenanceErrorCode, message: string, hint?: string) =>
    new MaintenanceError(as, message, { hint, cause: error })
  if (known.code === 'full') return failure('full', 'The disk is full. Everything unfinished was removed.')
  if (known.code === 'read_only') return failure('read_only', `Permission denied: ${at}.`)
  if (code === 'ENAMETOOLONG') return failure('invalid_path', `${at} is too long.`, 'Choose a shorter name.')
  if (code === 'ENOENT') return failure('no_store', `${at} does not exist.`)
  if (code === 'EEXIST' || code === 'ENOTEMPTY' || code === 'ENOTDIR') {
    return failure('exists', `${at} already exists or is not a folder.`, 'Name another folder.')
  }
  return failure(known.code, isSqlite ? known.problem : `${at} failed (${code}).`)
}

const TEMP_NAME = /\.partial-[0-9a-f]{8}|[/\\]\.(?:restore|copy|migrate)-[0-9a-f]{8}/g

/** Replaces temporary paths in errors by the final paths. */
function withoutTempNames(text: string): string {
  return text.replaceAll(TEMP_NAME, '')
}

/**
 * Resolves the path that a caller named. An empty path would be the working folder.
 * @throws MaintenanceError `invalid_path`, `other_user`
 */
export function namedPath(path: string): string {
  if (typeof path !== 'string') throw new MaintenanceError('invalid_path', 'The path must be a string.')
  if (path === '')
    throw new MaintenanceError('invalid_path', 'The path is empty.', { hint: 'Name a file or a folder.' })
  return ownPath(path)
}

/**
 * Returns the absolute path.
 * @throws MaintenanceError `other_user`
 */
function ownPath(path: string): string {
  const absolute = resolve(path)
  const other = otherOwnerOf(absolute)
  if (other === undefined) return absolute
  const message = `${other.problem}; nothing was opened.`
  throw new MaintenanceError('other_user', message, { hint: 'Run it as that user.', runAs: other.runAs })
}

/** An address that other processes can use. The path of a data folder is absolute. */
export type UsableAddress = Exclude<StorageAddress, { driver: 'memory' }> & { readonly replicas?: number | undefined }

/** The settings that maintenance shares with the server. */
export interface MaintenanceSettings {
  readonly storage: UsableAddress
  /** `FISH_SECRET`. */
  readonly secret: string | undefined
  /** `FISH_SECRET_PREVIOUS`. */
  readonly previousSecrets: readonly string[]
}

const NAME = `${SETTINGS.storage.env} (--${flagOf(SETTINGS.storage)})`

/**
 * Reads the settings of maintenance that also works on a Redis.
 * @throws ConfigError; MaintenanceError `invalid_settings` for a storage in memory, `other_user`
 */
export function readMaintenanceSettings(source: ConfigSource, storages = BOTH_STORAGES): MaintenanceSettings {
  const { values, mistakes } = readSettings(['storage', 'redisWait', 'previousSecrets'], source)
  const { storage, redisWait, previousSecrets = [] } = values
  if (mistakes.length > 0 || !storage) throw new ConfigError(mistakes)
  return {
    storage: usableAddress(storage, redisWait, { name: NAME, storages }),
    secret: source.env[SETTINGS.secret.env] || undefined,
    previousSecrets,
  }
}

const BOTH_STORAGES = 'file:FOLDER or redis://HOST'

/** Reads an address that a caller gave. @param name the caller's name for the address */
export function readAddress(text: string, name: string, { env }: Pick<ConfigSource, 'env'>): UsableAddress {
  const { values, mistakes } = readSettings(['redisWait'], { env })
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  let address: StorageAddress
  try {
    address = parseStorageAddress(text)
  } catch (error) {
    throw new MaintenanceError('invalid_settings', `${name} ${(error as Error).message}.`)
  }
  return usableAddress(address, values.redisWait, { name, storages: BOTH_STORAGES })
}

function usableAddress(
  storage: StorageAddress,
  redisWait: number | undefined,
  { name, storages }: { readonly name: string; readonly storages: string },
): UsableAddress {
  if (storage.driver === 'memory') {
    const message = `${name} is memory:, which other commands cannot access.`
    throw new MaintenanceError('invalid_settings', message, { hint: `Name ${storages}.` })
  }
  if (storage.driver === 'file') return { ...storage, path: ownPath(storage.path) }
  return { ...storage, replicas: redisWait }
}

/**
 * The data folder, for maintenance that works only on a file store.
 * @throws as {@link readMaintenanceSettings}; ConfigError for a Redis
 */
export function readDataFolder(source: ConfigSource): string {
  const { storage } = readMaintenanceSettings(source, 'file:FOLDER')
  if (storage.driver !== 'file') throw new ConfigError([`${NAME} must be file:FOLDER here`])
  return storage.path
}
