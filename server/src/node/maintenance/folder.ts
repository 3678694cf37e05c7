import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../../../sdk/src/internal/files.node.ts'
import { shellCommand } from '../../../../sdk/src/internal/shell-command.ts'
import type { FishStorage } from '../../storage/core/types.ts'
import { type FolderLock, lockFolder, makeFolder } from '../../storage/file/folder.ts'
import { STORE_FILE } from '../../storage/file/store-file.ts'
import { createStorage } from '../../storage/index.ts'
import { readSecretsText, SECRETS_FILE } from '../secrets-file.ts'
import { MaintenanceError, type MaintenanceSettings } from './maintenance.ts'

/** The new file or folder gets its name once `make` has flushed it to the disk; nothing is left of a failure. */
export async function makeNew<Result>(
  path: string,
  kind: 'file' | 'folder',
  make: (temp: string) => Promise<Result>,
): Promise<Result> {
  refuseExisting(path, kind)
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) {
    throw new MaintenanceError('no_store', `The folder ${dirname(path)} does not exist.`, { hint: 'Create it first.' })
  }
  const temp = `${path}.partial-${randomSuffix()}`
  try {
    const result = await make(temp)
    if (!tryLink(temp, path)) {
      refuseExisting(path, kind)
      renameSync(temp, path)
    }
    syncName(path)
    return result
  } finally {
    removeTemp(temp)
  }
}

function refuseExisting(path: string, kind: 'file' | 'folder'): void {
  if (!pathExists(path)) return
  throw new MaintenanceError('exists', `${path} already exists; nothing was changed.`, {
    hint: `Name a ${kind} that does not exist.`,
  })
}

/** Unlike a rename, a link never replaces an existing file. Folders have none, and neither have some file systems. */
function tryLink(temp: string, path: string): boolean {
  try {
    linkSync(temp, path)
    return true
  } catch {
    return false
  }
}

/** Flushes the name of a new file or folder, which is removed if that fails. */
function syncName(path: string): void {
  try {
    syncFolder(dirname(path))
  } catch (error) {
    rmSync(path, { recursive: true })
    throw error
  }
}

/** Also a dangling link. A path that cannot be reached counts as absent: using it reports why. */
function pathExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** Removes the folder at the end, and at the start those of killed runs. */
export async function withTempFolder<Result>(
  folder: string,
  kind: 'restore' | 'import' | 'copy',
  run: (temp: string) => Promise<Result>,
): Promise<Result> {
  for (const killed of tempFoldersIn(folder)) removeTemp(killed)
  const temp = join(folder, `.${kind}-${randomSuffix()}`)
  mkdirSync(temp, { mode: 0o700 })
  return run(temp).finally(() => removeTemp(temp))
}

function removeTemp(temp: string): void {
  try {
    rmSync(temp, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // What the work did, or why it failed, matters more.
  }
}

/** Makes a missing folder. A failure and a dry run leave no lock file and no folder that did not exist before. */
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

/** Opens a storage to change it. */
export async function useStorage<Result>(
  address: MaintenanceSettings['storage'],
  use: (storage: FishStorage) => Promise<Result>,
): Promise<Result> {
  const storage = await createStorage(address)
  return await use(storage).finally(() => storage.dispose())
}

/** The files of a store. A log alone counts too: SQLite would read it as a part of a new store. */
const STORE_FILES = [STORE_FILE, `${STORE_FILE}-wal`, `${STORE_FILE}-shm`]

/** A folder keeps its secrets, unless the caller brings others. @throws MaintenanceError `exists` */
export function refuseStore(folder: string, secrets: readonly string[] = []): void {
  if (STORE_FILES.some((name) => pathExists(join(folder, name)))) throw existsError(folder, 'a store', secrets)
}

/** A killed run may have moved the same secrets. @throws MaintenanceError `exists` */
export function refuseOtherSecrets(folder: string, secrets: string | undefined): void {
  if (!pathExists(join(folder, SECRETS_FILE)) || readSecretsText(folder) === secrets) return
  throw existsError(folder, SECRETS_FILE, [SECRETS_FILE])
}

function existsError(folder: string, what: string, secrets: readonly string[]): MaintenanceError {
  const files = [...STORE_FILES, ...secrets].map((name) => join(folder, name)).filter(pathExists)
  const aside = unusedPath(join(folder, 'old-store'))
  const command = `${shellCommand(['mkdir', aside])} && ${shellCommand(['mv', ...files, aside])}`
  return new MaintenanceError('exists', `${folder} already has ${what}; nothing was changed.`, {
    hint: `Name another folder, or stop its server and move the files away:\n    ${command}`,
  })
}

/** The path, or the first of `PATH-2`, `PATH-3`, … that does not exist. */
function unusedPath(path: string, number = 2): string {
  if (!pathExists(path)) return path
  const numbered = `${path}-${number}`
  return pathExists(numbered) ? unusedPath(path, number + 1) : numbered
}

const NEW_FILES = [SECRETS_FILE, STORE_FILE]

/** Moves a new store into a folder that has none. Secrets that are there stay. A failure leaves nothing new. */
export function moveStore(temp: string, folder: string): void {
  const moved: string[] = []
  try {
    for (const name of NEW_FILES) {
      if (!pathExists(join(temp, name)) || pathExists(join(folder, name))) continue
      if (name === STORE_FILE) syncFolder(folder)
      renameSync(join(temp, name), join(folder, name))
      moved.unshift(join(folder, name))
    }
    syncFolder(folder)
  } catch (error) {
    for (const path of moved) rmSync(path)
    throw error
  }
}

const LEFTOVER = /^\.(?:restore|import|copy|migrate)-[0-9a-f]{8}$/

/** Left by killed runs: under the lock, none of them is in use. */
export function tempFoldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() && LEFTOVER.test(entry.name))
    .map(({ name }) => join(folder, name))
}

function randomSuffix(): string {
  return randomBytes(4).toString('hex')
}
