/**
 * Makes a value at the first call and returns it from every call. A rejection reaches the callers that waited for it; the
 * next call tries again.
 */
export function lazy<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined
  return () => {
    value ??= make().catch((error: unknown) => {
      value = undefined
      throw error
    })
    return value
  }
}

/** A cache that holds at most `capacity` entries and drops the one that was unused longest. */
interface LruCache<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

/** Makes a {@link LruCache}. */
export function createLruCache<Key, Value>(capacity: number): LruCache<Key, Value> {
  const entries = new Map<Key, Value>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size > capacity) entries.delete(entries.keys().next().value as Key)
    },
  }
}
