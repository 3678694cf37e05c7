import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** Makes created, renamed and deleted files in a folder survive a power loss. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder as a file; it writes names through by itself.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Creates an empty file that only its owner may read, and returns whether it did. An existing file is not even opened:
 * closing it would drop SQLite's locks on it.
 */
export function createPrivateFile(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY_FILE))
    return true
  } catch (error) {
    // Another process may have removed it since.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' && !existsSync(file)) throw error
    return false
  }
}

/**
 * Creates a folder, and missing folders above it. Nothing is left of a failure. A new folder is durable once the folder
 * above it is synced; `undo` removes the created ones that are empty.
 *
 * @param modes Of the folder, by default 0700, and of those above it, by default the system's
 */
export function createFolder(path: string, modes: { mode?: number; modeAbove?: number } = {}) {
  const { mode = OWNER_ONLY_FOLDER, modeAbove } = modes
  const folder = resolve(path)
  const missing = missingFolders(folder)
  const undo = () => {
    for (const created of missing) removeIfEmpty(created)
  }
  try {
    // One by one: Node's `recursive` never ends where an existing folder allows no new one, such as /proc.
    for (const one of missing.toReversed()) makeIfMissing(one, one === folder ? mode : modeAbove)
  } catch (error) {
    undo()
    throw error
  }
  return { folder, isNew: missing.length > 0, undo }
}

/** The folder and those above it that do not exist, the deepest first. */
function missingFolders(folder: string): readonly string[] {
  const missing: string[] = []
  for (let at = folder; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  return missing
}

function makeIfMissing(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have made it.
    if (!existsSync(folder)) throw error
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Not empty, or never created.
  }
}
