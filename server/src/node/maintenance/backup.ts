import { realpathSync, renameSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { syncFolder } from '../../storage/file/folder.ts'
import type { ConfigSource } from '../config.ts'
import { storedSecrets } from '../secrets-file.ts'
import { type SecretsState, secretsStateOf } from './kept-secrets.ts'
import { MaintenanceError, maintain, tellInterruption } from './maintenance-error.ts'
import { folderOf, readMaintenanceSettings } from './maintenance-settings.ts'
import { inDraft, partialNames } from './named-paths.ts'
import { type DryRunMark, dryRunMark, type MaintenanceOptions, workOf } from './progress.ts'
import { checkedContent, copyWithSecrets } from './store-copy.ts'
import { type StoreFacts, storeFileOf } from './store-file.ts'
import { checkNewName, refuseEmpty, refuseTaken } from './target.ts'

/** What {@link backupStore} takes. */
export interface BackupOptions extends ConfigSource, MaintenanceOptions {
  /** The folder to make. */
  readonly target: string
}

/** What a backup holds. */
export interface BackupReport extends StoreFacts, DryRunMark {
  /** Where it is. */
  readonly folder: string
  readonly secrets: SecretsState
}

/**
 * Copies a file store, as of one moment, while a server may serve it: the store and the secrets that open it, in a new
 * folder that is a data folder itself. The folder takes its name once it is whole, checked and on the disk.
 * @throws MaintenanceError
 * @example
 * await backupStore({ env: { FISH_STORAGE: 'file:./data' }, target: 'monday', dryRun: true }) // { users: 3, dryRun: true, … }
 */
export function backupStore(options: BackupOptions): Promise<BackupReport> {
  const { target, onProgress, signal, dryRun = false, ...source } = options
  const work = workOf({ onProgress, signal })
  const names = partialNames(target)
  const { draft, shown: folder } = names
  const run = async () => {
    refuseEmpty(target)
    const from = folderOf(readMaintenanceSettings(source).storage)
    const file = storeFileOf(from)
    checkNewName(names, 'folder')
    refuseInside(from, folder)
    // Where they are damaged, it is these that are, not a copy of them.
    await storedSecrets(from)
    if (dryRun) {
      const { facts, sealCheck } = await checkedContent(file, work)
      return { folder, ...facts, secrets: await secretsStateOf(from, sealCheck), ...dryRunMark(dryRun) }
    }
    return inDraft(names, async () => {
      const { facts, sealCheck } = await copyWithSecrets({ from, file, to: draft, ...work })
      const secrets = await secretsStateOf(draft, sealCheck)
      syncFolder(draft)
      refuseTaken(folder, 'folder')
      renameSync(draft, folder)
      syncFolder(dirname(folder))
      return { folder, ...facts, secrets }
    })
  }
  return maintain(() => run().catch(tellInterruption(signal, `${folder} was not made.`, 'Run it again.')))
}

function refuseInside(data: string, target: string): void {
  const [outer, parent] = [realpathSync(data), realpathSync(dirname(target))]
  if (parent !== outer && !parent.startsWith(`${outer}${sep}`)) return
  throw new MaintenanceError('invalid_settings', `${target} is inside the data folder, and nothing was done.`, {
    hint: 'Name a folder elsewhere: what happens to the data would happen to its backup.',
  })
}
