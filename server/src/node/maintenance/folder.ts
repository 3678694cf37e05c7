import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type FolderLock, lockFolder, makeFolder } from '../../storage/file/folder.ts'
import { MaintenanceError, maintain, tooLong } from './errors.ts'

/** A temporary path, used while the file or folder is being made, and the one that it gets when it is complete. */
export interface Draft {
  readonly draft: string
  readonly path: string
}

export function draftOf(target: string): Draft {
  const path = resolve(target)
  return { draft: `${path}.partial-${randomBytes(4).toString('hex')}`, path }
}

/** Runs maintenance on a draft. Errors name the final path. */
export async function onDraft<Result>({ draft, path }: Draft, run: () => Promise<Result>): Promise<Result> {
  try {
    return await maintain(run)
  } catch (error) {
    if (!(error instanceof MaintenanceError) || !error.message.includes(draft)) throw error
    const { code, message, hint } = error
    throw new MaintenanceError(code, message.replaceAll(draft, path), { hint, cause: error })
  }
}

/** Runs maintenance with a draft folder, which is removed at the end unless it was renamed. */
export function inDraftFolder<Result>(draft: Draft, run: () => Promise<Result>): Promise<Result> {
  return onDraft(draft, async () => {
    mkdirSync(draft.draft, { mode: 0o700 })
    try {
      return await run()
    } finally {
      rmSync(draft.draft, { recursive: true, force: true })
    }
  })
}

/** Where {@link inLockedFolder} works. */
export interface LockedFolder {
  /** The data folder, which no server has open. */
  readonly folder: string
  /** A new folder inside it, which is removed at the end. */
  readonly draft: string
}

const LEFTOVER = /^\.(?:restore|import)-[0-9a-f]{8}$/

/**
 * Runs maintenance in a data folder, locked for this process. A failure leaves no lock file and no folder that did not
 * exist before. Drafts of killed runs are removed first: under the lock none of them is in use.
 * @param kind prefix of the draft's name
 * @throws StorageError `in_use`
 */
export async function inLockedFolder<Result>(
  target: string,
  kind: 'restore' | 'import',
  run: (locked: LockedFolder) => Promise<Result>,
): Promise<Result> {
  const { folder, undo } = await makeFolder(target)
  let lock: FolderLock | undefined
  try {
    lock = lockFolder(folder)
    removeLeftovers(folder)
    const draft = join(folder, `.${kind}-${randomBytes(4).toString('hex')}`)
    const result = await inDraftFolder({ draft, path: folder }, () => run({ folder, draft }))
    lock.close()
    return result
  } catch (error) {
    lock?.undo()
    undo()
    throw error
  }
}

function removeLeftovers(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || !LEFTOVER.test(entry.name)) continue
    try {
      rmSync(join(folder, entry.name), { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // Such as one of another user. It takes space and does no harm.
    }
  }
}

/**
 * Refuses a data folder that a server has open. The lock is released at once.
 * @param check runs under the lock
 * @throws StorageError `in_use`
 */
export function refuseInUse(folder: string, check: () => void = () => {}): void {
  if (!existsSync(folder)) return
  const lock = lockFolder(folder)
  try {
    check()
  } finally {
    lock.undo()
  }
}

/**
 * Checks that a new file or folder can be made.
 * @throws MaintenanceError `exists`, `no_store`, `invalid_path`; errors of the system
 */
export function checkNewPath({ draft, path }: Draft, kind: 'file' | 'folder'): void {
  refuseExisting(path, kind)
  const parent = dirname(path)
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    throw new MaintenanceError('no_store', `The folder ${parent} does not exist.`, { hint: 'Create it first.' })
  }
  // The longer one of the two.
  refuseTooLong(draft, path)
  checkWritable(parent)
}

export function refuseExisting(path: string, kind: 'file' | 'folder'): void {
  if (!pathExists(path)) return
  throw new MaintenanceError('exists', `${path} already exists; nothing was changed.`, {
    hint: `Name a ${kind} that does not exist.`,
  })
}

/** Also for a link that leads nowhere. A path that cannot be reached counts as absent: using it reports why. */
export function pathExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/**
 * Checks that a data folder is writable, or can be made.
 * @throws MaintenanceError `exists`, `invalid_path`; errors of the system
 */
export function checkDataFolder(folder: string): void {
  let nearest = folder
  const missing: string[] = []
  while (!pathExists(nearest) && dirname(nearest) !== nearest) {
    missing.push(basename(nearest))
    nearest = dirname(nearest)
  }
  if (!statSync(nearest, { throwIfNoEntry: false })?.isDirectory()) {
    throw new MaintenanceError('exists', `Something is in the way at ${nearest}.`, { hint: 'Name another folder.' })
  }
  // Each below the folder that exists: below a missing one the system accepts any length.
  for (const name of missing) refuseTooLong(join(nearest, name), folder)
  checkWritable(nearest)
}

/** An empty path would be the working folder. */
export function refuseEmpty(path: string): void {
  if (path !== '') return
  throw new MaintenanceError('invalid_path', 'The path is empty.', { hint: 'Name a file or a folder.' })
}

/** @param path for the error */
function refuseTooLong(tried: string, path: string): void {
  try {
    lstatSync(tried, { throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') throw tooLong(path, error)
  }
}

function checkWritable(folder: string): void {
  accessSync(folder, constants.W_OK | constants.X_OK)
}
