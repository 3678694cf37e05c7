import { pipeline, Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { createFairQueue } from '../app/core/fair-queue.ts'
import type { ContentEncoder } from '../app/http/encoding.ts'

/*
 * The levels are chosen by measurement: compression ratio and CPU time for 100,000 fish with details (12 MB), then
 * without details (4 MB).
 *
 * gzip 1: 4.0, 83 ms; 12.0, 11 ms
 * gzip 3: 4.2, 97 ms; 16.8, 14 ms
 * gzip 6: 4.3, 143 ms; 20.8, 44 ms
 * br 1: 4.1, 45 ms; 11.2, 7 ms
 * br 3: 4.2, 101 ms; 12.0, 13 ms
 * br 5: 4.4, 221 ms; 17.2, 29 ms
 * br 11: half a minute
 *
 * zstd 1 (4.5, 23 ms) would be the cheapest, but the contract specifies gzip and br, and every client that supports zstd
 * also supports them.
 */
const GZIP = { level: 3 }
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** Half of the four threads of Node's pool, which digests also use. A task takes about a millisecond. */
const CONCURRENCY = 2
/** Maximum number of whole bodies that wait: about a tenth of a second of work. */
const MAX_WAITING = 64
/** Maximum number of concurrent streams. Each stream holds up to 0.4 MB until the client has read the whole body. */
const MAX_STREAMS = 32
const MAX_STREAMS_PER_CLIENT = 4

type Bytes = Uint8Array<ArrayBuffer>

const CODERS = {
  gzip: { encode: (bytes: Bytes) => promisify(gzip)(bytes, GZIP), open: () => createGzip(GZIP) },
  br: { encode: (bytes: Bytes) => promisify(brotliCompress)(bytes, BROTLI), open: () => createBrotliCompress(BROTLI) },
}

/**
 * Creates an encoder over `node:zlib`, for all clients of one server. A body that cannot be encoded soon is sent
 * unencoded, so that no client waits for another client that reads slowly. Digests wait for at most two short tasks.
 */
export function createNodeEncoder(): ContentEncoder {
  const queue = createFairQueue({ concurrency: CONCURRENCY, perClient: 1 })
  const clients: string[] = []
  return {
    codings: ['gzip', 'br'],

    async encode(bytes, coding, client) {
      if (queue.waiting >= MAX_WAITING) return undefined
      // Copies the result, because the result may be a small part of a large buffer, which a cache would retain.
      return new Uint8Array(await queue.run({ client, work: () => CODERS[coding].encode(bytes) }))
    },

    encodeStream(body, coding, client) {
      const own = clients.filter((each) => each === client)
      if (clients.length >= MAX_STREAMS || own.length >= MAX_STREAMS_PER_CLIENT) return undefined
      clients.push(client)
      const encoder = CODERS[coding].open()
      encoder.once('close', () => clients.splice(clients.indexOf(client), 1))
      // An error of the source destroys the encoder, so the reader of the encoder gets the error.
      pipeline(Readable.fromWeb(body as NodeReadableStream, { highWaterMark: 1 }), encoder, () => {})
      return Readable.toWeb(encoder) as ReadableStream<Bytes>
    },
  }
}
