import type { ConfigSource } from '../node/config.ts'
import { readSecretsText, SECRETS_FILE } from '../node/secrets-file.ts'
import { moveStore, refuseOtherSecrets, refuseStore, withLockedFolder, withTempFolder } from './core/folder.ts'
import { type MaintenanceOptions, maintain, namedPath, readDataFolder } from './core/maintenance.ts'
import { copyFolder, type StoreReport, storeFileOf } from './core/store.ts'

/** Options of {@link restoreStore}. */
export interface RestoreOptions extends ConfigSource, MaintenanceOptions {
  /** A folder that `backupStore` made. */
  readonly backup: string
}

/** Contents of the restored store. */
export interface RestoreReport extends StoreReport {
  /** Path of the data folder. */
  readonly folder: string
}

/**
 * Restores a backup into a data folder that has no store. The backup is checked first, and the store is moved into the
 * folder as a whole, so a failure changes nothing.
 * @throws MaintenanceError
 */
export function restoreStore(options: RestoreOptions): Promise<RestoreReport> {
  const run = async () => {
    const from = namedPath(options.backup)
    const target = readDataFolder(options)
    const secrets = readSecretsText(from)
    storeFileOf(from)
    const refuse = (folder: string) => {
      refuseStore(folder, [SECRETS_FILE])
      refuseOtherSecrets(folder, secrets)
    }
    return await withLockedFolder(target, refuse, async (folder) => {
      return withTempFolder(folder, 'restore', async (temp) => {
        const report = await copyFolder(from, temp, options)
        moveStore(temp, folder)
        return { folder, ...report }
      })
    })
  }
  return maintain(run, { signal: options.signal, state: 'Nothing was restored.' })
}
