import { resolve } from 'node:path'
import { ConfigError, type ConfigSource, readSettings } from '../config.ts'
import { SETTINGS, type StorageAddress } from '../settings.ts'
import { MaintenanceError } from './errors.ts'

/** Progress of the current step of a maintenance function. */
export interface MaintenanceProgress {
  /**
   * - `check`: checks what is read or was written
   * - `copy`: copies a store
   * - `write`: writes an export, or imports its content
   * - `rotate`: encrypts keys with the new secret
   */
  readonly step: 'check' | 'copy' | 'write' | 'rotate'
  /** What is counted. */
  readonly unit: 'bytes' | 'lines' | 'keys'
  readonly done: number
  /** Absent where it is unknown. */
  readonly total?: number
}

/** Progress and cancellation of work on a whole store. */
export interface WorkOptions {
  /**
   * Called at the start and the end of each step, and many times in between; throttle it where you display it. SQLite
   * checks a store in one go, so there only start and end are reported. Should not throw.
   */
  readonly onProgress?: ((progress: MaintenanceProgress) => void) | undefined
  /**
   * Aborts the work with a `MaintenanceError` `interrupted`, whose message says what is left. Unfinished folders and files
   * are removed. What was written to a Redis or a stream stays, and so does what was encrypted with the new secret.
   */
  readonly signal?: AbortSignal | undefined
}

/** Options of every maintenance function. */
export interface MaintenanceOptions extends WorkOptions {
  /**
   * Does all checks, fails where the work itself would fail, and reports what it would do. Leaves no file, folder, Redis
   * key or lock behind. Errors that only writing reveals, such as a full disk, stay unknown. @default false
   */
  readonly dryRun?: boolean
}

/** Identifies the report of a dry run. */
export interface DryRunReport {
  /** `true`: nothing was done. Absent otherwise. */
  readonly dryRun?: true
}

export function dryRunReport(dryRun: boolean): DryRunReport {
  return dryRun ? { dryRun } : {}
}

/** The settings that maintenance shares with the server. */
export interface MaintenanceSettings {
  readonly storage: StorageAddress
  /** `FISH_SECRET`. */
  readonly secret: string | undefined
  /** `FISH_SECRET_PREVIOUS`. */
  readonly previousSecrets: readonly string[]
}

/** @throws ConfigError */
export function readMaintenanceSettings(source: ConfigSource): MaintenanceSettings {
  const { values, mistakes } = readSettings(['storage', 'previousSecrets'], source)
  const { storage, previousSecrets = [] } = values
  if (mistakes.length > 0 || !storage) throw new ConfigError(mistakes)
  return { storage, secret: source.env[SETTINGS.secret.env] || undefined, previousSecrets }
}

const NAME = `${SETTINGS.storage.env} (--${SETTINGS.storage.flag})`

/**
 * The folder of a file storage.
 * @throws ConfigError for Redis, MaintenanceError `invalid_settings` for memory
 */
export function folderOf(storage: StorageAddress): string {
  if (storage.driver === 'file') return resolve(storage.path)
  if (storage.driver === 'memory') throw inMemory('file:FOLDER')
  throw new ConfigError([`${NAME} must be file:FOLDER here`])
}

/** @throws MaintenanceError `invalid_settings` */
export function refuseMemory(storage: StorageAddress): void {
  if (storage.driver === 'memory') throw inMemory('file:FOLDER or redis://HOST')
}

function inMemory(instead: string): MaintenanceError {
  const message = `${NAME} is memory:, and a store in memory ends with its process: no other command can work on it.`
  return new MaintenanceError('invalid_settings', message, { hint: `Name ${instead}.` })
}
