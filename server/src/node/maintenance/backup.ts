import { randomBytes } from 'node:crypto'
import { existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { STORE_FILE, syncFolder } from '../../storage/file/file-folder.ts'
import type { ConfigSource } from '../config.ts'
import { keptSecrets } from '../secrets-file.ts'
import { type SecretsState, secretsStateOf, secretsText, writeSecretsText } from './kept-secrets.ts'
import { MaintenanceError, maintain } from './maintenance-error.ts'
import { folderOf, readMaintenanceSettings } from './maintenance-settings.ts'
import { inDraft } from './named-paths.ts'
import type { ProgressOptions } from './progress.ts'
import { checkWhole, copyStore, openStoreFile, type StoreFacts, storeFileOf } from './store-file.ts'

/** What {@link backupStore} takes. */
export interface BackupOptions extends ConfigSource, ProgressOptions {
  /** The folder to make. */
  readonly target: string
}

/** What a backup holds. */
export interface BackupReport extends StoreFacts {
  /** Where it is. */
  readonly folder: string
  readonly secrets: SecretsState
}

const MOST_TRIES = 3

/**
 * Copies a file store, as of one moment, while a server may serve it: the store and the secrets that open it, in a new
 * folder that is a data folder itself. The folder takes its name once it is whole, checked and on the disk.
 * @throws MaintenanceError
 */
export function backupStore({ target, onProgress, ...source }: BackupOptions): Promise<BackupReport> {
  return maintain(async () => {
    const from = folderOf(readMaintenanceSettings(source).storage)
    const file = storeFileOf(from)
    const folder = resolve(target)
    if (existsSync(folder)) throw inTheWay(folder)
    if (!statSync(dirname(folder), { throwIfNoEntry: false })?.isDirectory()) {
      throw new MaintenanceError('no_store', `There is no folder ${dirname(folder)}.`, { hint: 'Make it first.' })
    }
    refuseInside(from, folder)
    // Where they are damaged, it is these that are, not a copy of them.
    await keptSecrets(from)
    const draft = `${folder}.partial-${randomBytes(4).toString('hex')}`
    return inDraft({ draft, shown: folder }, async () => {
      const { facts, sealCheck } = copyWithSecrets({ from, file, to: draft, ...(onProgress ? { onProgress } : {}) })
      const secrets = await secretsStateOf(draft, sealCheck)
      syncFolder(draft)
      if (existsSync(folder)) throw inTheWay(folder)
      renameSync(draft, folder)
      syncFolder(dirname(folder))
      return { folder, ...facts, secrets }
    })
  })
}

interface Copying extends ProgressOptions {
  /** A data folder. */
  readonly from: string
  /** Its store. */
  readonly file: string
  /** An empty folder. */
  readonly to: string
}

/** Copies a store and its secrets so that they belong together, although a resealing may change both meanwhile. */
export function copyWithSecrets({ from, file, to, ...progress }: Copying): ReturnType<typeof copyStore> {
  const source = openStoreFile(file)
  const copy = join(to, STORE_FILE)
  try {
    checkWhole(source, file, progress)
    for (let tries = 1; ; tries += 1) {
      const before = secretsText(from)
      const copied = copyStore(source, copy, progress)
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
    source.close()
  }
}

function refuseInside(data: string, target: string): void {
  const [outer, parent] = [realpathSync(data), realpathSync(dirname(target))]
  if (parent !== outer && !parent.startsWith(`${outer}${sep}`)) return
  throw new MaintenanceError('invalid_settings', `${target} is inside the data folder, and nothing was done.`, {
    hint: 'Name a folder elsewhere: what happens to the data would happen to its backup.',
  })
}

function inTheWay(folder: string): MaintenanceError {
  return new MaintenanceError('exists', `${folder} exists already, and nothing was done.`, {
    hint: 'Name a folder that does not exist.',
  })
}
