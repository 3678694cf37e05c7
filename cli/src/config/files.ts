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

/** Reads a text file; `undefined` when it does not exist. @throws CliError `file_not_read` */
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
 * Creates the folder of a file, and missing parents.
 *
 * @param mode Mode of the created folders. @default 0o700
 * @throws the error of the file system
 */
export function makeFolderOf(path: string, mode = OWNER_ONLY_FOLDER): void {
  // One by one: Node's `recursive` loops forever where mkdir reports ENOENT in an existing folder, as in /proc.
  for (const folder of parentFolders(dirname(path)).missing) makeFolder(folder, mode)
}

/**
 * Checks whether a file can be created or replaced, without changing anything.
 *
 * @param mayWrite Throws for a folder that is not writable
 * @throws what {@link replaceFile} would throw
 */
export function checkReplaceable(path: string, mayWrite: (folder: string) => void = writable): void {
  const target = targetOf(path)
  mayWrite(parentFolders(dirname(target)).nearest)
  for (const file of [target, draftOf(target)]) {
    if (statsOf(lstatSync, file)?.isDirectory()) throw systemError('EISDIR')
  }
}

/**
 * Replaces a file atomically and durably, with mode 0600. The target of a symbolic link is replaced, not the link. Requires
 * the lock of `lock.ts`.
 *
 * Our own: write-file-atomic 8 does not sync the folder, so that a power cut may undo the rename, and a killed process
 * leaves its draft behind.
 *
 * @throws the error of the file system; the file is unchanged
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

/** The nearest existing folder, and the missing ones below it. @throws when a path segment is not a folder */
function parentFolders(folder: string): { readonly nearest: string; readonly missing: readonly string[] } {
  const found = statsOf(statSync, folder)
  if (found?.isDirectory()) return { nearest: folder, missing: [] }
  if (found) throw systemError('ENOTDIR')
  // A dangling link.
  if (statsOf(lstatSync, folder)) throw systemError('EEXIST')
  const above = dirname(folder)
  // A drive that does not exist.
  if (above === folder) throw systemError('ENOENT')
  const { nearest, missing } = parentFolders(above)
  return { nearest, missing: [...missing, folder] }
}

function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have created it.
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

// A fixed name: the next change removes what a killed process left.
function draftOf(target: string): string {
  return `${target}.new`
}

/** Removes the draft of a killed process. @throws the error of the file system, also when it is a folder */
export function removeDraft(draft: string): void {
  // With the code of the system: `rmSync` has its own for a folder.
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

// A rename is durable once its folder is synced.
function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

type FileOperation = 'read' | 'written' | 'locked'

/** An error of the file system with its path and code, never with content. */
export function fileError({ code, name }: NodeJS.ErrnoException, path: string, operation: FileOperation): CliError {
  return new CliError({
    code: `file_not_${operation}`,
    message: `${path} cannot be ${operation} (${code ?? name}).`,
    hint: 'Check the owner of the file and its folder and the free space, or set XDG_CONFIG_HOME and XDG_STATE_HOME.',
    exit: EXIT.failure,
  })
}

/** Whether a file does not exist. */
export function isNotFound(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Creates an error like one of the file system. */
export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}
