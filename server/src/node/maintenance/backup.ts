import { realpathSync, renameSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { syncFolder } from '../../storage/file/folder.ts'
import type { ConfigSource } from '../config.ts'
import { storedSecrets } from '../secrets-file.ts'
import { MaintenanceError, maintain } from './errors.ts'
import { checkNewPath, draftOf, inDraftFolder, refuseEmpty, refuseExisting } from './folder.ts'
import {
  type DryRunReport,
  dryRunReport,
  folderOf,
  type MaintenanceOptions,
  readMaintenanceSettings,
} from './options.ts'
import { copyStore, inspectStore, type StoreReport } from './store-copy.ts'
import { storeFileOf } from './store-file.ts'

/** Options of {@link backupStore}. */
export interface BackupOptions extends ConfigSource, MaintenanceOptions {
  /** The folder to make. */
  readonly target: string
}

/** What a backup contains. */
export interface BackupReport extends StoreReport, DryRunReport {
  /** Path of the backup. */
  readonly folder: string
}

/**
 * Copies a file store as of one moment, also while a server uses it: the store and the secrets that decrypt its keys, into
 * a new folder that is itself a data folder. The folder gets its name once the copy is complete, checked and on the disk.
 * @throws MaintenanceError
 * @example
 * await backupStore({ env: { FISH_STORAGE: 'file:./data' }, target: 'monday', dryRun: true }) // { users: 3, dryRun: true, … }
 */
export function backupStore(options: BackupOptions): Promise<BackupReport> {
  const { target, onProgress, signal, dryRun = false, ...source } = options
  const work = { onProgress, signal }
  const paths = draftOf(target)
  const { draft, path: folder } = paths
  const run = async () => {
    refuseEmpty(target)
    const from = folderOf(readMaintenanceSettings(source).storage)
    const file = storeFileOf(from)
    checkNewPath(paths, 'folder')
    refuseInside(from, folder)
    // Reports damaged secrets as those of the data folder, not as a copy of them.
    await storedSecrets(from)
    if (dryRun) return { folder, ...(await inspectStore(from, file, work)), ...dryRunReport(dryRun) }
    return inDraftFolder(paths, async () => {
      const report = await copyStore({ from, file, to: draft }, work)
      syncFolder(draft)
      refuseExisting(folder, 'folder')
      renameSync(draft, folder)
      syncFolder(dirname(folder))
      return { folder, ...report }
    })
  }
  return maintain(run, { signal, state: `${folder} was not made.` })
}

function refuseInside(data: string, target: string): void {
  const [outer, parent] = [realpathSync(data), realpathSync(dirname(target))]
  if (parent !== outer && !parent.startsWith(`${outer}${sep}`)) return
  throw new MaintenanceError('invalid_settings', `${target} is inside the data folder, and nothing was done.`, {
    hint: 'Name a folder elsewhere: what happens to the data would happen to its backup.',
  })
}
