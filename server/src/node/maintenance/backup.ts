import { realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { STORE_FILE, syncFolder } from '../../storage/file/file-folder.ts'
import type { ConfigSource } from '../config.ts'
import { keptSecrets } from '../secrets-file.ts'
import { type SecretsState, secretsStateOf, secretsText, writeSecretsText } from './kept-secrets.ts'
import { MaintenanceError, maintain, tellInterruption } from './maintenance-error.ts'
import { folderOf, readMaintenanceSettings } from './maintenance-settings.ts'
import { inDraft, partialNames } from './named-paths.ts'
import { type DryRunMark, dryRunMark, type MaintenanceOptions, type WorkOptions, workOf } from './progress.ts'
import { copyStore } from './store-copy.ts'
import { checkWhole, contentOf, openStoreFile, type StoreContent, type StoreFacts, storeFileOf } from './store-file.ts'
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

const MOST_TRIES = 3

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
    await keptSecrets(from)
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

/** What a store holds that was found to be whole. */
export async function checkedContent(file: string, work: WorkOptions): Promise<StoreContent> {
  const db = openStoreFile(file)
  try {
    await checkWhole(db, file, work)
    return contentOf(db)
  } finally {
    db.close()
  }
}

interface Copying extends WorkOptions {
  /** A data folder. */
  readonly from: string
  /** Its store. */
  readonly file: string
  /** An empty folder. */
  readonly to: string
}

/** Copies a store and its secrets so that they belong together, although a resealing may change both meanwhile. */
export async function copyWithSecrets({ from, file, to, ...work }: Copying): Promise<StoreContent> {
  const db = openStoreFile(file)
  const copy = join(to, STORE_FILE)
  try {
    await checkWhole(db, file, work)
    for (let tries = 1; ; tries += 1) {
      const before = secretsText(from)
      const copied = await copyStore({ db, file }, copy, work)
      if (secretsText(from) === before) {
        if (before !== undefined) writeSecretsText(to, before)
        return copied
      }
      if (tries === MOST_TRIES) {
        throw new MaintenanceError('unavailable', 'The secrets changed while they were copied. Try again.')
      }
      rmSync(copy)
    }
  } finally {
    db.close()
  }
}

function refuseInside(data: string, target: string): void {
  const [outer, parent] = [realpathSync(data), realpathSync(dirname(target))]
  if (parent !== outer && !parent.startsWith(`${outer}${sep}`)) return
  throw new MaintenanceError('invalid_settings', `${target} is inside the data folder, and nothing was done.`, {
    hint: 'Name a folder elsewhere: what happens to the data would happen to its backup.',
  })
}
