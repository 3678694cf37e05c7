import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { syncFolder } from '../../../../sdk/src/internal/files.node.ts'
import { type HighWater, MARK_FILE, readHighWater, readMark, writeMark } from '../../storage/file/mark.ts'
import { openDatabase } from '../../storage/file/sqlite.ts'
import { fileIdOf, STORE_FILE } from '../../storage/file/store-file.ts'
import type { ConfigSource } from '../config.ts'
import { SECRETS_FILE } from '../secrets-file.ts'
import { pathExists, tempFoldersIn, withLockedFolder, withTempFolder } from './folder.ts'
import {
  type DryRunOption,
  type DryRunReport,
  MaintenanceError,
  type MaintenanceOptions,
  maintain,
  namedPath,
  readDataFolder,
} from './maintenance.ts'
import { copyStore, inspectStore, openStore, type StoreReport, secretsText, storeFileOf } from './store.ts'

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
  const { backup, force = false, now, dryRun = false } = options
  const run = async () => {
    const from = namedPath(backup)
    const target = readDataFolder(options)
    refuseSameStore(storeFileOf(from), target)
    const secrets = secretsText(from)
    using db = openStore(from)
    return await withLockedFolder(target, dryRun, async (folder) => {
      const existing = undoKilledSwaps(folder, dryRun)
      if (!force) refuseStoreIn(folder, existing)
      const content = await inspectStore(db, from, options)
      const replaced = existing.length > 0 ? { replaced: replacedFolder(folder, now) } : {}
      const report = { folder, ...content, ...replaced }
      if (dryRun) return { ...report, dryRun }
      return withTempFolder(folder, 'restore', async (temp, keep) => {
        await copyStore(db, { from, to: temp, secrets }, options)
        swapStores(folder, { temp, ...replaced, onStuck: keep })
        return report
      })
    })
  }
  return maintain(run, { signal: options.signal, state: 'Nothing was restored.' })
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
export function replacedFolder(folder: string, now: Date): string {
  const replaced = join(folder, `replaced-${now.toISOString().replaceAll(':', '-')}`)
  if (!pathExists(replaced)) return replaced
  throw new MaintenanceError('exists', `${replaced} already exists.`, { hint: 'Move it away.' })
}

/** The files of a store. The store file moves in last and out first: without it, a server refuses the other files. */
const STORE_FILES = [STORE_FILE, `${STORE_FILE}-wal`, `${STORE_FILE}-shm`, SECRETS_FILE]

export function existingFiles(folder: string): string[] {
  return STORE_FILES.filter((name) => pathExists(join(folder, name)))
}

/** How to undo a swap; stored in the temporary folder of the new store, for one that is killed. */
interface SwapPlan {
  /** Where the old files go, relative to the data folder. */
  readonly aside: string
  readonly old: readonly string[]
  /** Ids of the new files by their names: a rename preserves them. */
  readonly made: Readonly<Record<string, string | undefined>>
  /** `null` also for a damaged mark. */
  readonly mark: HighWater | null
  readonly hadMark: boolean
}

const PLAN_FILE = 'swap.json'

/** Mark of a store whose schema counts no writes. It applies to no store, but shows that one is missing. */
const UNCOUNTED = { lineage: '', writes: 1 }

interface Swap {
  readonly temp: string
  readonly replaced?: string
  /** Called when the failure cannot be undone now: the temporary folder has to stay. */
  readonly onStuck: () => void
}

export function swapStores(folder: string, { temp, replaced, onStuck }: Swap): void {
  const aside = replaced ?? join(temp, 'replaced')
  const [old, made, mark] = [existingFiles(folder), existingFiles(temp), readMark(folder)]
  const plan: SwapPlan = {
    aside: relative(folder, aside),
    old,
    made: Object.fromEntries(made.map((name) => [name, fileIdOf(join(temp, name))])),
    mark: mark ?? null,
    hadMark: pathExists(join(folder, MARK_FILE)),
  }
  writeFileSync(join(temp, PLAN_FILE), JSON.stringify(plan), { mode: 0o600, flag: 'wx', flush: true })
  syncFolder(temp)
  try {
    mkdirSync(aside, { mode: 0o700 })
    if (mark) writeMark(aside, mark)
    // If this is killed, a server refuses a folder that has a mark and no store, instead of creating one.
    writeMark(folder, markOf(join(temp, STORE_FILE)))
    syncFolder(folder)
    moveFiles(old, folder, aside)
    syncFolder(aside)
    moveFiles(made.toReversed(), temp, folder)
    syncFolder(folder)
  } catch (error) {
    try {
      undoSwap(folder, plan)
    } catch {
      onStuck()
      const message = `The new store could not take its place, and the previous state cannot be restored: files are in ${aside} and in ${folder}.`
      const hint = 'Check the disk, then run it again: it first puts everything back.'
      throw new MaintenanceError('unavailable', message, { hint, cause: error })
    }
    throw error
  }
}

function markOf(file: string): HighWater {
  using db = openDatabase(file, { readOnly: true })
  return readHighWater(db) ?? UNCOUNTED
}

/** A dry run changes nothing. @returns the store files that the folder then contains */
export function undoKilledSwaps(folder: string, dryRun: boolean): readonly string[] {
  for (const temp of tempFoldersIn(folder)) {
    const plan = readPlan(temp)
    if (!plan) continue
    if (hasLaterStore(folder, plan)) {
      const moved = join(folder, plan.aside)
      // Nothing to move back: the store that is there stays.
      if (!plan.old.some((name) => pathExists(join(moved, name)))) continue
      const message = `A killed restore moved the store of ${folder} to ${moved}, and there is another one now; nothing was changed.`
      throw new MaintenanceError('exists', message, { hint: 'Move one of the two out of the data folder.' })
    }
    if (dryRun) return plan.old
    undoSwap(folder, plan)
  }
  return existingFiles(folder)
}

/** Whether a store was put there since the swap was killed: its files are neither the new ones nor old ones in their place. */
function hasLaterStore(folder: string, { aside, old, made }: SwapPlan): boolean {
  const isMoved = (name: string) => pathExists(join(folder, aside, name))
  const isLater = (name: string) =>
    fileIdOf(join(folder, name)) !== made[name] && (!old.includes(name) || isMoved(name))
  return existingFiles(folder).some(isLater)
}

/** A swap whose new store has left the temporary folder is complete. */
function readPlan(temp: string): SwapPlan | undefined {
  if (!existsSync(join(temp, STORE_FILE))) return undefined
  try {
    return JSON.parse(readFileSync(join(temp, PLAN_FILE), 'utf8'))
  } catch {
    // Missing or incomplete: nothing was moved.
    return undefined
  }
}

/** Can be repeated: a file that is not where it was moved is already back, or was never moved. */
function undoSwap(folder: string, { aside: relativeAside, old, made, mark, hadMark }: SwapPlan): void {
  const aside = join(folder, relativeAside)
  const moved = old.filter((name) => pathExists(join(aside, name)))
  moveFiles(moved.toReversed(), aside, folder)
  for (const [name, id] of Object.entries(made)) {
    if (fileIdOf(join(folder, name)) === id) rmSync(join(folder, name))
  }
  if (mark) writeMark(folder, mark)
  else if (!hadMark) rmSync(join(folder, MARK_FILE), { force: true })
  if (existsSync(aside)) {
    rmSync(join(aside, MARK_FILE), { force: true })
    rmdirSync(aside)
  }
  syncFolder(folder)
}

function moveFiles(names: readonly string[], from: string, to: string): void {
  for (const name of names) renameSync(join(from, name), join(to, name))
}
