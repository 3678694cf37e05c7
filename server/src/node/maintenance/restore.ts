import { join } from 'node:path'
import { fileIdOf, STORE_FILE } from '../../storage/file/store-file.ts'
import type { ConfigSource } from '../config.ts'
import { SECRETS_FILE } from '../secrets-file.ts'
import { swapStores, undoKilledSwaps } from './exchange.ts'
import { pathExists, temporaryPathInside, withLockedFolder, withTemporaryFolder } from './folder.ts'
import {
  type DryRunOption,
  type DryRunReport,
  MaintenanceError,
  type MaintenanceOptions,
  maintain,
  namedPath,
  readDataFolder,
} from './maintenance.ts'
import { copyStore, inspectStore, openStore, type StoreReport, storeFileOf } from './store.ts'

/** Options of {@link restoreStore}. */
export interface RestoreOptions extends ConfigSource, MaintenanceOptions, DryRunOption {
  /** A folder that `backupStore` made. */
  readonly backup: string
  /** Replace an existing store, which is moved to `replaced-…` in the data folder. @default refuse */
  readonly force?: boolean
  /** Names the folder of a replaced store. */
  readonly now: Date
}

/** What was restored. */
export interface RestoreReport extends StoreReport, DryRunReport {
  readonly folder: string
  /** Path of the store that was there before; in a dry run, the path that it would get at that `now`. */
  readonly replaced?: string
}

/**
 * Puts a backup into a data folder that no server has open. The backup is checked first and copied whole: a failure
 * changes nothing.
 * @throws MaintenanceError
 */
export function restoreStore(options: RestoreOptions): Promise<RestoreReport> {
  const { backup, force = false, now, onProgress, signal, dryRun = false, ...source } = options
  const work = { onProgress, signal }
  const run = async () => {
    const from = namedPath(backup)
    const target = readDataFolder(source)
    refuseSameStore(storeFileOf(from), target)
    using db = openStore(from)
    return await withLockedFolder(target, dryRun, async (folder) => {
      const existing = undoKilledSwaps(folder, dryRun)
      if (!force) refuseStoreIn(folder, existing)
      const content = await inspectStore(db, from, work)
      const replaced = existing.length > 0 ? replacedFolder(folder, now) : undefined
      const report = { folder, ...content, ...(replaced === undefined ? {} : { replaced }) }
      if (dryRun) return { ...report, dryRun }
      const draft = temporaryPathInside(folder, 'restore')
      return withTemporaryFolder(draft, async (keep) => {
        await copyStore(db, { from, to: draft }, work)
        swapStores(folder, { draft, replaced, onStuck: keep })
        return report
      })
    })
  }
  return maintain(run, { signal, state: 'Nothing was restored.' })
}

/** Compares files, not paths: there may be links on the way. */
function refuseSameStore(backup: string, target: string): void {
  if (fileIdOf(backup) !== fileIdOf(join(target, STORE_FILE))) return
  throw new MaintenanceError('exists', `${backup} is the store of that data folder itself; nothing was changed.`, {
    hint: 'Name a folder created by fish-cli backup.',
  })
}

function refuseStoreIn(folder: string, names: readonly string[]): void {
  if (names.length === 0) return
  const what = names.every((name) => name === SECRETS_FILE) ? SECRETS_FILE : 'a store'
  throw new MaintenanceError('exists', `${folder} already has ${what}; nothing was changed.`, {
    hint: 'Name another folder, or add --force, which moves it to replaced-… in that folder.',
  })
}

/** The folder for the store that is replaced. Inside the data folder, so that moving also works on a mount point. */
function replacedFolder(folder: string, now: Date): string {
  const replaced = join(folder, `replaced-${now.toISOString().replaceAll(':', '-')}`)
  if (!pathExists(replaced)) return replaced
  throw new MaintenanceError('exists', `${replaced} already exists.`, { hint: 'Move it away.' })
}
