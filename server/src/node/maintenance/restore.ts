import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { syncFolder } from '../../storage/file/folder.ts'
import { MARK_FILE } from '../../storage/file/mark.ts'
import { DatabaseSync } from '../../storage/file/sqlite.ts'
import { fileIdOf, STORE_FILE } from '../../storage/file/store-file.ts'
import type { ConfigSource } from '../config.ts'
import { SECRETS_FILE, storedSecrets } from '../secrets-file.ts'
import { type SecretsState, secretsStateOf } from './kept-secrets.ts'
import { inLockedFolder } from './locked-folder.ts'
import { MaintenanceError, maintain, tellInterruption } from './maintenance-error.ts'
import { folderOf, readMaintenanceSettings } from './maintenance-settings.ts'
import { type DryRunMark, dryRunMark, type MaintenanceOptions, workOf } from './progress.ts'
import { checkedContent, copyWithSecrets } from './store-copy.ts'
import { type StoreFacts, storeFileOf } from './store-file.ts'
import { checkDataFolder, isTaken, refuseEmpty, refuseInUse } from './target.ts'

/** What {@link restoreStore} takes. */
export interface RestoreOptions extends ConfigSource, MaintenanceOptions {
  /** A folder that `backupStore` made. */
  readonly backup: string
  /** Replace a store that is there; it is kept in the data folder, as `replaced-…`. @default refuse */
  readonly force?: boolean
  /** Names the folder where a replaced store is kept. */
  readonly now: Date
}

/** What was restored. */
export interface RestoreReport extends StoreFacts, DryRunMark {
  readonly folder: string
  readonly secrets: SecretsState
  /** Where the store is that was there before; of a dry run, where it would be, were it done at that `now`. */
  readonly replaced?: string
}

// The log of SQLite goes with its database: beside another one it would be taken for a part of that.
const STORE_FILES = [`${STORE_FILE}-wal`, `${STORE_FILE}-shm`, STORE_FILE, SECRETS_FILE]

/**
 * Puts a backup into a data folder, checked first and copied whole: what goes wrong on the way changes nothing. No
 * server may have the folder open.
 * @throws MaintenanceError
 */
export function restoreStore(options: RestoreOptions): Promise<RestoreReport> {
  const { backup, force = false, now, onProgress, signal, dryRun = false, ...source } = options
  const work = workOf({ onProgress, signal })
  const run = async () => {
    refuseEmpty(backup)
    const target = folderOf(readMaintenanceSettings(source).storage)
    const from = resolve(backup)
    const file = storeFileOf(from)
    refuseItself(file, target)
    const { facts, sealCheck } = await checkedContent(file, work)
    // Where they are damaged, it is these that are, not a copy of them.
    await storedSecrets(from)
    if (!force && found(target).length > 0) {
      // First: --force would not help.
      refuseInUse(target)
      refuseStoreIn(target)
    }
    checkDataFolder(target)
    const aside = found(target).length > 0 ? asideOf(target, now) : undefined
    if (dryRun) {
      refuseInUse(target)
      const secrets = await secretsStateOf(from, sealCheck)
      return { folder: target, ...facts, secrets, ...replacing(aside), ...dryRunMark(dryRun) }
    }
    return inLockedFolder(target, 'restore', async ({ folder, draft }) => {
      // Once more: a server may have made one before the folder was locked.
      if (!force) refuseStoreIn(folder)
      const copied = await copyWithSecrets({ from, file, to: draft, ...work })
      const secrets = await secretsStateOf(draft, copied.sealCheck)
      const replaced = found(folder).length > 0 ? keepAside(folder, now) : undefined
      // The store goes last: there is none until it can be opened.
      for (const name of [SECRETS_FILE, STORE_FILE]) {
        if (existsSync(join(draft, name))) renameSync(join(draft, name), join(folder, name))
      }
      syncFolder(folder)
      return { folder, ...copied.facts, secrets, ...replacing(replaced) }
    })
  }
  return maintain(() => run().catch(tellInterruption(signal, 'Nothing was restored.', 'Run it again.')))
}

function replacing(replaced: string | undefined): Pick<RestoreReport, 'replaced'> {
  return replaced === undefined ? {} : { replaced }
}

/** By what the files are, not by their names: there may be links on the way. */
function refuseItself(backup: string, target: string): void {
  if (fileIdOf(backup) !== fileIdOf(join(target, STORE_FILE))) return
  throw new MaintenanceError('exists', `${backup} is the store of that data folder itself, and nothing was done.`, {
    hint: 'Name a folder that fish-cli backup made.',
  })
}

function found(folder: string): string[] {
  return STORE_FILES.filter((name) => isTaken(join(folder, name)))
}

function refuseStoreIn(folder: string): void {
  const names = found(folder)
  if (names.length === 0) return
  const what = names.every((name) => name === SECRETS_FILE) ? SECRETS_FILE : 'a store'
  throw new MaintenanceError('exists', `${folder} holds ${what} already, and nothing was done.`, {
    hint: 'Name another folder, or add --force: what is there is then kept in that folder, as replaced-….',
  })
}

/** Where the store of a folder goes: into that folder, so that it also works on a mount point. */
function asideOf(folder: string, now: Date): string {
  const aside = join(folder, `replaced-${now.toISOString().replaceAll(':', '-')}`)
  if (!isTaken(aside)) return aside
  throw new MaintenanceError('exists', `Something is in the way at ${aside}.`, { hint: 'Move it away.' })
}

/** Moves the store of a locked folder there. */
function keepAside(folder: string, now: Date): string {
  const aside = asideOf(folder, now)
  mkdirSync(aside, { mode: 0o700 })
  takeInLog(join(folder, STORE_FILE))
  for (const name of [MARK_FILE, ...STORE_FILES]) {
    if (isTaken(join(folder, name))) renameSync(join(folder, name), join(aside, name))
  }
  syncFolder(aside)
  return aside
}

/** Moves what is in the log of a store into its file, so that one rename takes all of it. */
function takeInLog(file: string): void {
  if (!existsSync(file)) return
  try {
    const db = new DatabaseSync(file)
    try {
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      db.close()
    }
  } catch {
    // A store that is damaged is just what is replaced: it is moved as it is, log and all.
  }
}
