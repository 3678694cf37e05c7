import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** Makes created, renamed and deleted files in a folder survive a power loss. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder as a file, but writes file names to disk without a sync.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Creates an empty file that only its owner may read, and returns whether the file is new. An existing file is not
 * opened, because closing a file drops SQLite's locks on this file.
 */
export function createPrivateFile(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY_FILE))
    return true
  } catch (error) {
    // After EEXIST, another process may have removed the file, so a missing file is not an error.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' && !existsSync(file)) throw error
    return false
  }
}

/**
 * Creates a folder and the missing folders above it. If a step fails, the created folders are removed. A new folder is
 * durable after a sync of the folder above it. `undo` removes the created folders that are empty.
 *
 * @param modes `mode` of the folder (default 0700), `modeAbove` of the created folders above it (default of the system)
 */
export function createFolder(path: string, modes: { mode?: number; modeAbove?: number } = {}) {
  const { mode = OWNER_ONLY_FOLDER, modeAbove } = modes
  const folder = resolve(path)
  const missing = missingFolders(folder)
  const undo = () => {
    for (const created of missing) removeIfEmpty(created)
  }
  try {
    // The folders are created one by one, because Node's `recursive` option never returns if an existing folder, such
    // as /proc, allows no new folders.
    for (const one of missing.toReversed()) makeIfMissing(one, one === folder ? mode : modeAbove)
  } catch (error) {
    undo()
    throw error
  }
  return { folder, isNew: missing.length > 0, undo }
}

/** The given folder and the folders above it, as far as they do not exist, deepest first. */
function missingFolders(folder: string): readonly string[] {
  const missing: string[] = []
  for (let at = folder; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  return missing
}

function makeIfMissing(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have created the folder.
    if (!existsSync(folder)) throw error
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // The folder is not empty or was never created.
  }
}
