import { createChanges, removalOf } from '../core/changes.ts'
import { closedError } from '../core/errors.ts'
import { endOfBase, firstIndex, pageOf } from '../core/paging.ts'
import type { FishStorage, ItemPage, ItemRange, StorageDriver } from '../core/types.ts'
import { createWindows } from '../core/windows.ts'
import { wrapDriver } from '../core/wrap-driver.ts'
import { MemoryRecords, type NextVersion } from './records.ts'

/** Items in memory with sorted keys, so that reading a page takes time in proportion to the page. */
class OrderedItems {
  readonly #values = new Map<string, string>()
  readonly #keys: string[] = []

  get(key: string): string | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: string): void {
    if (!this.#values.has(key)) this.#keys.splice(this.#indexOf(key), 0, key)
    this.#values.set(key, value)
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.#keys.splice(this.#indexOf(key), 1)
  }

  /** The keys that begin with a base. For an empty base, all keys. */
  keys(base: string): string[] {
    return base ? this.#keys.slice(this.#indexOf(base), this.#indexOf(endOfBase(base))) : [...this.#keys]
  }

  count(base: string): number {
    return this.#indexOf(endOfBase(base)) - this.#indexOf(base)
  }

  page({ base, after = '', limit, contains = '' }: ItemRange): ItemPage {
    const matches: { key: string; value: string }[] = []
    const end = endOfBase(base)
    let at = this.#indexOf(after > base ? after : base)
    if (this.#keys[at] === after) at += 1
    for (; matches.length <= limit; at += 1) {
      const key = this.#keys[at]
      if (key === undefined || key >= end) break
      if (key.includes(contains, base.length)) matches.push({ key, value: this.#values.get(key) ?? '' })
    }
    return pageOf(matches, limit)
  }

  #indexOf(key: string): number {
    return firstIndex(this.#keys, (other) => other >= key)
  }
}

/** Options of the memory driver. */
export interface MemoryStorageOptions {
  /** Maximum number of windows of one kind; see `countInWindow`. @default 100000 */
  readonly windows?: number
  /** Makes the versions of collections, from which entity tags are made. @default a random text and a counter */
  readonly nextVersion?: NextVersion
}

export function createMemoryDriver(options: MemoryStorageOptions = {}): StorageDriver {
  const items = new OrderedItems()
  const records = new MemoryRecords(options.nextVersion)
  const windows = createWindows(options.windows)
  const changes = createChanges()
  let closed = false
  const whileOpen = <T>(value: T): T => {
    if (closed) throw closedError()
    return value
  }
  const get = async (key: string) => whileOpen(items).get(key) ?? null
  return {
    name: 'memory',
    durability: 'Data is held in memory only and lost when the process ends.',
    ping: async () => whileOpen(undefined),
    append: async (collection, record) => {
      const result = whileOpen(records).append(collection, record)
      changes.emit(collection)
      return result
    },
    findRecord: async (owner, dedupeKey) => whileOpen(records).findRecord(owner, dedupeKey),
    findById: async (collection, id) => whileOpen(records).findById(collection, id),
    async *read(collection, range) {
      for await (const chunk of whileOpen(records).read(collection, range)) yield whileOpen(chunk)
    },
    version: async (collection) => whileOpen(records).version(collection),
    latest: async (collection, count) => whileOpen(records).latest(collection, count),
    onChange: changes.onChange,
    signalChange: async (owner) => changes.emit({ owner }),
    removeEntriesIf: async (collection, removal) => {
      const isRemoved = whileOpen(records).removeEntriesIf(collection, removal)
      if (isRemoved) changes.emit(removalOf(collection, removal))
      return isRemoved
    },
    moveRecordIf: async (collection, move) => {
      const isMoved = whileOpen(records).moveRecordIf(collection, move)
      if (isMoved) {
        changes.emit(removalOf(collection, move))
        changes.emit({ ...collection, gamemode: move.gamemode })
      }
      return isMoved
    },
    useToken: async (owner, token) => whileOpen(records).useToken(owner, token),
    removeOwner: async (owner) => {
      whileOpen(records).removeOwner(owner)
      changes.emit({ owner })
    },
    async *dump(owner) {
      for (const chunk of whileOpen(records).dump(owner)) yield whileOpen(chunk)
    },
    tallies: async () => whileOpen(records).tallies.list(),
    collectionTallies: async (collection) => whileOpen(records).collectionTallies(collection),
    leaders: async (range) => whileOpen(records).tallies.leaders(range),
    hasItem: async (key) => (await get(key)) !== null,
    getItem: get,
    setItem: async (key, value) => whileOpen(items).set(key, value),
    removeItem: async (key) => whileOpen(items).delete(key),
    setItemIfAbsent: async (key, value) => {
      if (whileOpen(items).get(key) !== undefined) return false
      items.set(key, value)
      return true
    },
    removeItemIf: async (key, value) => {
      if (whileOpen(items).get(key) !== value) return false
      items.delete(key)
      return true
    },
    replaceItemIf: async (key, expected, value) => {
      if (whileOpen(items).get(key) !== expected) return false
      items.set(key, value)
      return true
    },
    listItems: async (range) => whileOpen(items).page(range),
    countItems: async (base) => whileOpen(items).count(base),
    getKeys: async (base) => whileOpen(items).keys(base ?? ''),
    countInWindow: async (key, window) => whileOpen(windows).count(key, window),
    peekWindow: async (key, window) => whileOpen(windows).peek(key, window),
    dispose: () => {
      closed = true
    },
  }
}

/**
 * Creates a storage in memory, for tests, mocks and demos. This storage also runs in browsers.
 *
 * @example const storage = createMemoryStorage()
 */
export function createMemoryStorage(options: MemoryStorageOptions = {}): FishStorage {
  return wrapDriver(createMemoryDriver(options))
}
