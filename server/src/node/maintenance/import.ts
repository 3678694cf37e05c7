import { join } from 'node:path'
import { sleep } from '../../../../sdk/src/internal/wait.ts'
import { cancelFilling, checkFilling, finishFilling, refuseUnfinished, startFilling } from '../../app/store/store-id.ts'
import { EPOCH_KEY, STORE_KEY } from '../../storage/core/keys.ts'
import type { FishStorage, ItemStorage } from '../../storage/core/types.ts'
import { checkpoint, STORE_FILE } from '../../storage/file/store-file.ts'
import { createStorage, type RedisClusterOptions, type RedisOptions } from '../../storage/index.ts'
import type { ConfigSource } from '../config.ts'
import type { ContentLine, ExportCounts } from './export-format.ts'
import { checkExport, readExport } from './export-reader.ts'
import { moveStore, refuseStore, withLockedFolder, withTempFolder } from './folder.ts'
import {
  type DryRunOption,
  type DryRunReport,
  MaintenanceError,
  type MaintenanceOptions,
  maintain,
  namedPath,
  readMaintenanceSettings,
} from './maintenance.ts'
import { locateSecrets, type SecretsLocation } from './store.ts'

/** Options of {@link importStore}. */
export interface ImportOptions extends ConfigSource, MaintenanceOptions, DryRunOption {
  /** A file that `exportStore` wrote. */
  readonly file: string
  /** Called once with `noticeMs`, before the first line is written to a Redis. */
  readonly onWait?: (ms: number) => void
  /**
   * How long the import lock of a Redis is set before the first line is written there, in milliseconds. Running servers
   * check their store every second, and have noticed by then. @default 2000
   */
  readonly noticeMs?: number
}

/** What was imported. */
export interface ImportReport extends ExportCounts, DryRunReport {
  /** The data folder; `null` for Redis. */
  readonly folder: string | null
  /** `needed`: the keys are encrypted with a secret that is not beside the data. */
  readonly secrets: SecretsLocation
}

/**
 * Fills an empty storage from an export, which is read and checked to its end before anything is written. A file store
 * gets its name once it is complete; a Redis is filled in place, and no server accepts it until then.
 * @throws MaintenanceError
 */
export function importStore(options: ImportOptions): Promise<ImportReport> {
  const run = async () => {
    const { storage } = readMaintenanceSettings(options)
    const file = namedPath(options.file)
    const report =
      storage.driver === 'file'
        ? await importFolder(storage.path, { ...options, file })
        : await importRedis(storage, { ...options, file })
    return options.dryRun ? { ...report, dryRun: true as const } : report
  }
  const state = { state: 'Nothing was imported.', hint: 'Run the import again.' }
  return maintain(run, { signal: options.signal, ...state })
}

async function importFolder(target: string, options: ImportOptions): Promise<ImportReport> {
  const { file, dryRun = false } = options
  return withLockedFolder(target, dryRun, async (folder) => {
    refuseStore(folder)
    const { counts, secretCheck } = await checkExport(file, options)
    // Before there is a store: damaged secrets would be found too late.
    const report = { ...counts, folder, secrets: await locateSecrets(folder, secretCheck) }
    if (dryRun) return report
    return withTempFolder(folder, 'import', async (temp) => {
      const storage = await createStorage({ driver: 'file', path: temp })
      try {
        await startFilling(storage)
        await importLines(storage, counts, options)
      } finally {
        await storage.dispose()
      }
      checkpoint(join(temp, STORE_FILE))
      moveStore(temp, folder)
      return report
    })
  })
}

async function importRedis(redis: RedisOptions | RedisClusterOptions, options: ImportOptions): Promise<ImportReport> {
  const { counts, secretCheck } = await checkExport(options.file, options)
  // Loads the Redis client only if needed.
  const { openRedisReader } = await import('../../storage/redis/redis.ts')
  const reader = await openRedisReader(redis)
  await refuseData(reader).finally(() => reader.dispose())
  if (!options.dryRun) await fillRedis(redis, counts, options)
  return { ...counts, folder: null, secrets: secretCheck === null ? 'included' : 'needed' }
}

async function fillRedis(
  redis: RedisOptions | RedisClusterOptions,
  counts: ExportCounts,
  options: ImportOptions,
): Promise<void> {
  const storage = await createStorage(redis)
  try {
    await claim(storage, options)
    const state = 'The Redis contains a part of the export now.'
    const hint = 'Empty it before you try again. No server accepts it until then.'
    const run = () => importLines(storage, counts, options)
    await maintain(run, { signal: options.signal, state, hint }).catch(async (error: unknown) => {
      if (!(error instanceof MaintenanceError) || error.code === 'interrupted') throw error
      // Nodes that were not emptied, or lines after that, may hold a part: no server may start on it.
      if (error.code === 'replaced') await startFilling(storage).catch(() => {})
      // Emptying it would destroy what another process wrote there.
      const step = error.code === 'in_use' ? error.hint : hint
      throw new MaintenanceError(error.code, `${error.message} ${state}`, { hint: step, cause: error })
    })
  } finally {
    await storage.dispose()
  }
}

