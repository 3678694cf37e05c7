/**
 * Creates a value at the first call, and returns the same value from every later call. If the creation fails, all
 * waiting callers get the error, and the next call tries again.
 * @param isFinal whether to reuse a value. Otherwise, the next call creates a new value. @default always
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

/** Creates a cache that evicts the least recently used entry when the number of entries exceeds the capacity. */
export function createLruCache<Key, Value>(capacity: number) {
  const entries = new Map<Key, Value>()
  let newest: Key | undefined
  function add(key: Key, value: Value): void {
    // Moving an entry takes longer than finding it.
    if (key !== newest) entries.delete(key)
    entries.set(key, value)
    newest = key
  }
  return {
    get(key: Key): Value | undefined {
      const value = entries.get(key)
      if (value !== undefined) add(key, value)
      return value
    },
    set(key: Key, value: Value): void {
      add(key, value)
      if (entries.size > capacity) entries.delete(entries.keys().next().value as Key)
    },
    delete(key: Key): void {
      entries.delete(key)
    },
  }
}
