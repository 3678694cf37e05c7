import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../../../../sdk/src/internal/files.node.ts'
import type { FileLock } from '../../../../sdk/src/internal/sqlite.node.ts'
import { readSecretsText, SECRETS_FILE } from '../../node/secrets-file.ts'
import { shellCommand } from '../../node/shell-command.ts'
import type { FishStorage } from '../../storage/core/types.ts'
import { LOCK_FILE, lockFolder, makeFolder } from '../../storage/file/folder.ts'
import { STORE_FILE, UNFINISHED_STORE } from '../../storage/file/store-file.ts'
import { createStorage } from '../../storage/index.ts'
import { MaintenanceError, type MaintenanceSettings } from './maintenance.ts'

/**
 * A dangling link counts as existing. An unreachable path counts as absent, because using the path reports the reason.
 */
export function pathExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/**
 * Runs a function with a temporary folder. Removes this folder at the end, and the folders of killed runs at the start.
 */
export async function withTempFolder<Result>(
  folder: string,
  kind: 'restore' | 'copy' | 'migrate',
  run: (temp: string) => Promise<Result>,
): Promise<Result> {
  for (const killed of tempFoldersIn(folder)) removeTemp(killed)
  const temp = join(folder, `.${kind}-${randomSuffix()}`)
  mkdirSync(temp, { mode: 0o700 })
  return run(temp).finally(() => removeTemp(temp))
}

export function removeTemp(temp: string): void {
  try {
    rmSync(temp, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // Ignore a failed removal, because the outcome of the work matters more than a leftover folder.
  }
}

/**
 * Makes a missing folder. A failure leaves no folder that did not exist before.
 * @param refuse called before anything is changed, and again under the lock
 */
export async function withLockedFolder<Result>(
  target: string,
  refuse: (folder: string) => void,
  run: (folder: string) => Promise<Result>,
): Promise<Result> {
  refuse(target)
  const { folder, isNew, undo } = await makeFolder(target)
  let lock: FileLock | undefined
  let isDone = false
  try {
    lock = lockFolder(folder)
    refuse(folder)
    const result = await run(folder)
    isDone = true
    return result
  } finally {
    lock?.close()
    if (!isDone && isNew) {
      rmSync(join(folder, LOCK_FILE), { force: true })
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

/** The files of a store. A log without a store also counts, because SQLite would apply the log to a new store. */
const STORE_FILES = [STORE_FILE, `${STORE_FILE}-wal`, `${STORE_FILE}-shm`]

/** @param secrets name of the file of secrets, if the caller adds other secrets @throws MaintenanceError `exists` */
export function refuseStore(folder: string, secrets: readonly string[] = []): void {
  if (hasStore(folder)) throw existsError(folder, 'a store', secrets)
}

function hasStore(folder: string): boolean {
  return STORE_FILES.some((name) => pathExists(join(folder, name)))
}

/**
 * Accepts a folder that already contains `secrets`, because a killed run may have moved them there. @throws
 * MaintenanceError `exists`
 */
export function refuseOtherSecrets(folder: string, secrets: string | undefined): void {
  if (!pathExists(join(folder, SECRETS_FILE)) || readSecretsText(folder) === secrets) return
  throw existsError(folder, SECRETS_FILE, [SECRETS_FILE])
}

function existsError(folder: string, what: string, secrets: readonly string[]): MaintenanceError {
  const files = secrets.map((name) => join(folder, name)).filter(pathExists)
  const aside = unusedPath(join(folder, 'old-store'))
  // SQLite deletes its other files when the server stops, so the shell expands `*` to the files that still exist.
  const store = hasStore(folder) ? [`${shellCommand([join(folder, STORE_FILE)])}*`] : []
  const command = [shellCommand(['mkdir', aside]), '&& mv', ...store, shellCommand([...files, aside])].join(' ')
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

/** Moves a new store into a folder that has no store. Existing secrets stay. A failure leaves no new files. */
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

/** The temporary folders of killed runs. Under the lock, no process uses these folders. */
function tempFoldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() && UNFINISHED_STORE.test(entry.name))
    .map(({ name }) => join(folder, name))
}

export function randomSuffix(): string {
  return randomBytes(4).toString('hex')
}
