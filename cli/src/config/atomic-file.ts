import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** Makes the folder of a file, which only its owner may enter when it is made here. */
export function makeFolderOf(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
}

/**
 * Replaces a file as a whole, readable by its owner alone. Whoever reads meanwhile, and whatever is cut off, sees the
 * old content or the new one. A link stays a link: what it points to is replaced. One at a time may do so
 * (`whileLocked`).
 *
 * @throws The error of the file system; the file is as it was.
 */
export function replaceFile(path: string, content: string): void {
  makeFolderOf(path)
  const target = targetOf(path)
  // Always the same name, so that what a killed process left is gone with the next change.
  const draft = `${target}.new`
  rmSync(draft, { force: true })
  try {
    writeToDisk(draft, content)
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  if (process.platform !== 'win32') syncFolder(dirname(target))
}

function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function writeToDisk(path: string, content: string): void {
  const file = openSync(path, 'wx', OWNER_ONLY_FILE)
  try {
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

// A rename is on the disk when its folder is.
function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
