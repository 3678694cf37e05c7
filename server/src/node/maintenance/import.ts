import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lockFolder, prepareFolder, STORE_FILE, syncFolder } from '../../storage/file/file-folder.ts'
import { createStorage, type StorageOptions } from '../../storage/index.ts'
import type { ConfigSource } from '../config.ts'
import type { ExportCounts } from './export-format.ts'
import { type ExportContent, exportLines } from './export-reader.ts'
import { type ImportWork, importLines } from './import-lines.ts'
import { type SecretsState, secretsStateOf } from './kept-secrets.ts'
import { MaintenanceError, maintain } from './maintenance-error.ts'
import { folderOf, readMaintenanceSettings } from './maintenance-settings.ts'
import { checkIntegrity, openStoreFile, syncFile } from './store-file.ts'

/** What {@link importStore} takes. */
export interface ImportOptions extends ConfigSource {
  /** A file that `exportStore` wrote. */
  readonly file: string
  /** Called now and then with the lines that are written. */
  readonly onProgress?: (lines: number) => void
  readonly signal?: AbortSignal
}

/** What was imported. */
export interface ImportReport extends ExportCounts {
  /** The data folder; `null` for Redis. */
  readonly folder: string | null
  /** `needed`: the keys stay sealed under a secret that is not beside the data. */
  readonly secrets: SecretsState
}

type Work = Omit<ImportWork, 'storage'>

/**
 * Fills an empty storage from an export, which is read and checked to its end before anything is written. A file store
 * takes its name once it is whole; a Redis is filled in place, and no server may use it meanwhile.
 * @throws MaintenanceError
 */
export function importStore({ file, onProgress, signal, ...source }: ImportOptions): Promise<ImportReport> {
  return maintain(async () => {
    const { storage } = readMaintenanceSettings(source)
    const folder = storage.driver === 'redis' || storage.driver === 'redis-cluster' ? null : folderOf(storage)
    const work = { file: resolve(file), ...(onProgress ? { onProgress } : {}), ...(signal ? { signal } : {}) }
    if (folder !== null) refuseStoreIn(folder)
    const { counts, sealCheck } = await checkExport(work)
    if (folder !== null) {
      await importFolder(folder, work)
      return { ...counts, folder, secrets: await secretsStateOf(folder, sealCheck) }
    }
    await importRedis(storage, work)
    return { ...counts, folder, secrets: sealCheck === null ? 'included' : 'needed' }
  })
}

async function checkExport({ file, signal }: Work): Promise<ExportContent> {
  const lines = exportLines(file)
  while (true) {
    signal?.throwIfAborted()
    const step = await lines.next()
    if (step.done) return step.value
  }
}

async function importFolder(target: string, work: Work): Promise<void> {
  const folder = prepareFolder(target)
  const lock = lockFolder(folder)
  const draft = join(folder, `.import-${randomBytes(4).toString('hex')}`)
  const store = join(draft, STORE_FILE)
  try {
    // Once more: a server may have made one before the folder was locked.
    refuseStoreIn(folder)
    mkdirSync(draft, { mode: 0o700 })
    const storage = await createStorage({ driver: 'file', path: draft })
    try {
      await importLines({ ...work, storage })
    } finally {
      await storage.dispose()
    }
    const db = openStoreFile(store)
    try {
      checkIntegrity(db, store)
    } finally {
      db.close()
    }
    syncFile(store)
    renameSync(store, join(folder, STORE_FILE))
    syncFolder(folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
    lock.close()
  }
}

async function importRedis(options: StorageOptions, work: Work): Promise<void> {
  const storage = await createStorage(options)
  try {
    const [keys, tallies] = await Promise.all([storage.items.getKeys(), storage.tallies()])
    if (keys.length > 0 || tallies.length > 0) {
      throw new MaintenanceError('exists', 'The Redis holds data of this service already, and nothing was done.', {
        hint: 'Name an empty one.',
      })
    }
    await maintain(() => importLines({ ...work, storage })).catch((error: unknown) => {
      // An interruption is told by whoever interrupted.
      if (!(error instanceof MaintenanceError)) throw error
      throw new MaintenanceError(error.code, `${error.message} The Redis holds a part of the export now.`, {
        hint: 'Empty it before you try again.',
        cause: error,
      })
    })
  } finally {
    await storage.dispose()
  }
}

// The log of SQLite goes with its database: left over, it would be taken for a part of the new one.
const STORE_FILES = [STORE_FILE, `${STORE_FILE}-wal`, `${STORE_FILE}-shm`]

function refuseStoreIn(folder: string): void {
  if (!STORE_FILES.some((name) => existsSync(join(folder, name)))) return
  throw new MaintenanceError('exists', `${folder} holds a store already, and nothing was done.`, {
    hint: 'Name another folder. One that holds only secrets.json is fine.',
  })
}
