import type { HandlerResponse } from '../http/response.ts'

interface WholeResponse extends HandlerResponse {
  readonly body: Uint8Array<ArrayBuffer>
}

interface Entry {
  readonly version: string
  readonly response: WholeResponse
  readonly size: number
}

/** Maximum share of the cache that one entry may use. */
const LARGEST_SHARE = 1 / 4
/** Estimated overhead of an entry besides its key and its body, in bytes. */
const ENTRY_BYTES = 512

/**
 * Creates a cache with a capacity in bytes. No entry has to be invalidated: an entry is used only if its version equals
 * the current version in the storage, so that no process serves a collection that another process has changed.
 */
export function createResponseCache(capacityBytes: number) {
  const entries = new Map<string, Entry>()
  const maxBytes = capacityBytes * LARGEST_SHARE
  let total = 0

  function drop(key: string): void {
    total -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }

  function set(key: string, version: string, response: WholeResponse): void {
    drop(key)
    const size = response.body.byteLength + 2 * key.length + ENTRY_BYTES
    if (size > maxBytes) return
    entries.set(key, { version, response, size })
    total += size
    while (total > capacityBytes) drop(entries.keys().next().value as string)
  }

  return {
    get(key: string, version: string): WholeResponse | undefined {
      const entry = entries.get(key)
      if (entry?.version !== version) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.response
    },

    set,
  }
}
