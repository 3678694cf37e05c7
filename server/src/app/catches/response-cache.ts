import { concatBytes } from '../core/bytes.ts'
import type { HandlerResponse } from '../http/response.ts'

interface WholeResponse extends HandlerResponse {
  readonly body: Uint8Array<ArrayBuffer>
}

interface Entry {
  readonly version: string
  readonly response: WholeResponse
  readonly size: number
}

/** Largest share of the cache for one body, and for all streams being collected together. */
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
  const collecting = new Map<string, () => void>()
  let total = 0
  let collectedBytes = 0

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

    /**
     * Passes a stream on, and stores the response with its content once it is complete. Collects only the newest stream
     * of a key, and drops the oldest ones when all together grow too large, so that slow readers do not displace fast ones.
     */
    collect(
      key: string,
      version: string,
      body: ReadableStream<Uint8Array<ArrayBuffer>>,
      respond: (content: Uint8Array<ArrayBuffer>) => WholeResponse,
    ): ReadableStream<Uint8Array<ArrayBuffer>> {
      collecting.get(key)?.()
      const reader = body.getReader()
      const chunks: Uint8Array[] = []
      let size = 0
      const stopCollecting = () => {
        if (collecting.get(key) !== stopCollecting) return
        collecting.delete(key)
        collectedBytes -= size
        chunks.length = 0
      }
      collecting.set(key, stopCollecting)
      return new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          async pull(controller) {
            const next = await reader.read().catch((error: unknown) => {
              stopCollecting()
              throw error
            })
            if (next.done) {
              if (collecting.get(key) === stopCollecting) set(key, version, respond(concatBytes(chunks, size)))
              stopCollecting()
              return controller.close()
            }
            controller.enqueue(next.value)
            if (collecting.get(key) !== stopCollecting) return
            chunks.push(next.value)
            size += next.value.byteLength
            collectedBytes += next.value.byteLength
            while (collectedBytes > maxBytes) collecting.values().next().value?.()
          },
          async cancel(reason) {
            stopCollecting()
            await reader.cancel(reason)
          },
        },
        { highWaterMark: 0 },
      )
    },
  }
}
