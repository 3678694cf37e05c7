/**
 * Makes a value at the first call, for all calls. A failure is told to whoever waited for it and is not kept: the next
 * call tries again.
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
