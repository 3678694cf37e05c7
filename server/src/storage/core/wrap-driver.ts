import { createStorage } from 'unstorage'
import { StorageError } from './errors.ts'
import { checkItemKey } from './keys.ts'
import type { FishStorage, ItemStorage, NewRecord, StorageDriver, StorageExtension } from './types.ts'

const ITEM_OPERATIONS = ['hasItem', 'getItem', 'setItem', 'removeItem', 'getKeys'] as const

const OPERATIONS = [
  'ping',
  'append',
  'findRecord',
  'read',
  'dump',
  'version',
  'latest',
  'onChange',
  'removeRecord',
  'moveRecord',
  'removeOwner',
  'tallies',
  'collectionTallies',
  'leaders',
  'setItemIfAbsent',
  'removeItemIf',
  'replaceItemIf',
  'listItems',
  'countItems',
  'countInWindow',
  'peekWindow',
] as const satisfies readonly (keyof StorageExtension)[]

/**
 * Creates the storage of the service from a driver. For all drivers, rejects keys, values and records that could not be
 * read back unchanged.
 *
 * @throws {TypeError} if the driver lacks operations; the message lists them
 * @example const storage = wrapDriver(myDriver()) // checked by describeStorage() of @fish-crab/server/storage/conformance
 */
export function wrapDriver(driver: StorageDriver): FishStorage {
  const missing = [...ITEM_OPERATIONS, ...OPERATIONS].filter((name) => typeof driver?.[name] !== 'function')
  if (missing.length > 0) {
    throw new TypeError(
      `wrapDriver: the driver lacks ${missing.join(', ')}. An unstorage driver alone is not enough: implement StorageDriver.`,
    )
  }
  let disposed: Promise<void> | undefined
  const dispose = () => {
    disposed ??= Promise.resolve(driver.dispose?.())
    return disposed
  }
  const operations = Object.fromEntries(OPERATIONS.map((name) => [name, driver[name].bind(driver)]))
  return {
    ...(operations as unknown as Pick<StorageDriver, (typeof OPERATIONS)[number]>),
    driver: driver.name ?? 'unknown',
    durability: driver.durability,
    ...(driver.warnings ? { warnings: driver.warnings } : {}),
    items: createItems(driver),
    remainingReserve: () => driver.remainingReserve?.() ?? 1,
    append: async ({ owner, kind, gamemode }, record) => driver.append({ owner, kind, gamemode }, checkRecord(record)),
    moveRecord: async (collection, id, gamemode) => {
      if (gamemode !== collection.gamemode) return driver.moveRecord(collection, id, gamemode)
      throw new StorageError('invalid_value', 'A record moves to another gamemode than its own.')
    },
    latest: async (collection, count) => driver.latest(collection, checkLimit(count)),
    leaders: async (range) => driver.leaders({ ...range, limit: checkLimit(range.limit) }),
    setItemIfAbsent: async (key, value) => driver.setItemIfAbsent(checkItemKey(key), checkItemValue(value)),
    removeItemIf: async (key, value) => driver.removeItemIf(checkItemKey(key), checkItemValue(value)),
    replaceItemIf: async (key, expected, value) =>
      driver.replaceItemIf(checkItemKey(key), checkItemValue(expected), checkItemValue(value)),
    listItems: async (range) =>
      driver.listItems({ ...range, base: checkBase(range.base), limit: checkLimit(range.limit) }),
    countItems: async (base) => driver.countItems(checkBase(base)),
    dispose,
  }
}

/**
 * Items through unstorage. unstorage's `getItem` parses values (`"123"` would become a number), so values are read from
 * the driver. unstorage drops everything after a `?` and turns `/` into `:`, so keys that it would change are refused.
 */
function createItems(driver: StorageDriver): ItemStorage {
  const storage = createStorage<string>({ driver })
  return {
    getItem: async (key) => ((await driver.getItem(checkItemKey(key))) ?? null) as string | null,
    setItem: async (key, value) => storage.setItem(checkItemKey(key), checkItemValue(value)),
    removeItem: async (key) => storage.removeItem(checkItemKey(key)),
    getKeys: (base) => storage.getKeys(base),
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}

/** Rejects text that UTF-8 cannot encode, because the text would be read back changed. */
function checkItemValue(value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return value
  throw new StorageError('invalid_value', 'An item is a string of well-formed Unicode. Write other values as JSON.')
}

function checkRecord({ id, dedupeKey, count, labels, entries }: NewRecord): NewRecord {
  const texts = [entries, ...Object.keys(labels)]
  if (!isCount(count) || !texts.every((text) => text.isWellFormed())) {
    throw new StorageError('invalid_value', 'A record needs an integer count of at least 1 and well-formed Unicode.')
  }
  for (const [label, carriers] of Object.entries(labels)) {
    if (label && isCount(carriers) && carriers <= count) continue
    throw new StorageError('invalid_value', 'A label needs a name, and a count from 1 to the number of entries.')
  }
  return { id, dedupeKey, count, labels: { ...labels }, entries }
}

function checkBase(base: string): string {
  if (base.endsWith(':')) return base
  throw new StorageError('invalid_key', 'A base of items ends in ":".')
}

function checkLimit(limit: number): number {
  if (isCount(limit)) return limit
  throw new StorageError('invalid_value', 'A limit is an integer of at least 1.')
}
