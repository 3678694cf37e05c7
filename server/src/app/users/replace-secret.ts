import type { FishStorage } from '../../storage/types.ts'

/**
 * Replaces an item by what is made of its value, again when somebody else was quicker.
 * @returns what it was; `undefined` when there is no item, and none is made
 */
export async function replaceSecret(
  storage: FishStorage,
  key: string,
  next: (value: string) => string,
): Promise<string | undefined> {
  while (true) {
    const value = await storage.items.getItem(key)
    if (value === null) return undefined
    if (await storage.replaceItemIf(key, value, next(value))) return value
  }
}
