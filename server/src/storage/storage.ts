import { StorageError } from './errors.ts'
import { checkItemValue, createItems } from './items.ts'
import { checkItemKey } from './keys.ts'
import type { FishStorage, ItemRange, NewRecord, StorageDriver } from './types.ts'

function checkRecord({ id, dedupeKey, count, plain, full }: NewRecord): NewRecord {
  if (Number.isSafeInteger(count) && count >= 1 && plain.isWellFormed() && full.isWellFormed()) {
    return { id, dedupeKey, count, plain, full }
  }
  throw new StorageError('invalid_value', 'A record needs a whole count of at least 1 and well-formed Unicode.')
}

function checkRange(range: ItemRange): ItemRange {
  if (range.base.endsWith(':') && Number.isSafeInteger(range.limit) && range.limit >= 1) return range
  throw new StorageError('invalid_key', 'A listing of items needs a base that ends in ":" and a limit of at least 1.')
}

/**
 * Makes the storage of the service from a driver. What every driver would have to check is checked here:
 * keys, values and records that could not come back as they went in are refused before they reach it.
 */
export function wrapDriver(driver: StorageDriver): FishStorage {
  let disposed: Promise<void> | undefined
  const dispose = () => {
    disposed ??= Promise.resolve(driver.dispose?.())
    return disposed
  }
  return {
    driver: driver.name ?? 'unknown',
    durability: driver.durability,
    items: Object.assign(createItems(driver), { dispose }),
    ping: () => driver.ping(),
    append: async ({ owner, kind, gamemode }, record) => driver.append({ owner, kind, gamemode }, checkRecord(record)),
    findRecord: (owner, dedupeKey) => driver.findRecord(owner, dedupeKey),
    read: (collection, form, range) => driver.read(collection, form, range),
    removeOwner: (owner) => driver.removeOwner(owner),
    setItemIfAbsent: async (key, value) => driver.setItemIfAbsent(checkItemKey(key), checkItemValue(value)),
    removeItemIf: async (key, value) => driver.removeItemIf(checkItemKey(key), checkItemValue(value)),
    listItems: async (range) => driver.listItems(checkRange(range)),
    countInWindow: (key, window) => driver.countInWindow(key, window),
    peekWindow: (key, window) => driver.peekWindow(key, window),
    dispose,
  }
}
