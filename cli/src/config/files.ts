import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { CliError, EXIT } from '../core/errors.ts'

/** What a file says; `undefined` when there is none. @throws CliError `file_not_read` */
export function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw fileError(error as NodeJS.ErrnoException, path, 'read')
  }
}

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700

/**
 * Makes the folder of a file, and those above it that are missing.
 *
 * @param mode Of each that is made here. @default 0o700: only the owner may enter
 * @throws The error of the file system.
 */
export function makeFolderOf(path: string, mode = OWNER_ONLY_FOLDER): void {
  // One by one: Node's `recursive` never ends where the system says ENOENT below a folder that exists, as in /proc.
  for (const folder of foldersOnTheWay(dirname(path)).missing) makeFolder(folder, mode)
}

/**
 * Looks whether a file can be replaced, or made with the folders it needs, and changes nothing.
 *
 * @param mayWrite Throws where a folder cannot be written.
 * @throws What replacing it would.
 */
export function checkReplaceable(path: string, mayWrite: (folder: string) => void = writable): void {
  const target = targetOf(path)
  mayWrite(foldersOnTheWay(dirname(target)).nearest)
  for (const file of [target, draftOf(target)]) {
    if (statsOf(lstatSync, file)?.isDirectory()) throw systemError('EISDIR')
  }
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
  const draft = draftOf(target)
  removeDraft(draft)
  try {
    writeToDisk(draft, content)
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  if (process.platform !== 'win32') syncFolder(dirname(target))
}

/** The nearest folder that exists, and what is missing below it, from above. @throws The error of whoever stands there */
function foldersOnTheWay(folder: string): { readonly nearest: string; readonly missing: readonly string[] } {
  const found = statsOf(statSync, folder)
  if (found?.isDirectory()) return { nearest: folder, missing: [] }
  if (found) throw systemError('ENOTDIR')
  // A link that leads nowhere is no place for a folder.
  if (statsOf(lstatSync, folder)) throw systemError('EEXIST')
  const above = dirname(folder)
  // A drive that is not there.
  if (above === folder) throw systemError('ENOENT')
  const { nearest, missing } = foldersOnTheWay(above)
  return { nearest, missing: [...missing, folder] }
}

function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process made it meanwhile.
    if (!statsOf(statSync, folder)?.isDirectory()) throw error
  }
}

function statsOf(ask: (path: string) => Stats, path: string): Stats | undefined {
  try {
    return ask(path)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function writable(folder: string): void {
  accessSync(folder, constants.W_OK | constants.X_OK)
}

// Always the same name, so that what a killed process left is gone with the next change.
function draftOf(target: string): string {
  return `${target}.new`
}

/** Removes what a killed process may have left of a draft. @throws The error of the file system, also where a folder stands there */
export function removeDraft(draft: string): void {
  // In words of the system's: what `rmSync` says of a folder is Node's own.
  if (statsOf(lstatSync, draft)?.isDirectory()) throw systemError('EISDIR')
  rmSync(draft, { force: true })
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

/** What was to be done with a file. */
type FileOperation = 'read' | 'written' | 'locked'

/** A failure of the file system, told with the path and its name for it, and never with content. */
export function fileError({ code, name }: NodeJS.ErrnoException, path: string, deed: FileOperation): CliError {
  return new CliError({
    code: `file_not_${deed}`,
    message: `${path} cannot be ${deed} (${code ?? name}).`,
    hint: 'Check that the folder and the file belong to you and that the disk has room, or set XDG_CONFIG_HOME and XDG_STATE_HOME.',
    exit: EXIT.failure,
  })
}

/** Whether an error of the file system says that there is no such file. */
export function isNotFound(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** An error as the file system throws it, for what was found out before it had to. */
export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}
