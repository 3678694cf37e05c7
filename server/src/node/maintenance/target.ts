import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { lockFolder } from '../../storage/file/file-lock.ts'
import { MaintenanceError } from './maintenance-error.ts'

/**
 * Refuses a name for something new that is taken, or in a folder that is not there or cannot be written.
 * @param kind how the next step calls it
 * @throws MaintenanceError `exists`, `no_store`; errors of the system
 */
export function checkNewName(path: string, kind: 'file' | 'folder'): void {
  refuseTaken(path, kind)
  const parent = dirname(path)
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    throw new MaintenanceError('no_store', `There is no folder ${parent}.`, { hint: 'Make it first.' })
  }
  checkWritable(parent)
}

/** Refuses a name that is taken. */
export function refuseTaken(path: string, kind: 'file' | 'folder'): void {
  if (!existsSync(path)) return
  throw new MaintenanceError('exists', `${path} exists already, and nothing was done.`, {
    hint: `Name a ${kind} that does not exist.`,
  })
}

/**
 * Refuses a data folder that cannot be written, or made: then it is the nearest folder above that counts.
 * @throws MaintenanceError `exists` where something else is in the way; errors of the system
 */
export function checkDataFolder(folder: string): void {
  let nearest = folder
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  if (!statSync(nearest).isDirectory()) {
    throw new MaintenanceError('exists', `Something is in the way at ${nearest}.`, {
      hint: 'Name another folder.',
    })
  }
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

function checkWritable(folder: string): void {
  accessSync(folder, constants.W_OK | constants.X_OK)
}
