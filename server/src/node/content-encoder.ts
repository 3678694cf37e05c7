import { promisify } from 'node:util'
import { brotliCompress, constants, crc32, createBrotliCompress, deflateRaw, gzip } from 'node:zlib'
import { createFairQueue } from '../app/core/fair-queue.ts'
import type { ContentCoding, ContentEncoder } from '../app/http/encoding.ts'

/*
 * Levels by measurement, of 100,000 fish in full (12 MB) and in short (4 MB), as ratio and CPU: gzip 1: 4.0, 83 ms and
 * 12.0, 11 ms; gzip 3: 4.2, 97 ms and 16.8, 14 ms; gzip 6: 4.3, 143 ms and 20.8, 44 ms; br 1: 4.1, 45 ms and 11.2, 7 ms;
 * br 3: 4.2, 101 ms and 12.0, 13 ms; br 5: 4.4, 221 ms and 17.2, 29 ms; br 11: half a minute. zstd 1 (4.5, 23 ms) would
 * be the cheapest, but the contract names gzip and br, and clients that know zstd all know these.
 */
const GZIP = { level: 3 }
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** Of the four threads of Node's pool, which passwords and digests use, too. A task takes about a millisecond. */
const CONCURRENCY = 2
/** Whole bodies that may wait: about a tenth of a second of work. */
const MAX_WAITING = 64
/** Concurrent br streams: each holds 0.4 MB until its client has read it. */
const MAX_STREAMS = 32
const MAX_STREAMS_PER_CLIENT = 4

/** RFC 1952, section 2.3: deflate, no flags, no time, unknown system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
/** RFC 1951, section 3.2: a last block with nothing in it. */
const LAST_BLOCK = Buffer.from([3, 0])

type Bytes = Uint8Array<ArrayBuffer>

const ENCODE: Readonly<Record<ContentCoding, (bytes: Bytes) => Promise<Bytes>>> = {
  gzip: (bytes) => promisify(gzip)(bytes, GZIP),
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
}

interface StreamEncoder {
  /** Returns the encoded bytes that are ready, which may be none. `undefined` ends the stream. */
  encode(chunk: Bytes | undefined): Promise<Bytes>
  close(): void
}

/**
 * Creates an encoder over `node:zlib`, for all clients of one server. A body that cannot be encoded soon is sent unencoded,
 * so that no client waits for one that does not read. Passwords and digests wait for two short tasks at most.
 */
export function createNodeEncoder(): ContentEncoder {
  const queue = createFairQueue({ concurrency: CONCURRENCY, perClient: 1 })
  const streams = new Map<string, number>()
  let open = 0

  /** Returns the function that releases it. */
  function reserveStream(client: string): (() => void) | undefined {
    const own = streams.get(client) ?? 0
    if (open >= MAX_STREAMS || own >= MAX_STREAMS_PER_CLIENT) return undefined
    streams.set(client, own + 1)
    open += 1
    let isReserved = true
    return () => {
      if (!isReserved) return
      isReserved = false
      open -= 1
      const left = (streams.get(client) ?? 0) - 1
      if (left > 0) streams.set(client, left)
      else streams.delete(client)
    }
  }

  return {
    codings: ['gzip', 'br'],

    async encode(bytes, coding, client) {
      if (queue.waiting >= MAX_WAITING) return undefined
      // A copy, since the result of zlib may be a small part of a large buffer, which a cache would keep.
      return new Uint8Array(await queue.run({ client, work: () => ENCODE[coding](bytes) }))
    },

    encodeStream(body, coding, client) {
      const encoder = coding === 'gzip' ? openGzip() : openBrotli(reserveStream(client))
      if (!encoder) return undefined
      const source = body.getReader()
      return new ReadableStream<Bytes>(
        {
          async pull(controller) {
            try {
              // The encoder may buffer several small chunks.
              for (let encoded = new Uint8Array(0); encoded.length === 0; ) {
                const { value } = await source.read()
                encoded = await queue.run({ client, work: () => encoder.encode(value) })
                if (encoded.length > 0) controller.enqueue(encoded)
                if (value) continue
                encoder.close()
                return controller.close()
              }
            } catch (error) {
              encoder.close()
              throw error
            }
          },
          async cancel(reason) {
            encoder.close()
            await source.cancel(reason)
          },
        },
        { highWaterMark: 0 },
      )
    },
  }
}

/** gzip of independent blocks: slow clients take no memory, and the result is 1 % larger. */
function openGzip(): StreamEncoder {
  const block = promisify(deflateRaw)
  let [checksum, size, header] = [0, 0, GZIP_HEADER]
  return {
    async encode(chunk) {
      const before = header
      header = Buffer.alloc(0)
      if (chunk) {
        checksum = crc32(chunk, checksum)
        size += chunk.byteLength
        return Buffer.concat([before, await block(chunk, { ...GZIP, finishFlush: constants.Z_FULL_FLUSH })])
      }
      const trailer = Buffer.alloc(8)
      trailer.writeUInt32LE(checksum)
      trailer.writeUInt32LE(size % 2 ** 32, 4)
      return Buffer.concat([before, LAST_BLOCK, trailer])
    },
    close() {},
  }
}

/** Brotli has no independent blocks: its encoder lives as long as the stream, so their number is limited. */
function openBrotli(release: (() => void) | undefined): StreamEncoder | undefined {
  if (!release) return undefined
  const brotli = createBrotliCompress(BROTLI)
  let encoded: Buffer[] = []
  brotli.on('data', (chunk: Buffer) => encoded.push(chunk))
  const closed = new Promise<never>((_, reject) => {
    brotli.on('error', reject).once('close', () => reject(new Error('The reader of an encoded stream is gone.')))
  })
  closed.catch(() => {})
  return {
    async encode(chunk) {
      const done = new Promise<void>((resolve) => {
        if (chunk) brotli.write(chunk, () => resolve())
        else brotli.once('end', resolve).end()
      })
      await Promise.race([done, closed])
      const ready = encoded
      encoded = []
      return Buffer.concat(ready)
    },
    close() {
      brotli.destroy()
      release()
    },
  }
}
