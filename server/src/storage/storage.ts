import { createStorage } from 'unstorage'
import { StorageError } from './errors.ts'
import { checkItemKey } from './keys.ts'
import type { FishStorage, ItemRange, ItemStorage, LeaderRange, NewRecord, StorageDriver } from './types.ts'

/** Refuses what would not come back as it went in: other types, and text that UTF-8 cannot hold. */
function checkItemValue(value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return value
  throw new StorageError('invalid_value', 'An item is a string of well-formed Unicode. Write other values as JSON.')
}

/**
 * unstorage over a driver, except that it keeps strings as they are. Its own `getItem` parses what it reads
 * (`"123"` would come back as a number), and its keys lose everything behind a `?`: here `getItem` answers the
 * very string, and a key that would be changed is refused.
 */
function createItems(driver: StorageDriver): ItemStorage {
  const storage = createStorage<string>({ driver })
  return {
    hasItem: async (key) => storage.hasItem(checkItemKey(key)),
    getItem: async (key) => ((await driver.getItem(checkItemKey(key))) ?? null) as string | null,
    setItem: async (key, value) => storage.setItem(checkItemKey(key), checkItemValue(value)),
    removeItem: async (key) => storage.removeItem(checkItemKey(key)),
    getKeys: (base) => storage.getKeys(base),
    // unstorage's own clears nothing when it is given a base below the mount point.
    clear: async (base = '') => driver.clear?.(base && `${checkItemKey(base.replace(/:$/, ''))}:`, {}),
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}

function checkRecord({ id, dedupeKey, count, labels, plain, full }: NewRecord): NewRecord {
  const texts = [plain, full, ...Object.keys(labels)]
  if (!isCount(count) || !texts.every((text) => text.isWellFormed())) {
    throw new StorageError('invalid_value', 'A record needs a whole count of at least 1 and well-formed Unicode.')
  }
  for (const [label, carriers] of Object.entries(labels)) {
    if (label && isCount(carriers) && carriers <= count) continue
    throw new StorageError('invalid_value', 'A label is not empty, and at least 1 and at most all entries carry it.')
  }
  return { id, dedupeKey, count, labels: { ...labels }, plain, full }
}

function checkRange(range: ItemRange): ItemRange {
  if (range.base.endsWith(':') && isCount(range.limit)) return range
  throw new StorageError('invalid_key', 'A listing of items needs a base that ends in ":" and a limit of at least 1.')
}

function checkBase(base: string): string {
  if (base.endsWith(':')) return base
  throw new StorageError('invalid_key', 'Items are counted under a base that ends in ":".')
}

function checkLeaderRange(range: LeaderRange): LeaderRange {
  if (isCount(range.limit)) return range
  throw new StorageError('invalid_value', 'A leader board needs a whole limit of at least 1.')
}

/** Every operation of a driver: of unstorage's those that are optional there, and all of the extension. */
const OPERATIONS = [
  'hasItem',
  'getItem',
  'setItem',
  'removeItem',
  'getKeys',
  'clear',
  'ping',
  'append',
  'findRecord',
  'read',
  'version',
  'removeRecord',
  'removeOwner',
  'tallies',
  'leaders',
  'setItemIfAbsent',
  'removeItemIf',
  'replaceItemIf',
  'listItems',
  'countItems',
  'countInWindow',
  'peekWindow',
] as const satisfies readonly (keyof StorageDriver)[]

/**
 * Makes the storage of the service from a driver. What every driver would have to check is checked here:
 * keys, values and records that could not come back as they went in are refused before they reach it.
 *
 * @throws {TypeError} names the operations that the driver lacks
 * @example
 * const storage = wrapDriver(myDriver()) // checked by describeStorage() of @fish-crab/server/storage/conformance
 */
export function wrapDriver(driver: StorageDriver): FishStorage {
  const missing = OPERATIONS.filter((name) => typeof driver?.[name] !== 'function')
  if (missing.length > 0) {
    throw new TypeError(
      `wrapDriver: the driver lacks ${missing.join(', ')}. A driver of unstorage alone is not enough: implement StorageDriver.`,
    )
  }
  let disposed: Promise<void> | undefined
  const dispose = () => {
    disposed ??= Promise.resolve(driver.dispose?.())
    return disposed
  }
  return {
    driver: driver.name ?? 'unknown',
    durability: driver.durability,
    ...(driver.warnings ? { warnings: driver.warnings } : {}),
    items: createItems(driver),
    ping: () => driver.ping(),
    append: async ({ owner, kind, gamemode }, record) => driver.append({ owner, kind, gamemode }, checkRecord(record)),
    findRecord: (owner, dedupeKey) => driver.findRecord(owner, dedupeKey),
    read: (collection, form, range) => driver.read(collection, form, range),
    version: (collection) => driver.version(collection),
    removeRecord: ({ owner, kind, gamemode }, id) => driver.removeRecord({ owner, kind, gamemode }, id),
    removeOwner: (owner) => driver.removeOwner(owner),
    tallies: () => driver.tallies(),
    leaders: async (range) => driver.leaders(checkLeaderRange(range)),
    setItemIfAbsent: async (key, value) => driver.setItemIfAbsent(checkItemKey(key), checkItemValue(value)),
    removeItemIf: async (key, value) => driver.removeItemIf(checkItemKey(key), checkItemValue(value)),
    replaceItemIf: async (key, expected, value) =>
      driver.replaceItemIf(checkItemKey(key), checkItemValue(expected), checkItemValue(value)),
    listItems: async (range) => driver.listItems(checkRange(range)),
    countItems: async (base) => driver.countItems(checkBase(base)),
    countInWindow: (key, window) => driver.countInWindow(key, window),
    peekWindow: (key, window) => driver.peekWindow(key, window),
    dispose,
  }
}
