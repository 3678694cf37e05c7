import { createStorage, type Storage } from 'unstorage'
import { StorageError } from './errors.ts'
import { checkItemKey } from './keys.ts'
import type { StorageDriver } from './types.ts'

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
export function createItems(driver: StorageDriver): Storage<string> {
  const storage = createStorage<string>({ driver })
  const has = async (key: string) => storage.hasItem(checkItemKey(key))
  const get = async (key: string) => ((await driver.getItem(checkItemKey(key))) ?? null) as string | null
  const set = async (key: string, value: string) => storage.setItem(checkItemKey(key), checkItemValue(value))
  const remove = async (key: string) => storage.removeItem(checkItemKey(key))
  const exact = {
    ...storage,
    has,
    hasItem: has,
    get,
    getItem: get,
    getItemRaw: get,
    getItems: async (wanted: readonly (string | { key: string })[]) =>
      Promise.all(
        wanted.map(async (one) => {
          const key = typeof one === 'string' ? one : one.key
          return { key, value: await get(key) }
        }),
      ),
    set,
    setItem: set,
    setItemRaw: set,
    setItems: async (items: readonly { key: string; value: string }[]) => {
      await Promise.all(items.map(({ key, value }) => set(key, value)))
    },
    remove,
    removeItem: remove,
    del: remove,
    // unstorage's own clears nothing when it is given a base below the mount point.
    clear: async (base = '') => driver.clear?.(base && `${checkItemKey(base.replace(/:$/, ''))}:`, {}),
  }
  // The overloads of `Storage` cannot be written as one object; what differs is only that values are strings.
  return exact as Storage<string>
}
