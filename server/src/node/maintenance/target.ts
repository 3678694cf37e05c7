import { accessSync, constants, existsSync, lstatSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lockFolder } from '../../storage/file/folder.ts'
import { MaintenanceError, tooLong } from './maintenance-error.ts'
import type { DraftNames } from './named-paths.ts'

/**
 * Refuses a name for something new that is taken or too long, or in a folder that is not there or cannot be written.
 * @param kind how the next step calls it
 * @throws MaintenanceError `exists`, `no_store`, `invalid_path`; errors of the system
 */
export function checkNewName({ draft, shown }: DraftNames, kind: 'file' | 'folder'): void {
  refuseTaken(shown, kind)
  const parent = dirname(shown)
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    throw new MaintenanceError('no_store', `There is no folder ${parent}.`, { hint: 'Make it first.' })
  }
  // The longer one of the two.
  refuseTooLong(draft, shown)
  checkWritable(parent)
}

/** Refuses a name that is taken. */
export function refuseTaken(path: string, kind: 'file' | 'folder'): void {
  if (!isTaken(path)) return
  throw new MaintenanceError('exists', `${path} exists already, and nothing was done.`, {
    hint: `Name a ${kind} that does not exist.`,
  })
}

/**
 * Whether there is anything of this name, also a link that leads nowhere. What cannot be reached counts as nothing: who
 * goes there is told why.
 */
export function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/**
 * Refuses a data folder that cannot be written, or made: then it is the nearest folder above that counts.
 * @throws MaintenanceError `exists` where something else is in the way, `invalid_path`; errors of the system
 */
export function checkDataFolder(folder: string): void {
  let nearest = folder
  const missing: string[] = []
  while (!isTaken(nearest) && dirname(nearest) !== nearest) {
    missing.push(basename(nearest))
    nearest = dirname(nearest)
  }
  if (!statSync(nearest, { throwIfNoEntry: false })?.isDirectory()) {
    throw new MaintenanceError('exists', `Something is in the way at ${nearest}.`, {
      hint: 'Name another folder.',
    })
  }
  // Each where it could be told now: below a folder that is not there, no name is too long.
  for (const name of missing) refuseTooLong(join(nearest, name), folder)
  checkWritable(nearest)
}

/**
 * Refuses a data folder that a server has open, and lets go of it at once.
 * @param look what may be done in it meanwhile
 * @throws StorageError `in_use`
 */
export function refuseInUse(folder: string, look: () => void = () => {}): void {
  if (!existsSync(folder)) return
  const lock = lockFolder(folder)
  try {
    look()
  } finally {
    lock.undo()
  }
}

/**
 * Refuses an empty path, which would otherwise be the working folder.
 * @throws MaintenanceError `invalid_path`
 */
export function refuseEmpty(path: string): void {
  if (path !== '') return
  throw new MaintenanceError('invalid_path', 'An empty path names nothing.', { hint: 'Name a file or a folder.' })
}

function refuseTooLong(path: string, shown: string): void {
  try {
    lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') throw tooLong(shown, error)
    // Anything else is found by whoever goes there.
  }
}

function checkWritable(folder: string): void {
  accessSync(folder, constants.W_OK | constants.X_OK)
}
