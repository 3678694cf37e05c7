import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { syncFolder } from '../../storage/file/folder.ts'
import { MARK_FILE, readHighWater, writeMark } from '../../storage/file/mark.ts'
import { DatabaseSync } from '../../storage/file/sqlite.ts'
import { fileIdOf, STORE_FILE } from '../../storage/file/store-file.ts'
import type { ConfigSource } from '../config.ts'
import { SECRETS_FILE } from '../secrets-file.ts'
import { MaintenanceError, maintain } from './errors.ts'
import { checkDataFolder, inLockedFolder, pathExists, refuseEmpty, refuseInUse } from './folder.ts'
import {
  type DryRunReport,
  dryRunReport,
  folderOf,
  type MaintenanceOptions,
  readMaintenanceSettings,
} from './options.ts'
import { copyStore, inspectStore, type StoreReport } from './store-copy.ts'
import { storeFileOf } from './store-file.ts'

/** Options of {@link restoreStore}. */
export interface RestoreOptions extends ConfigSource, MaintenanceOptions {
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

// The log of SQLite belongs to its database: beside another one it would be taken for a part of that.
const STORE_FILES = [`${STORE_FILE}-wal`, `${STORE_FILE}-shm`, STORE_FILE, SECRETS_FILE]

/**
 * Puts a backup into a data folder that no server has open. The backup is checked first and copied whole: a failure
 * changes nothing.
 * @throws MaintenanceError
 */
export function restoreStore(options: RestoreOptions): Promise<RestoreReport> {
  const { backup, force = false, now, onProgress, signal, dryRun = false, ...source } = options
  const work = { onProgress, signal }
  const run = async () => {
    refuseEmpty(backup)
    const target = folderOf(readMaintenanceSettings(source).storage)
    const from = resolve(backup)
    const file = storeFileOf(from)
    refuseItself(file, target)
    const planned = await inspectStore(from, file, work)
    if (!force && existingFiles(target).length > 0) {
      // First: --force would not help.
      refuseInUse(target)
      refuseStoreIn(target)
    }
    checkDataFolder(target)
    const replaced = replacedFolder(target, now)
    if (dryRun) {
      refuseInUse(target)
      return { folder: target, ...planned, ...replaced, ...dryRunReport(dryRun) }
    }
    return inLockedFolder(target, 'restore', async ({ folder, draft }) => {
      // Again: a server may have made one before the folder was locked.
      if (!force) refuseStoreIn(folder)
      const report = await copyStore({ from, file, to: draft }, work)
      const replaced = moveStoreAway(folder, now, () => announceStore(draft, folder))
      // The store last: a store that is there can be opened.
      for (const name of [SECRETS_FILE, STORE_FILE]) {
        if (existsSync(join(draft, name))) renameSync(join(draft, name), join(folder, name))
      }
      syncFolder(folder)
      return { folder, ...report, ...replaced }
    })
  }
  return maintain(run, { signal, state: 'Nothing was restored.' })
}

/** Compares files, not paths: there may be links on the way. */
function refuseItself(backup: string, target: string): void {
  if (fileIdOf(backup) !== fileIdOf(join(target, STORE_FILE))) return
  throw new MaintenanceError('exists', `${backup} is the store of that data folder itself, and nothing was done.`, {
    hint: 'Name a folder that fish-cli backup made.',
  })
}

function existingFiles(folder: string): string[] {
  return STORE_FILES.filter((name) => pathExists(join(folder, name)))
}

function refuseStoreIn(folder: string): void {
  const names = existingFiles(folder)
  if (names.length === 0) return
  const what = names.every((name) => name === SECRETS_FILE) ? SECRETS_FILE : 'a store'
  throw new MaintenanceError('exists', `${folder} already has ${what}, and nothing was done.`, {
    hint: 'Name another folder, or add --force, which moves it to replaced-… in that folder.',
  })
}

/** Inside the data folder, so that moving also works on a mount point. */
function replacedFolder(folder: string, now: Date): Pick<RestoreReport, 'replaced'> {
  if (existingFiles(folder).length === 0) return {}
  const replaced = join(folder, `replaced-${now.toISOString().replaceAll(':', '-')}`)
  if (!pathExists(replaced)) return { replaced }
  throw new MaintenanceError('exists', `Something is in the way at ${replaced}.`, { hint: 'Move it away.' })
}

/**
 * Lets the mark of the folder be that of the new store before the old one leaves: a restore that is killed in between
 * leaves a folder that a server refuses as damaged, instead of one in which it starts an empty store.
 */
function announceStore(draft: string, folder: string): void {
  const db = new DatabaseSync(join(draft, STORE_FILE), { readOnly: true })
  try {
    const mark = readHighWater(db)
    if (mark) writeMark(folder, mark)
    syncFolder(folder)
  } finally {
    db.close()
  }
}

function moveStoreAway(folder: string, now: Date, onSaved: () => void): Pick<RestoreReport, 'replaced'> {
  const { replaced } = replacedFolder(folder, now)
  if (replaced === undefined) {
    onSaved()
    return {}
  }
  mkdirSync(replaced, { mode: 0o700 })
  checkpoint(join(folder, STORE_FILE))
  if (existsSync(join(folder, MARK_FILE))) copyFileSync(join(folder, MARK_FILE), join(replaced, MARK_FILE))
  onSaved()
  for (const name of STORE_FILES) {
    if (pathExists(join(folder, name))) renameSync(join(folder, name), join(replaced, name))
  }
  syncFolder(replaced)
  return { replaced }
}

/** Moves the log of a store into its file, so that one rename moves all of it. */
function checkpoint(file: string): void {
  if (!existsSync(file)) return
  try {
    const db = new DatabaseSync(file)
    try {
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      db.close()
    }
  } catch {
    // A damaged store is moved as it is, with its log.
  }
}
