import type { HandlerResponse } from '../http/response.ts'

interface WholeResponse extends HandlerResponse {
  readonly body: Uint8Array<ArrayBuffer>
}

interface Entry {
  readonly version: string
  readonly response: WholeResponse
  readonly size: number
}

/** Largest share of the cache for one body. */
const LARGEST_SHARE = 1 / 4
/** Overhead of an entry besides its key and its bytes. */
const ENTRY_BYTES = 512

/**
 * Creates a cache bounded in bytes. Nothing has to be invalidated: an entry is only used if the storage reports its
 * version at the time of the read, so that no process serves a collection that another has changed.
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
