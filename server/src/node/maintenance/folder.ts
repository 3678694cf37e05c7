import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../../../sdk/src/internal/files.node.ts'
import type { FishStorage } from '../../storage/core/types.ts'
import { type FolderLock, lockFolder, makeFolder } from '../../storage/file/folder.ts'
import { createStorage } from '../../storage/index.ts'
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
export function syncName(path: string): void {
  try {
    syncFolder(dirname(path))
  } catch (error) {
    rmSync(path, { recursive: true })
    throw error
  }
}

/** Also a dangling link. A path that cannot be reached counts as absent: using it reports why. */
export function pathExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** Removes the folder at the end unless `keep` is called, and at the start those of killed runs. */
export async function withTempFolder<Result>(
  folder: string,
  kind: 'restore' | 'import',
  run: (temp: string, keep: () => void) => Promise<Result>,
): Promise<Result> {
  for (const killed of tempFoldersIn(folder)) removeTemp(killed)
  const temp = join(folder, `.${kind}-${randomSuffix()}`)
  mkdirSync(temp, { mode: 0o700 })
  let isKept = false
  const keep = () => {
    isKept = true
  }
  return run(temp, keep).finally(() => {
    if (!isKept) removeTemp(temp)
  })
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
    if (!dryRun) giveToOwner(target)
  }
}

/** Opens a storage to change it. */
export async function useStorage<Result>(
  address: MaintenanceSettings['storage'],
  use: (storage: FishStorage) => Promise<Result>,
): Promise<Result> {
  try {
    const storage = await createStorage(address)
    return await use(storage).finally(() => storage.dispose())
  } finally {
    if (address.driver === 'file') giveToOwner(address.path)
  }
}

/** What maintenance makes in a data folder, and folders with what it replaced. */
const OURS = /^(?:fish\.|secrets\.json$|replaced-)/

/** Opens a name, not what is in the file: that may be a pipe, and closing it must not end its locks (Linux). */
const O_PATH = 0o10000000

/**
 * Leaves what root has made in a data folder to the owner of the folder: the server, which runs as that user, could not
 * open it. Follows no link, and leaves a file alone that has another name elsewhere: its owner may be meant. That user may
 * exchange files meanwhile, so each is opened first, and all else is done with what is open.
 */
function giveToOwner(folder: string): void {
  // Other systems have no path to an open file. There, change the owner after maintenance as root.
  if (process.platform !== 'linux' || process.geteuid?.() !== 0 || !pathExists(folder)) return
  withOpen(folder, O_PATH, (path) => {
    const { uid, gid } = statSync(path)
    if (uid === 0) return
    const give = (name: string) =>
      withOpen(name, O_PATH | constants.O_NOFOLLOW, (path, descriptor) => {
        const stat = fstatSync(descriptor)
        if (stat.isDirectory()) for (const inner of readdirSync(path)) give(join(path, inner))
        if (stat.uid === 0 && (stat.isDirectory() || (stat.isFile() && stat.nlink === 1))) chownSync(path, uid, gid)
      })
    for (const name of readdirSync(path)) if (OURS.test(name)) give(join(path, name))
  })
}

/** @param use gets a path to what is open, whatever has its name by then */
function withOpen(name: string, flags: number, use: (path: string, descriptor: number) => void): void {
  const descriptor = openSync(name, flags)
  try {
    use(`/proc/self/fd/${descriptor}`, descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const LEFTOVER = /^\.(?:restore|import|migrate)-[0-9a-f]{8}$/

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
