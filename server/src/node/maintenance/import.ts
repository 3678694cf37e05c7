import { existsSync, renameSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { checkFinished, checkMarked, markUnfinished, STORE_KEY, unmark } from '../../app/store-mark.ts'
import { STORE_FILE, syncFolder } from '../../storage/file/file-folder.ts'
import { createStorage, type StorageOptions } from '../../storage/index.ts'
import type { FishStorage } from '../../storage/types.ts'
import type { ConfigSource } from '../config.ts'
import type { ExportCounts } from './export-format.ts'
import { type ExportContent, exportLines } from './export-reader.ts'
import { type ImportWork, importLines } from './import-lines.ts'
import { type SecretsState, secretsStateOf } from './kept-secrets.ts'
import { inLockedFolder } from './locked-folder.ts'
import { MaintenanceError, maintain, tellInterruption } from './maintenance-error.ts'
import { folderOf, readMaintenanceSettings } from './maintenance-settings.ts'
import type { ProgressOptions } from './progress.ts'
import { checkWhole, openStoreFile, syncFile } from './store-file.ts'

/** What {@link importStore} takes. */
export interface ImportOptions extends ConfigSource, ProgressOptions {
  /** A file that `exportStore` wrote. */
  readonly file: string
  /** Called once, before the first line goes into a Redis, with how long `noticeMs` is. */
  readonly onWait?: (ms: number) => void
  /**
   * How long a Redis is marked before the first line is written there, in milliseconds: servers that were left running
   * look once a second whose store it holds, and have noticed by then. @default 2000
   */
  readonly noticeMs?: number
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
type Reading = Omit<Work, 'total'>

/** How servers that may be running are given time to notice an import. */
interface Notice {
  readonly noticeMs: number
  readonly onWait: (ms: number) => void
}

const NOTICE_MS = 2000

/**
 * Fills an empty storage from an export, which is read and checked to its end before anything is written. A file store
 * takes its name once it is whole; a Redis is filled in place, and until it is whole no server takes it.
 * @throws MaintenanceError
 */
export function importStore({ file, onProgress, signal, ...rest }: ImportOptions): Promise<ImportReport> {
  const { onWait = () => {}, noticeMs = NOTICE_MS, ...source } = rest
  return maintain(async () => {
    const { storage } = readMaintenanceSettings(source)
    const folder = storage.driver === 'redis' || storage.driver === 'redis-cluster' ? null : folderOf(storage)
    const work = { file: resolve(file), ...(onProgress ? { onProgress } : {}), ...(signal ? { signal } : {}) }
    const run = async () => {
      if (folder !== null) refuseStoreIn(folder)
      const content = await checkExport(work)
      const filling = { ...work, total: linesOf(content.counts) }
      if (folder === null) await importRedis(storage, filling, { onWait, noticeMs })
      else await importFolder(folder, filling)
      return content
    }
    const { counts, sealCheck } = await run().catch(
      tellInterruption(signal, 'Nothing was imported.', 'Run it again; nothing is in the way.'),
    )
    if (folder !== null) return { ...counts, folder, secrets: await secretsStateOf(folder, sealCheck) }
    return { ...counts, folder, secrets: sealCheck === null ? 'included' : 'needed' }
  })
}

function linesOf({ items, records, tokens, removedOwners }: ExportCounts): number {
  return items + records + tokens + removedOwners
}

async function checkExport({ file, signal, onProgress }: Reading): Promise<ExportContent> {
  // A file that is not there is told of by whoever opens it.
  const total = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const lines = exportLines(file, (done) => onProgress?.({ step: 'check', unit: 'bytes', done, total }))
  while (true) {
    signal?.throwIfAborted()
    const step = await lines.next()
    if (step.done) return step.value
  }
}

function importFolder(target: string, work: Work): Promise<void> {
  return inLockedFolder(target, 'import', async ({ folder, draft }) => {
    // Once more: a server may have made one before the folder was locked.
    refuseStoreIn(folder)
    const storage = await createStorage({ driver: 'file', path: draft })
    try {
      await markUnfinished(storage)
      await importLines({ ...work, storage })
    } finally {
      await storage.dispose()
    }
    const store = join(draft, STORE_FILE)
    const db = openStoreFile(store)
    try {
      checkWhole(db, store, work)
    } finally {
      db.close()
    }
    syncFile(store)
    renameSync(store, join(folder, STORE_FILE))
    syncFolder(folder)
  })
}

const EMPTY_IT = 'Empty it before you try again. No server takes it until then.'
const PARTLY = 'The Redis holds a part of the export now.'

async function importRedis(options: StorageOptions, work: Work, notice: Notice): Promise<void> {
  const storage = await createStorage(options)
  try {
    await claim(storage, work.signal, notice)
    const filling = importLines({ ...work, storage }).catch(tellInterruption(work.signal, PARTLY, EMPTY_IT))
    await maintain(() => filling).catch((error: unknown) => {
      if (!(error instanceof MaintenanceError) || error.code === 'interrupted') throw error
      // Only who else wrote there has something to lose by emptying it.
      const hint = error.code === 'in_use' ? error.hint : EMPTY_IT
      throw new MaintenanceError(error.code, `${error.message} ${PARTLY}`, {
        ...(hint === undefined ? {} : { hint }),
        cause: error,
      })
    })
  } finally {
    await storage.dispose()
  }
}

/**
 * Takes an empty Redis for this import alone, by the mark that keeps servers and other imports away, and waits until
 * servers that are running have seen it.
 */
async function claim(storage: FishStorage, signal: AbortSignal | undefined, notice: Notice): Promise<void> {
  await checkFinished(storage)
  if (await holdsData(storage)) throw notEmpty()
  signal?.throwIfAborted()
  if (!(await markUnfinished(storage))) {
    await checkFinished(storage)
    throw notEmpty()
  }
  try {
    notice.onWait(notice.noticeMs)
    await pause(notice.noticeMs, signal)
    await checkMarked(storage)
    // Once more: what a server has written in between has no mark.
    if (await holdsData(storage)) throw notEmpty()
  } catch (error) {
    await unmark(storage)
    throw error
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : error
  })
}

async function holdsData(storage: FishStorage): Promise<boolean> {
  const [keys, tallies] = await Promise.all([storage.items.getKeys(), storage.tallies()])
  return tallies.length > 0 || keys.some((key) => key !== STORE_KEY)
}

function notEmpty(): MaintenanceError {
  return new MaintenanceError('exists', 'The Redis holds data of this service already, and nothing was done.', {
    hint: 'Name an empty one.',
  })
}

// The log of SQLite goes with its database: left over, it would be taken for a part of the new one.
const STORE_FILES = [STORE_FILE, `${STORE_FILE}-wal`, `${STORE_FILE}-shm`]

function refuseStoreIn(folder: string): void {
  if (!STORE_FILES.some((name) => existsSync(join(folder, name)))) return
  throw new MaintenanceError('exists', `${folder} holds a store already, and nothing was done.`, {
    hint: 'Name another folder. One that holds only secrets.json is fine.',
  })
}
