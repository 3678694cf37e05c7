/**
 * Creates a value at the first call and returns it from every call. A rejection reaches the callers that waited for it;
 * the next call tries again.
 * @param isFinal whether a value is reused; otherwise the next call creates another. @default always
 */
export function lazy<Value>(
  create: () => Promise<Value>,
  isFinal: (value: Value) => boolean = () => true,
): () => Promise<Value> {
  let value: Promise<Value> | undefined
  const forget = () => {
    value = undefined
  }
  return () => {
    if (!value) {
      value = create()
      value.then((created) => {
        if (!isFinal(created)) forget()
      }, forget)
    }
    return value
  }
}

/** Drops the least recently used entries above the capacity. */
export function createLruCache<Key, Value>(capacity: number) {
  const entries = new Map<Key, Value>()
  return {
    get(key: Key): Value | undefined {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key: Key, value: Value): void {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size > capacity) entries.delete(entries.keys().next().value as Key)
    },
  }
}
