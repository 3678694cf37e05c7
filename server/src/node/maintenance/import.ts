import { renameSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lockForImport } from '../../app/store/store-id.ts'
import { syncFolder } from '../../storage/file/folder.ts'
import { STORE_FILE } from '../../storage/file/store-file.ts'
import { createStorage } from '../../storage/index.ts'
import type { ConfigSource } from '../config.ts'
import type { ExportCounts } from './export-format.ts'
import { type ExportContent, exportLines, invalidLine } from './export-reader.ts'
import { checkExportSource } from './export-source.ts'
import { type ImportWork, importLines } from './import-lines.ts'
import { checkRedis, importRedis } from './import-redis.ts'
import { type SecretsState, secretsStateOf } from './kept-secrets.ts'
import { LinePlaces } from './line-places.ts'
import { LineReferences } from './line-references.ts'
import { inLockedFolder } from './locked-folder.ts'
import { MaintenanceError, maintain, tellInterruption } from './maintenance-error.ts'
import { folderOf, readMaintenanceSettings, refuseMemory } from './maintenance-settings.ts'
import { type DryRunMark, dryRunMark, type MaintenanceOptions, workOf } from './progress.ts'
import { checkWhole, openStoreFile, syncFile } from './store-file.ts'
import { checkDataFolder, isTaken, refuseEmpty, refuseInUse } from './target.ts'

/** What {@link importStore} takes. */
export interface ImportOptions extends ConfigSource, MaintenanceOptions {
  /** A file that `exportStore` wrote. */
  readonly file: string
  /** Called once, before the first line goes into a Redis, with how long `noticeMs` is. */
  readonly onWait?: (ms: number) => void
  /**
   * How long a Redis is marked before the first line is written there, in milliseconds: servers that were left running
   * look once a second whose store it holds, and have noticed by then. @default 2000
   */
  readonly noticeMs?: number
}

/** What was imported. */
export interface ImportReport extends ExportCounts, DryRunMark {
  /** The data folder; `null` for Redis. */
  readonly folder: string | null
  /** `needed`: the keys stay sealed under a secret that is not beside the data. */
  readonly secrets: SecretsState
}

type Work = Omit<ImportWork, 'storage'>
type Reading = Omit<Work, 'total'>

const NOTICE_MS = 2000

/**
 * Fills an empty storage from an export, which is read and checked to its end before anything is written. A file store
 * takes its name once it is whole; a Redis is filled in place, and until it is whole no server takes it.
 * @throws MaintenanceError
 */
export function importStore({
  file,
  onProgress,
  signal,
  dryRun = false,
  ...rest
}: ImportOptions): Promise<ImportReport> {
  const { onWait = () => {}, noticeMs = NOTICE_MS, ...source } = rest
  const work = { file: resolve(file), ...workOf({ onProgress, signal }) }
  const run = async (): Promise<ImportReport> => {
    refuseEmpty(file)
    const { storage } = readMaintenanceSettings(source)
    refuseMemory(storage)
    checkExportSource(work.file)
    if (storage.driver === 'redis' || storage.driver === 'redis-cluster') {
      const { counts, sealCheck } = await checkExport(work)
      const filling = { ...work, total: linesOf(counts) }
      if (dryRun) await checkRedis(storage)
      else await importRedis(storage, filling, { onWait, noticeMs })
      return { ...counts, folder: null, secrets: sealCheck === null ? 'included' : 'needed', ...dryRunMark(dryRun) }
    }
    const folder = folderOf(storage)
    refuseStoreIn(folder)
    checkDataFolder(folder)
    const { counts, sealCheck } = await checkExport(work)
    // Before the store is there: secrets that are damaged would be found too late.
    const secrets = await secretsStateOf(folder, sealCheck)
    if (dryRun) refuseInUse(folder)
    else await importFolder(folder, { ...work, total: linesOf(counts) })
    return { ...counts, folder, secrets, ...dryRunMark(dryRun) }
  }
  return maintain(() =>
    run().catch(tellInterruption(signal, 'Nothing was imported.', 'Run it again; nothing is in the way.')),
  )
}

function linesOf({ items, records, tokens, removedOwners }: ExportCounts): number {
  return items + records + tokens + removedOwners
}

async function checkExport({ file, signal, onProgress }: Reading): Promise<ExportContent> {
  // A file that is not there is told of by whoever opens it.
  const total = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const lines = exportLines(file, (done) => onProgress?.({ step: 'check', unit: 'bytes', done, total }))
  const places = new LinePlaces()
  const references = new LineReferences(places)
  while (true) {
    signal?.throwIfAborted()
    const step = await lines.next()
    if (step.done) {
      references.check(step.value.sealCheck)
      return step.value
    }
    const { number, line } = step.value
    if (!places.take(line)) throw invalidLine(number, 'says again what a line above says')
    references.take(step.value)
  }
}

function importFolder(target: string, work: Work): Promise<void> {
  return inLockedFolder(target, 'import', async ({ folder, draft }) => {
    // Once more: a server may have made one before the folder was locked.
    refuseStoreIn(folder)
    const storage = await createStorage({ driver: 'file', path: draft })
    try {
      await lockForImport(storage)
      await importLines({ ...work, storage })
    } finally {
      await storage.dispose()
    }
    const store = join(draft, STORE_FILE)
    const db = openStoreFile(store)
    try {
      await checkWhole(db, store, work)
    } finally {
      db.close()
    }
    syncFile(store)
    renameSync(store, join(folder, STORE_FILE))
    syncFolder(folder)
  })
}

// The log of SQLite goes with its database: left over, it would be taken for a part of the new one.
const STORE_FILES = [STORE_FILE, `${STORE_FILE}-wal`, `${STORE_FILE}-shm`]

function refuseStoreIn(folder: string): void {
  if (!STORE_FILES.some((name) => isTaken(join(folder, name)))) return
  throw new MaintenanceError('exists', `${folder} holds a store already, and nothing was done.`, {
    hint: 'Name another folder. One that holds only secrets.json is fine.',
  })
}
