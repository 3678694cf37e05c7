import { join, resolve } from 'node:path'
import { createChanges, removalOf } from '../core/changes.ts'
import { dumpOwner } from '../core/dump.ts'
import { closedError, StorageError } from '../core/errors.ts'
import { readInChunks } from '../core/paging.ts'
import { createProbe } from '../core/probe.ts'
import { yieldToEvents } from '../core/slices.ts'
import type { FishStorage, StorageDriver } from '../core/types.ts'
import { createWindows } from '../core/windows.ts'
import { wrapDriver } from '../core/wrap-driver.ts'
import { changedBy } from './commands.ts'
import { openReader, type Reader } from './reader.ts'
import { rememberReads } from './recent-reads.ts'
import { toStorageError } from './sqlite.ts'
import { STORE_FILE } from './store-file.ts'
import { startWriter, type Writer } from './writer.ts'

const PING_MS = 1000
/** How long pings report a failed append, in milliseconds, unless a later append succeeds. */
const REFUSAL_TTL_MS = 5000
/**
 * How long a check of the main thread and the writer thread is valid, in milliseconds. Each check sends a message to
 * the writer.
 */
const CHECK_TTL_MS = 100

/** Opens a file storage, and creates a missing folder or store. @throws {StorageError} as `createStorage` */
export async function openFileStorage(path: string): Promise<FishStorage> {
  const folder = resolve(path)
  let writer: Writer | undefined
  try {
    writer = await startWriter(folder)
    return wrapDriver(fileDriver(folder, openReader(join(folder, STORE_FILE)), writer))
  } catch (error) {
    await writer?.close()
    throw toStorageError(error, folder)
  }
}

function fileDriver(folder: string, reader: Reader, writer: Writer): StorageDriver {
  // Windows are in memory: the lock excludes other processes, and counts need not survive a restart.
  const windows = createWindows()
  const deadline = {
    ms: PING_MS,
    late: () => new StorageError('unavailable', `The disk of ${folder} has not responded within ${PING_MS} ms.`),
  }
  const checkThreads = createProbe(
    async () => {
      await read(() => reader.ping())
      await writer.write('ping')
    },
    { ttlMs: CHECK_TTL_MS, deadline },
  )
  const checkDisk = createProbe(() => writer.write('probe'), { deadline })
  const changes = createChanges()
  /** Error and time of the last append, if that append failed. */
  let refusal: { readonly error: unknown; readonly at: number } | undefined
  let closed = false
  let closing: Promise<void> | undefined
  const now = async <T>(run: () => T | Promise<T>): Promise<T> => {
    if (closed) throw closedError()
    try {
      return run()
    } catch (error) {
      throw toStorageError(error, folder)
    }
  }
  const read = <T>(run: () => T): Promise<T> =>
    now(() => {
      reader.shareSnapshot()
      return run()
    })
  const longRead = <T>(run: () => Promise<T>): Promise<T> =>
    now(run).catch((error) => Promise.reject(toStorageError(error, folder)))
  const recent = rememberReads({
    item: (key) => {
      reader.shareSnapshot()
      return reader.item(key)
    },
    version: (collection) => {
      reader.shareSnapshot()
      return reader.version(collection)
    },
  })
  writer.onSettled((write) => {
    // End the snapshot, so that the next read sees the write.
    reader.endSnapshot()
    recent.forget(write)
    for (const collection of changedBy(write)) changes.emit(collection)
    if (write.type === 'removeOwner') changes.emit({ owner: write.args[0] })
  })
  const write: Writer['write'] = (...args) => writer.write(...args)
  const close = async () => {
    closed = true
    // Close the reader before the writer: the last connection to close checkpoints the log, and only the writer may write.
    reader.close()
    await writer.close()
  }
  const readRecords: StorageDriver['read'] = async function* (collection, range) {
    const chunks = readInChunks(reader.records(collection), range)
    // A read with `from` continues an earlier read, so the first chunk must also wait for other events.
    for (let isFirst = range?.from === undefined; ; isFirst = false) {
      // A chunk is read synchronously, and a fast client requests the next chunk immediately. Let other events run
      // first.
      if (!isFirst) await yieldToEvents()
      const chunk = await read(() => chunks.next()).catch((error) => Promise.reject(toStorageError(error, folder)))
      if (chunk.done) return
      yield chunk.value
    }
  }
  const version: StorageDriver['version'] = (collection) => now(() => recent.version(collection))
  return {
    name: 'file',
    ...writer.report,
    remainingReserve: () => writer.remainingReserve,
    ping: async () => {
      if (closed) throw closedError()
      await Promise.all([checkThreads(), checkDisk()])
      // Under a quota, the small write of a probe may succeed although a record does not fit.
      if (refusal && performance.now() - refusal.at < REFUSAL_TTL_MS) throw refusal.error
    },
    async append(collection, record) {
      try {
        const result = await write('append', collection, record)
        refusal = undefined
        return result
      } catch (error) {
        refusal = { error, at: performance.now() }
        throw error
      }
    },
    findRecord: (owner, dedupeKey) => read(() => reader.findRecord(owner, dedupeKey)),
    read: readRecords,
    version,
    findById: (collection, id) => read(() => reader.records(collection).byId(id)),
    collectionTallies: async (collection) => {
      const few = await read(() => reader.fewTallies(collection))
      return few ?? longRead(() => reader.manyTallies(collection))
    },
    setTimes: (collection, times) => write('setTimes', collection, times),
    latest: (collection, count) => read(() => reader.records(collection).latest(count)),
    onChange: changes.onChange,
    signalChange: async (owner) => changes.emit({ owner }),
    async removeEntriesIf(collection, removal) {
      const isRemoved = await write('removeEntriesIf', collection, removal)
      if (isRemoved) changes.emit(removalOf(collection, removal))
      return isRemoved
    },
    async moveRecordIf(collection, move) {
      const isMoved = await write('moveRecordIf', collection, move)
      if (isMoved) changes.emit(removalOf(collection, move))
      return isMoved
    },
    useToken: (owner, token) => write('useToken', owner, token),
    async removeOwner(owner) {
      let isMore = true
      while (isMore) isMore = await write('removeOwner', owner)
    },
    dump: (owner) =>
      dumpOwner({
        collections: () => read(() => reader.collectionsOf(owner)),
        tokens: () => read(() => reader.tokensOf(owner)),
        read: readRecords,
      }),
    tallies: () => read(() => reader.tallies()),
    leaders: (range) => longRead(() => reader.leaders(range)),
    hasItem: (key) => now(() => recent.item(key) !== null),
    getItem: (key) => now(() => recent.item(key)),
    setItem: (key, value) => write('setItem', key, value),
    removeItem: (key) => write('removeItem', key),
    setItemIfAbsent: (key, value) => write('setItemIfAbsent', key, value),
    removeItemIf: (key, value) => write('removeItemIf', key, value),
    replaceItemIf: (key, expected, value) => write('replaceItemIf', key, expected, value),
    listItems: (range) => read(() => reader.page(range)),
    countItems: (base) => read(() => reader.countItems(base)),
    getKeys: (base) => read(() => reader.keys(base ?? '')),
    countInWindow: (key, window) => now(() => windows.count(key, window)),
    peekWindow: (key, window) => now(() => windows.peek(key, window)),
    dispose: () => {
      closing ??= close()
      return closing
    },
  }
}
