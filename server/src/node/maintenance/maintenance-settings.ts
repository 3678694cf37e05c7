import { resolve } from 'node:path'
import { ConfigError, type ConfigSource } from '../config.ts'
import type { StorageAddress } from '../settings.ts'
import { SETTINGS } from '../settings.ts'
import { MaintenanceError } from './maintenance-error.ts'

/** The settings that maintenance shares with the server. */
export interface MaintenanceSettings {
  readonly storage: StorageAddress
  /** `FISH_SECRET`. */
  readonly secret: string | undefined
  /** `FISH_SECRET_PREVIOUS`. */
  readonly previousSecrets: readonly string[]
}

/**
 * Reads them, as the server would: a flag wins, an empty variable counts as unset.
 * @throws ConfigError
 */
export function readMaintenanceSettings({ env, flags = {} }: ConfigSource): MaintenanceSettings {
  const { storage, secret, previousSecrets } = SETTINGS
  const mistakes: string[] = []
  const attempt = <Value>(source: string, read: () => Value): Value | undefined => {
    try {
      return read()
    } catch (error) {
      mistakes.push(`${source} ${(error as Error).message}`)
      return undefined
    }
  }
  const flag = flags[storage.flag ?? '']
  const address = attempt(flag === undefined ? storage.env : `--${storage.flag}`, () => {
    if (flag !== undefined && storage.holdsSecret?.(flag))
      throw new Error(`holds a password; set ${storage.env} instead`)
    return storage.parse(flag ?? (env[storage.env] || (storage.fallback ?? '')))
  })
  const older = env[previousSecrets.env]
  const previous = older ? attempt(previousSecrets.env, () => previousSecrets.parse(older)) : []
  if (!address || !previous) throw new ConfigError(mistakes)
  return { storage: address, secret: env[secret.env] || undefined, previousSecrets: previous }
}

const NAME = `${SETTINGS.storage.env} (--${SETTINGS.storage.flag})`

/**
 * The folder of a file storage.
 * @throws ConfigError when the storage is another one, MaintenanceError `invalid_settings` when it is in memory
 */
export function folderOf(storage: StorageAddress): string {
  if (storage.driver === 'file') return resolve(storage.path)
  if (storage.driver === 'memory') throw inMemory('file:FOLDER')
  throw new ConfigError([`${NAME} must be file:FOLDER here`])
}

/**
 * Refuses the one storage that no other process can have: for work that takes any other.
 * @throws MaintenanceError `invalid_settings`
 */
export function refuseMemory(storage: StorageAddress): void {
  if (storage.driver === 'memory') throw inMemory('file:FOLDER or redis://HOST')
}

function inMemory(instead: string): MaintenanceError {
  const message = `${NAME} is memory:, and a store in memory ends with its process: no other command can work on it.`
  return new MaintenanceError('invalid_settings', message, { hint: `Name ${instead}.` })
}
