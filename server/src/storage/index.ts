import type { FishStorage } from './core/types.ts'
import { openFileStorage } from './file/file.ts'
import { createMemoryStorage } from './memory/memory.ts'
import type { RedisClusterOptions, RedisOptions } from './redis/redis.ts'

export { createChanges } from './core/changes.ts'
export { StorageError, type StorageErrorCode } from './core/errors.ts'
export { decodeItemKey, decodeKeyPart, encodeKeyPart, itemKey } from './core/keys.ts'
export { pageOf, type RecordSource, readInChunks } from './core/paging.ts'
export { parseEntries, TallySum, tallyOf } from './core/tally.ts'
export type {
  AppendResult,
  Change,
  Collection,
  CollectionTallies,
  CountWindow,
  DayTally,
  DumpedWrite,
  EntryRemoval,
  FishStorage,
  FoundTimes,
  ItemDriver,
  ItemPage,
  ItemRange,
  ItemStorage,
  Leader,
  LeaderRange,
  NewRecord,
  ReadRange,
  RecordMove,
  RecordRemoval,
  RecordTally,
  SpeciesTally,
  StorageDriver,
  StorageExtension,
  StorageObserver,
  StoredEntry,
  StoredRecord,
  StoredSpecies,
  StoredTallies,
  Tally,
  UsedToken,
  WindowCount,
} from './core/types.ts'
export { MAX_DAYS, MAX_SPECIES, REMOVED_VERSION } from './core/types.ts'
export { createWindows, type Windows } from './core/windows.ts'
export { wrapDriver } from './core/wrap-driver.ts'
export { createMemoryStorage, type MemoryStorageOptions } from './memory/memory.ts'
export type { RedisClusterTarget } from './redis/address.ts'
export type { RedisClusterOptions, RedisOptions } from './redis/redis.ts'

/** The storage to open, and its options. */
export type StorageOptions =
  /** Stores all data in memory, and nothing on disk. */
  | { readonly driver: 'memory' }
  /** Stores all data in one SQLite file in the folder `path`. Only one process at a time can open the folder. */
  | { readonly driver: 'file'; readonly path: string }
  | RedisOptions
  | RedisClusterOptions

/**
 * Opens the storage of the service, and creates a missing store.
 *
 * @throws {StorageError} `in_use`, `not_a_store`, `newer_schema`, `damaged`, `read_only`, `full`, `unavailable`
 * @throws {TypeError} for an unknown driver, or a file store without a path
 * @example
 * const storage = await createStorage({ driver: 'file', path: './data' })
 * await storage.items.setItem(itemKey('user', 'alice'), JSON.stringify({ name: 'Alice' }))
 * await storage.dispose()
 */
export async function createStorage(options: StorageOptions): Promise<FishStorage> {
  if (options?.driver === 'memory') return createMemoryStorage()
  if (options?.driver === 'file') {
    const { path } = options
    if (typeof path !== 'string') throw new TypeError('createStorage: path must be a folder, such as "./data".')
    return openFileStorage(path)
  }
  if (options?.driver !== 'redis' && options?.driver !== 'redis-cluster') {
    throw new TypeError(
      'createStorage: driver must be "memory", "file", "redis" or "redis-cluster". For a driver of your own, call wrapDriver(driver).',
    )
  }
  // The Redis client loads only if it is used.
  const { openRedisStorage } = await import('./redis/redis.ts')
  return openRedisStorage(options)
}
