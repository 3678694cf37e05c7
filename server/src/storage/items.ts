import { createStorage } from 'unstorage'
import { StorageError } from './errors.ts'
import { checkItemKey } from './keys.ts'
import type { ItemStorage, StorageDriver } from './types.ts'

/** Refuses what would not come back as it went in: other types, and text that UTF-8 cannot hold. */
export function checkItemValue(value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return value
  throw new StorageError('invalid_value', 'An item is a string of well-formed Unicode. Write other values as JSON.')
}

/**
 * unstorage over a driver, except that it keeps strings as they are. Its own `getItem` parses what it reads
 * (`"123"` would come back as a number), and its keys lose everything behind a `?`: here `getItem` answers the
 * very string, and a key that would be changed is refused.
 */
export function createItems(driver: StorageDriver): ItemStorage {
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
