import { mkdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { syncFolder } from '../../../sdk/src/internal/files.node.ts'
import type { ConfigSource } from '../node/config.ts'
import { pathExists, randomSuffix, removeTemp } from './core/folder.ts'
import { MaintenanceError, type MaintenanceOptions, maintain, namedPath, readDataFolder } from './core/maintenance.ts'
import { copyFolder, type StoreReport, storeFileOf } from './core/store.ts'

/** Options of {@link backupStore}. */
export interface BackupOptions extends ConfigSource, MaintenanceOptions {
  /** The folder to make. */
  readonly target: string
}

/** The content of a backup. */
export interface BackupReport extends StoreReport {
  /** Path of the backup. */
  readonly folder: string
}

/**
 * Copies a snapshot of a file store, even while a server uses the store. The new folder contains the store and the
 * secrets that decrypt its keys, and is itself a data folder. The folder appears under its final name when the copy is
 * complete and flushed to the disk.
 * @throws MaintenanceError
 * @example await backupStore({ env: { FISH_STORAGE: 'file:./data' }, target: 'monday' }) // { users: 3, … }
 */
export async function backupStore({ target, onProgress, signal, ...source }: BackupOptions): Promise<BackupReport> {
  const work = { onProgress, signal }
  const folder = namedPath(target)
  const run = async () => {
    const from = readDataFolder(source)
    storeFileOf(from)
    return await makeNew(folder, async (temp) => {
      refuseInside(from, folder)
      mkdirSync(temp, { mode: 0o700 })
      const report = await copyFolder(from, temp, work)
      syncFolder(temp)
      return { folder, ...report }
    })
  }
  return maintain(run, { signal, state: `${folder} was not made.` })
}

/**
 * Makes a folder under a temporary name, and renames the folder once `make` has flushed it to the disk. A failure
 * leaves no files.
 */
async function makeNew<Result>(path: string, make: (temp: string) => Promise<Result>): Promise<Result> {
  refuseExisting(path)
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) {
    throw new MaintenanceError('no_store', `The folder ${dirname(path)} does not exist.`, { hint: 'Create it first.' })
  }
  const temp = `${path}.partial-${randomSuffix()}`
  try {
    const result = await make(temp)
    refuseExisting(path)
    renameSync(temp, path)
    syncName(path)
    return result
  } finally {
    removeTemp(temp)
  }
}

function refuseExisting(path: string): void {
  if (!pathExists(path)) return
  throw new MaintenanceError('exists', `${path} already exists; nothing was changed.`, {
    hint: 'Name a folder that does not exist.',
  })
}

/** Flushes the name of a new folder. If the flush fails, the folder is removed. */
function syncName(path: string): void {
  try {
    syncFolder(dirname(path))
  } catch (error) {
    rmSync(path, { recursive: true })
    throw error
  }
}

function refuseInside(data: string, target: string): void {
  const [outer, parent] = [realpathSync(data), realpathSync(dirname(target))]
  if (parent !== outer && !parent.startsWith(`${outer}${sep}`)) return
  throw new MaintenanceError('invalid_settings', `${target} is inside the data folder; nothing was changed.`, {
    hint: 'Name a folder elsewhere, so that damage to the data does not damage its backup.',
  })
}
