import type { ContentCoding } from '../http/encoding.ts'

/** A body that is ready to be sent, and how it is encoded. */
interface CachedBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly coding: ContentCoding | undefined
}

/** Bodies that are kept while their collection's version is the current one. */
export interface ResponseCache {
  /** What is kept under this key, when it is of this version. */
  get(key: string, version: string): CachedBody | undefined
  /** Keeps a body; drops what was unused longest once there are too many bytes. */
  set(key: string, version: string, body: CachedBody): void
  /**
   * Keeps a body that is still on its way, once all of it has passed. The newest under a key is collected, and the
   * oldest of all is given up when they grow too large together: no slow reader stands in the way of quick ones.
   */
  collect(
    key: string,
    version: string,
    coding: ContentCoding | undefined,
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
  ): ReadableStream<Uint8Array<ArrayBuffer>>
}

interface Entry {
  readonly version: string
  readonly body: CachedBody
  readonly size: number
}

/** No body may take more of a cache than this; nor may all that are being collected, together. */
const LARGEST_SHARE = 1 / 4
/** About what an entry takes beside its key and its bytes. */
const ENTRY_BYTES = 512

/**
 * A cache bounded in bytes. It asks nobody to forget anything: an entry counts only under the version that the storage
 * names at the time of the read, so no process ever serves a collection that another has changed.
 */
export function createResponseCache(capacityBytes: number): ResponseCache {
  const entries = new Map<string, Entry>()
  const mostBytes = capacityBytes * LARGEST_SHARE
  const underWay = new Map<string, () => void>()
  let total = 0
  let collectedBytes = 0

  function drop(key: string): void {
    total -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }

  function set(key: string, version: string, body: CachedBody): void {
    drop(key)
    const size = body.bytes.byteLength + 2 * key.length + ENTRY_BYTES
    if (size > mostBytes) return
    entries.set(key, { version, body, size })
    total += size
    while (total > capacityBytes) drop(entries.keys().next().value as string)
  }

  return {
    get(key, version) {
      const entry = entries.get(key)
      if (entry?.version !== version) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.body
    },

    set,

    collect(key, version, coding, body) {
      underWay.get(key)?.()
      const reader = body.getReader()
      const pieces: Uint8Array[] = []
      let size = 0
      const giveUp = () => {
        if (underWay.get(key) !== giveUp) return
        underWay.delete(key)
        collectedBytes -= size
        pieces.length = 0
      }
      underWay.set(key, giveUp)
      return new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          async pull(controller) {
            const next = await reader.read().catch((error: unknown) => {
              giveUp()
              throw error
            })
            if (next.done) {
              if (underWay.get(key) === giveUp) set(key, version, { bytes: joined(pieces, size), coding })
              giveUp()
              return controller.close()
            }
            controller.enqueue(next.value)
            if (underWay.get(key) !== giveUp) return
            pieces.push(next.value)
            size += next.value.byteLength
            collectedBytes += next.value.byteLength
            while (collectedBytes > mostBytes) underWay.values().next().value?.()
          },
          async cancel(reason) {
            giveUp()
            await reader.cancel(reason)
          },
        },
        { highWaterMark: 0 },
      )
    },
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const piece of pieces) {
    bytes.set(piece, offset)
    offset += piece.byteLength
  }
  return bytes
}