/**
 * Reserves an empty Redis for this import by the import lock, which keeps servers and other imports away, and waits until
 * running servers have noticed it.
 */
async function claim(
  storage: FishStorage,
  { signal, noticeMs = 2000, onWait = () => {} }: ImportOptions,
): Promise<void> {
  signal?.throwIfAborted()
  if (!(await startFilling(storage))) {
    await refuseData(storage)
    throw notEmptyError()
  }
  try {
    onWait(noticeMs)
    await sleep(noticeMs, signal)
    await checkFilling(storage)
    // Checked again: data that a server has written meanwhile has no lock.
    await refuseData(storage, true)
  } catch (error) {
    await cancelFilling(storage)
    throw error
  }
}

type Content = Pick<FishStorage, 'tallies'> & { readonly items: Pick<ItemStorage, 'getItem' | 'getKeys'> }

async function refuseData({ items, tallies }: Content, isLocked = false): Promise<void> {
  const storeId = isLocked ? null : await items.getItem(STORE_KEY)
  refuseUnfinished(storeId)
  const [keys, sums] = await Promise.all([items.getKeys(), tallies()])
  const isEmpty = storeId === null && sums.length === 0 && keys.every((key) => key === STORE_KEY)
  if (!isEmpty) throw notEmptyError()
}

function notEmptyError(): MaintenanceError {
  return new MaintenanceError('exists', 'The Redis already has data of this service; nothing was changed.', {
    hint: 'Name an empty one.',
  })
}

type Batch = { readonly number: number; readonly line: ContentLine }[]

const BATCH_LINES = 500

/** Into an empty storage with an import lock. An older export has no store id: then the store gets a new one. The epoch ends. */
async function importLines(
  storage: FishStorage,
  counts: ExportCounts,
  { file, onProgress, signal }: ImportOptions,
): Promise<void> {
  const total = counts.items + counts.records + counts.tokens + counts.removedOwners
  let batch: Batch = []
  let done = 0
  let storeId: string | undefined
  const report = () => onProgress?.({ step: 'write', unit: 'lines', done, total })
  const flush = async () => {
    signal?.throwIfAborted()
    await checkFilling(storage)
    await writeBatch(storage, batch)
    done += batch.length
    report()
    batch = []
  }
  report()
  await readExport(file, async (line, number) => {
    if ('item' in line && (line.item === STORE_KEY || line.item === EPOCH_KEY)) {
      if (line.item === STORE_KEY) storeId = line.value
      done += 1
      return
    }
    // A killed removal leaves records and tokens of an owner that is removed: they are written first.
    const [first] = batch
    if ('removedOwner' in line && first && !('removedOwner' in first.line)) await flush()
    batch.push({ number, line })
    if (batch.length >= BATCH_LINES) await flush()
  })
  await flush()
  await finishFilling(storage, (bytes) => crypto.getRandomValues(bytes), storeId)
}

/** Writes at once what is flushed together; storages preserve the order of concurrent appends. */
async function writeBatch(storage: FishStorage, batch: Batch): Promise<void> {
  const results = await Promise.allSettled(batch.map(({ line }) => writeLine(storage, line)))
  // Only now, so that nothing is written after a failure.
  for (const [index, result] of results.entries()) {
    if (result.status === 'rejected') throw result.reason
    if (result.value) continue
    // The check of the export ensures that nothing is repeated.
    const what = `the data of line ${batch[index]?.number} already exists`
    throw new MaintenanceError('in_use', `Another process wrote to the storage during the import: ${what}.`, {
      hint: 'Stop every server on it. The storage also contains writes that they acknowledged since the import started: save what you need before you empty the storage and try again.',
    })
  }
}

/** Collection of a record that is removed at once, so that its token stays used. */
const REMOVED = { kind: 'removed', gamemode: 'removed' }

/** Returns whether the storage did not have it yet. */
async function writeLine(storage: FishStorage, line: ContentLine): Promise<boolean> {
  if ('item' in line) return storage.setItemIfAbsent(line.item, line.value)
  if ('removedOwner' in line) {
    await storage.removeOwner(line.removedOwner)
    return true
  }
  if ('record' in line) {
    const { owner, kind, gamemode, ...record } = line.record
    return (await storage.append({ owner, kind, gamemode }, record)).outcome === 'stored'
  }
  const { owner, dedupeKey, id } = line.token
  const record = { id, dedupeKey, count: 1, labels: {}, entries: '{}' }
  if ((await storage.append({ owner, ...REMOVED }, record)).outcome !== 'stored') return false
  return storage.removeRecord({ owner, ...REMOVED }, id)
}
