import type { ContentCoding } from '../http/encoding.ts'

/** A body that is ready to be sent, and how it is encoded. */
interface ReadyBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly coding: ContentCoding | undefined
}

/** Bodies that are kept while their collection's version is the current one. */
export interface ReadyCache {
  /** What is kept under this key, when it is of this version. */
  get(key: string, version: string): ReadyBody | undefined
  /** Keeps a body; drops what was unused longest once there are too many bytes. */
  set(key: string, version: string, body: ReadyBody): void
}

interface Entry {
  readonly version: string
  readonly body: ReadyBody
  readonly size: number
}

/** About what an entry takes beside its key and its bytes. */
const ENTRY_BYTES = 512

/**
 * A cache bounded in bytes. It asks nobody to forget anything: an entry counts only under the version that the storage
 * names at the time of the read, so no process ever serves a collection that another has changed.
 */
export function createReadyCache(capacityBytes: number): ReadyCache {
  const entries = new Map<string, Entry>()
  let total = 0

  function drop(key: string): void {
    total -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }

  return {
    get(key, version) {
      const entry = entries.get(key)
      if (entry?.version !== version) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.body
    },
    set(key, version, body) {
      drop(key)
      const size = body.bytes.byteLength + 2 * key.length + ENTRY_BYTES
      if (size > capacityBytes / 4) return
      entries.set(key, { version, body, size })
      total += size
      while (total > capacityBytes) drop(entries.keys().next().value as string)
    },
  }
}
