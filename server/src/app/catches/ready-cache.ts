/** Answers that are ready to be sent, kept while their collection's version is the current one. */
export interface ReadyCache {
  /** The bytes kept under this key, when they are of this version. */
  get(key: string, version: string): Uint8Array<ArrayBuffer> | undefined
  /** Keeps bytes; drops what was unused longest once there are too many. */
  set(key: string, version: string, bytes: Uint8Array<ArrayBuffer>): void
}

interface Entry {
  readonly version: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/**
 * A cache bounded in bytes. It asks nobody to forget anything: an entry counts only under the version that the storage
 * names at the time of the read, so no process ever serves a collection that another has changed.
 */
export function createReadyCache(capacityBytes: number): ReadyCache {
  const entries = new Map<string, Entry>()
  let size = 0

  function drop(key: string): void {
    size -= entries.get(key)?.bytes.byteLength ?? 0
    entries.delete(key)
  }

  return {
    get(key, version) {
      const entry = entries.get(key)
      if (entry?.version !== version) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.bytes
    },
    set(key, version, bytes) {
      drop(key)
      if (bytes.byteLength > capacityBytes / 4) return
      entries.set(key, { version, bytes })
      size += bytes.byteLength
      while (size > capacityBytes) drop(entries.keys().next().value as string)
    },
  }
}
