import { resolve } from 'node:path'
import { ConfigError, type ConfigSource } from '../config.ts'
import { SETTINGS } from '../settings.ts'
import type { StorageAddress } from '../storage-address.ts'

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
    if (flag !== undefined && storage.isSecret?.(flag)) throw new Error(`holds a password; set ${storage.env} instead`)
    return storage.parse(flag ?? (env[storage.env] || (storage.fallback ?? '')))
  })
  const older = env[previousSecrets.env]
  const previous = older ? attempt(previousSecrets.env, () => previousSecrets.parse(older)) : []
  if (!address || !previous) throw new ConfigError(mistakes)
  return { storage: address, secret: env[secret.env] || undefined, previousSecrets: previous }
}

/**
 * The folder of a file storage.
 * @throws ConfigError when the storage is another one
 */
export function folderOf(storage: StorageAddress): string {
  if (storage.driver === 'file') return resolve(storage.path)
  throw new ConfigError([`${SETTINGS.storage.env} (--${SETTINGS.storage.flag}) must be file:FOLDER here`])
}
