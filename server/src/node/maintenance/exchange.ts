import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { syncFolder } from '../../../../sdk/src/internal/files.node.ts'
import { type HighWater, MARK_FILE, readHighWater, readMark, writeMark } from '../../storage/file/mark.ts'
import { DatabaseSync } from '../../storage/file/sqlite.ts'
import { STORE_FILE } from '../../storage/file/store-file.ts'
import { SECRETS_FILE } from '../secrets-file.ts'
import { pathExists, tempFoldersIn } from './folder.ts'
import { MaintenanceError } from './maintenance.ts'

/** The files of a store. The store file moves in last and out first: without it, a server refuses the other files. */
const STORE_FILES = [STORE_FILE, `${STORE_FILE}-wal`, `${STORE_FILE}-shm`, SECRETS_FILE]

/** The files of a store that a folder contains. */
export function existingFiles(folder: string): string[] {
  return STORE_FILES.filter((name) => pathExists(join(folder, name)))
}

/** The plan of an exchange, stored in its draft so that a failed or killed exchange can be undone. */
interface Exchange {
  /** Name of the folder for the replaced store; `null` if there is none. */
  readonly replaced: string | null
  /** Names of the files that it gets. */
  readonly old: readonly string[]
  /** Inodes of the new files by their names: a rename preserves them. */
  readonly made: Readonly<Record<string, string>>
  readonly hadMark: boolean
  /** `null` also for a damaged mark. */
  readonly mark: HighWater | null
}

const EXCHANGE_FILE = 'exchange.json'

/**
 * Moves the store of a locked folder to a new folder inside it, and the one of a draft to its place. Undone if it fails.
 * @param replaced absolute path; `undefined` if there is no store
 * @param onStuck called when the failure cannot be undone: the draft is needed to do that later
 */
export function swapStores(
  folder: string,
  { draft, replaced, onStuck }: { draft: string; replaced: string | undefined; onStuck: () => void },
): void {
  const names = existingFiles(draft)
  const exchange: Exchange = {
    replaced: replaced === undefined ? null : basename(replaced),
    old: existingFiles(folder),
    made: Object.fromEntries(names.map((name) => [name, inodeOf(join(draft, name)) ?? ''])),
    hadMark: pathExists(join(folder, MARK_FILE)),
    mark: readMark(folder) ?? null,
  }
  writeFileSync(join(draft, EXCHANGE_FILE), JSON.stringify(exchange), { mode: 0o600, flag: 'wx', flush: true })
  syncFolder(draft)
  try {
    if (replaced !== undefined) {
      mkdirSync(replaced, { mode: 0o700 })
      if (exchange.mark) writeMark(replaced, exchange.mark)
    }
    announceStore(draft, folder)
    if (replaced !== undefined) {
      moveFiles(exchange.old, folder, replaced)
      syncFolder(replaced)
    }
    moveFiles(names.toReversed(), draft, folder)
    syncFolder(folder)
  } catch (error) {
    try {
      undoExchange(folder, draft, exchange)
    } catch {
      onStuck()
      throw stuck(folder, replaced, error)
    }
    throw error
  }
}

/**
 * Undoes what killed restores left unfinished in a locked folder. A dry run changes nothing.
 * @returns the store files that the folder then contains
 */
export function undoKilledSwaps(folder: string, dryRun: boolean): readonly string[] {
  for (const draft of tempFoldersIn(folder)) {
    const exchange = readExchange(draft)
    if (exchange && dryRun) return exchange.old
    if (exchange) undoExchange(folder, draft, exchange)
  }
  return existingFiles(folder)
}

/** An exchange whose draft has no store has ended. */
function readExchange(draft: string): Exchange | undefined {
  if (!existsSync(join(draft, STORE_FILE))) return undefined
  try {
    return JSON.parse(readFileSync(join(draft, EXCHANGE_FILE), 'utf8'))
  } catch {
    // None, or an incomplete one: nothing was moved.
    return undefined
  }
}

/** Can be repeated: a file that is not where it was moved is already back, or was never moved. */
function undoExchange(folder: string, draft: string, { replaced, old, made, hadMark, mark }: Exchange): void {
  const arrived = Object.entries(made).filter(([name, inode]) => inodeOf(join(folder, name)) === inode)
  moveFiles(
    arrived.map(([name]) => name),
    folder,
    draft,
  )
  const aside = replaced === null ? undefined : join(folder, replaced)
  if (aside !== undefined) {
    const left = existingFiles(aside).filter((name) => old.includes(name))
    moveFiles(left.toReversed(), aside, folder)
  }
  if (mark) writeMark(folder, mark)
  else if (!hadMark) rmSync(join(folder, MARK_FILE), { force: true })
  if (aside !== undefined && existsSync(aside)) {
    rmSync(join(aside, MARK_FILE), { force: true })
    rmdirSync(aside)
  }
  syncFolder(folder)
}

function stuck(folder: string, replaced: string | undefined, cause: unknown): MaintenanceError {
  const state =
    replaced === undefined
      ? `The restore failed, and some of its files cannot be removed from ${folder}.`
      : `The restore failed, and the replaced store cannot be put back: its files are in ${replaced} and in ${folder}.`
  return new MaintenanceError('unavailable', state, {
    hint: 'Check the disk, then run the restore again: it first puts everything back.',
    cause,
  })
}

function moveFiles(names: readonly string[], from: string, to: string): void {
  for (const name of names) renameSync(join(from, name), join(to, name))
}

function inodeOf(file: string): string | undefined {
  return lstatSync(file, { bigint: true, throwIfNoEntry: false })?.ino.toString()
}

/**
 * Writes the mark of the new store before the old store moves out: a restore that is killed in between leaves a folder
 * that a server refuses as damaged, instead of one in which it would create an empty store.
 */
function announceStore(draft: string, folder: string): void {
  using db = new DatabaseSync(join(draft, STORE_FILE), { readOnly: true })
  const mark = readHighWater(db)
  if (mark) writeMark(folder, mark)
  syncFolder(folder)
}
