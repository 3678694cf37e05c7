import type { Collection } from '../core/types.ts'
import { changedBy, type Write } from './commands.ts'
import type { Reader } from './reader.ts'

/** Maximum number of remembered items, and of remembered versions. */
const MAX_REMEMBERED = 10_000
/** Maximum length of a remembered value, in characters. Users, keys and hashes are shorter. */
const MAX_VALUE_LENGTH = 1024

/**
 * Remembers reads until the next write of the same data: most requests read the same few users and versions. The values
 * are exact: no other process writes to the store, and each write discards the values that it changes.
 */
export function rememberReads({ item, version }: Pick<Reader, 'item' | 'version'>) {
  const items = new Map<string, string>()
  const versions = new Map<string, string>()

  function remember<Value extends string | null>(values: Map<string, string>, key: string, value: Value): Value {
    if (value === null || value.length > MAX_VALUE_LENGTH) return value
    if (values.size >= MAX_REMEMBERED) values.delete(values.keys().next().value as string)
    values.set(key, value)
    return value
  }

  return {
    item: (key: string): string | null => items.get(key) ?? remember(items, key, item(key)),
    version: (collection: Collection): string => {
      const key = keyOf(collection)
      return versions.get(key) ?? remember(versions, key, version(collection))
    },
    /** Call `forget` when a write has ended, even if the write failed: a failed write may be stored anyway. */
    forget(write: Write): void {
      for (const collection of changedBy(write)) versions.delete(keyOf(collection))
      if (write.type === 'removeOwner') versions.clear()
      const [key] = write.args
      if (typeof key === 'string') items.delete(key)
    },
  }
}

function keyOf({ owner, kind, gamemode }: Collection): string {
  return JSON.stringify([owner, kind, gamemode])
}
