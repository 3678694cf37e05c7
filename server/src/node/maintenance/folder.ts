import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../../../sdk/src/internal/files.node.ts'
import { type FolderLock, lockFolder, makeFolder } from '../../storage/file/folder.ts'
import { MaintenanceError } from './maintenance.ts'

/**
 * The temporary path at which a new file or folder is made.
 * @throws MaintenanceError `exists`, `no_store`
 */
export function temporaryPath(path: string, kind: 'file' | 'folder'): string {
  refuseExisting(path, kind)
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) {
    throw new MaintenanceError('no_store', `The folder ${dirname(path)} does not exist.`, { hint: 'Create it first.' })
  }
  return `${path}.partial-${randomSuffix()}`
}

export function refuseExisting(path: string, kind: 'file' | 'folder'): void {
  if (!pathExists(path)) return
  throw new MaintenanceError('exists', `${path} already exists; nothing was changed.`, {
    hint: `Name a ${kind} that does not exist.`,
  })
}

/** True for a dangling link, too. A path that cannot be reached counts as absent: using it reports why. */
export function pathExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/**
 * Makes a new folder at its temporary path, which is removed at the end unless it was renamed or is to be kept.
 * @param run returns the result; `keep` prevents the removal
 */
export async function withTempFolder<Result>(
  temp: string,
  run: (temp: string, keep: () => void) => Promise<Result>,
): Promise<Result> {
  mkdirSync(temp, { mode: 0o700 })
  let isKept = false
  const keep = () => {
    isKept = true
  }
  return run(temp, keep).finally(() => {
    if (!isKept) removeTemp(temp)
  })
}

/** Makes a temporary folder in a locked one, and removes those of killed runs. */
export function withTempFolderIn<Result>(
  folder: string,
  kind: 'restore' | 'import',
  run: (temp: string, keep: () => void) => Promise<Result>,
): Promise<Result> {
  for (const temp of tempFoldersIn(folder)) removeTemp(temp)
  return withTempFolder(join(folder, `.${kind}-${randomSuffix()}`), run)
}

/** A leftover only takes space. */
function removeTemp(temp: string): void {
  try {
    rmSync(temp, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // What the work did, or why it failed, matters more.
  }
}

/** Renames what is complete to its final name; undone if that fails. */
export function moveIntoPlace(temp: string, path: string): void {
  renameSync(temp, path)
  try {
    syncFolder(dirname(path))
  } catch (error) {
    renameSync(path, temp)
    throw error
  }
}

/**
 * Runs maintenance in a data folder, locked for this process and made if it is missing. A failure and a dry run leave no
 * lock file and no folder that did not exist before.
 * @throws StorageError `in_use`
 */
export async function withLockedFolder<Result>(
  target: string,
  dryRun: boolean,
  run: (folder: string) => Promise<Result>,
): Promise<Result> {
  const { folder, undo } = await makeFolder(target)
  let lock: FolderLock | undefined
  let isDone = false
  try {
    lock = lockFolder(folder)
    const result = await run(folder)
    isDone = !dryRun
    return result
  } finally {
    if (isDone) lock?.close()
    else {
      lock?.undo()
      undo()
    }
  }
}

const LEFTOVER = /^\.(?:restore|import)-[0-9a-f]{8}$/

/** The unfinished folders of killed runs in a locked folder: under the lock, none of them is in use. */
export function tempFoldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() && LEFTOVER.test(entry.name))
    .map(({ name }) => join(folder, name))
}

function randomSuffix(): string {
  return randomBytes(4).toString('hex')
}
