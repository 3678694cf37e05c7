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
