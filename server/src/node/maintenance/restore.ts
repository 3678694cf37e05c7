import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../../../../sdk/src/internal/files.node.ts'
import { MARK_FILE, readHighWater, writeMark } from '../../storage/file/mark.ts'
import { DatabaseSync } from '../../storage/file/sqlite.ts'
import { fileIdOf, STORE_FILE } from '../../storage/file/store-file.ts'
import type { ConfigSource } from '../config.ts'
import { SECRETS_FILE } from '../secrets-file.ts'
import { draftInside, inDraftFolder, inLockedFolder, pathExists } from './folder.ts'
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

// The log of SQLite belongs to its database: SQLite would apply it to another one in the same folder.
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
    const from = namedPath(backup)
    const target = readDataFolder(source)
    refuseItself(storeFileOf(from), target)
    using db = openStore(from)
    return await inLockedFolder(target, dryRun, async (folder) => {
      if (!force) refuseStoreIn(folder)
      const content = await inspectStore(db, from, work)
      const replaced = replacedFolder(folder, now)
      const report = { folder, ...content, ...(replaced === undefined ? {} : { replaced }) }
      if (dryRun) return { ...report, dryRun }
      const draft = draftInside(folder, 'restore')
      return inDraftFolder(draft, async () => {
        await copyStore(db, { from, to: draft }, work)
        replaceStore(folder, draft, replaced)
        return report
      })
    })
  }
  return maintain(run, { signal, state: 'Nothing was restored.' })
}

/** Compares files, not paths: there may be links on the way. */
function refuseItself(backup: string, target: string): void {
  if (fileIdOf(backup) !== fileIdOf(join(target, STORE_FILE))) return
  throw new MaintenanceError('exists', `${backup} is the store of that data folder itself; nothing was changed.`, {
    hint: 'Name a folder created by fish-cli backup.',
  })
}

function existingFiles(folder: string): string[] {
  return STORE_FILES.filter((name) => pathExists(join(folder, name)))
}

function refuseStoreIn(folder: string): void {
  const names = existingFiles(folder)
  if (names.length === 0) return
  const what = names.every((name) => name === SECRETS_FILE) ? SECRETS_FILE : 'a store'
  throw new MaintenanceError('exists', `${folder} already has ${what}; nothing was changed.`, {
    hint: 'Name another folder, or add --force, which moves it to replaced-… in that folder.',
  })
}

/** The folder for the store that is replaced, if any. Inside the data folder, so that moving also works on a mount point. */
function replacedFolder(folder: string, now: Date): string | undefined {
  if (existingFiles(folder).length === 0) return undefined
  const replaced = join(folder, `replaced-${now.toISOString().replaceAll(':', '-')}`)
  if (!pathExists(replaced)) return replaced
  throw new MaintenanceError('exists', `${replaced} already exists.`, { hint: 'Move it away.' })
}

function replaceStore(folder: string, draft: string, replaced: string | undefined): void {
  if (replaced !== undefined) {
    mkdirSync(replaced, { mode: 0o700 })
    checkpoint(join(folder, STORE_FILE))
    if (existsSync(join(folder, MARK_FILE))) copyFileSync(join(folder, MARK_FILE), join(replaced, MARK_FILE))
  }
  announceStore(draft, folder)
  if (replaced !== undefined) {
    moveFiles(existingFiles(folder), folder, replaced)
    syncFolder(replaced)
  }
  // The store last: a store that is there can be opened.
  moveFiles(existingFiles(draft).toReversed(), draft, folder)
  syncFolder(folder)
}

function moveFiles(names: readonly string[], from: string, to: string): void {
  for (const name of names) renameSync(join(from, name), join(to, name))
}

/**
 * Lets the mark of the folder be that of the new store before the old one leaves: a restore that is killed in between
 * leaves a folder that a server refuses as damaged, instead of one in which it starts an empty store.
 */
function announceStore(draft: string, folder: string): void {
  using db = new DatabaseSync(join(draft, STORE_FILE), { readOnly: true })
  const mark = readHighWater(db)
  if (mark) writeMark(folder, mark)
  syncFolder(folder)
}

/** Moves the log of a store into its file, so that one rename moves all of it. */
function checkpoint(file: string): void {
  if (!existsSync(file)) return
  try {
    using db = new DatabaseSync(file)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // A damaged store is moved as it is, with its log.
  }
}
