import { promisify } from 'node:util'
import { brotliCompress, constants, crc32, createBrotliCompress, deflateRaw, gzip } from 'node:zlib'
import type { ContentCoding, ContentEncoder } from '../app/http/encoding.ts'

/*
 * Levels by measurement, of 100,000 fish in full (12 MB) and in short (4 MB), as ratio and CPU: gzip 1: 4.0, 83 ms and
 * 12.0, 11 ms; gzip 3: 4.2, 97 ms and 16.8, 14 ms; gzip 6: 4.3, 143 ms and 20.8, 44 ms; br 1: 4.1, 45 ms and 11.2, 7 ms;
 * br 3: 4.2, 101 ms and 12.0, 13 ms; br 5: 4.4, 221 ms and 17.2, 29 ms; br 11: half a minute. zstd 1 (4.5, 23 ms) would
 * be the cheapest, but the contract names gzip and br, and clients that know zstd all know these.
 */
const GZIP = { level: 3 }
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** Of the four threads that passwords and digests need as well. A turn takes a millisecond or so. */
const AT_ONCE = 2
/** How many whole bodies may wait for their turn: about a tenth of a second's worth. */
const WAITING = 64
/** How many streams may be in br at once: each holds 0.4 MB for as long as its client takes to read. */
const STREAMS = 32
const STREAMS_PER_CLIENT = 4

/** RFC 1952, section 2.3: deflate, no flags, no time, unknown system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
/** RFC 1951, section 3.2: a last block with nothing in it. */
const LAST_BLOCK = Buffer.from([3, 0])

type Bytes = Uint8Array<ArrayBuffer>

const ENCODE: Readonly<Record<ContentCoding, (bytes: Bytes) => Promise<Bytes>>> = {
  gzip: (bytes) => promisify(gzip)(bytes, GZIP),
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
}

/** Encodes a stream piece by piece. */
interface StreamEncoder {
  /** What of it is ready behind this piece, if any; `undefined` ends the stream. */
  encode(piece: Bytes | undefined): Promise<Bytes>
  close(): void
}

/**
 * The encoder of Node's own zlib, for all clients of one server. What it cannot encode soon is left as it is, so that
 * nobody waits for a client that does not read; and passwords and digests wait for two short turns at most.
 */
export function createNodeEncoder(): ContentEncoder {
  const turns = createTurns(AT_ONCE)
  const streams = new Map<string, number>()
  let open = 0

  /** Takes a place among the streams in br; the function gives it back, once. */
  function takePlace(client: string): (() => void) | undefined {
    const own = streams.get(client) ?? 0
    if (open >= STREAMS || own >= STREAMS_PER_CLIENT) return undefined
    streams.set(client, own + 1)
    open += 1
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      open -= 1
      const left = (streams.get(client) ?? 0) - 1
      if (left > 0) streams.set(client, left)
      else streams.delete(client)
    }
  }

  return {
    codings: ['gzip', 'br'],

    async encode(bytes, coding, client) {
      if (turns.waiting >= WAITING) return undefined
      // A copy: what zlib gives may be a small part of a large buffer, all of which a cache would hold.
      return new Uint8Array(await turns.take(client, () => ENCODE[coding](bytes)))
    },

    encodeStream(body, coding, client) {
      const encoder = coding === 'gzip' ? openGzip() : openBrotli(takePlace(client))
      if (!encoder) return undefined
      const source = body.getReader()
      return new ReadableStream<Bytes>(
        {
          async pull(controller) {
            try {
              // Small pieces may all stay in the encoder for now.
              for (let encoded = new Uint8Array(0); encoded.length === 0; ) {
                const { value } = await source.read()
                encoded = await turns.take(client, () => encoder.encode(value))
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

/**
 * gzip of blocks that know nothing of each other, so that nothing is held between two of them: a client that takes its
 * time takes no memory. It costs one hundredth in size.
 */
function openGzip(): StreamEncoder {
  const block = promisify(deflateRaw)
  let [checksum, size, header] = [0, 0, GZIP_HEADER]
  return {
    async encode(piece) {
      const before = header
      header = Buffer.alloc(0)
      if (piece) {
        checksum = crc32(piece, checksum)
        size += piece.byteLength
        return Buffer.concat([before, await block(piece, { ...GZIP, finishFlush: constants.Z_FULL_FLUSH })])
      }
      const trailer = Buffer.alloc(8)
      trailer.writeUInt32LE(checksum)
      trailer.writeUInt32LE(size % 2 ** 32, 4)
      return Buffer.concat([before, LAST_BLOCK, trailer])
    },
    close() {},
  }
}

/** Brotli has no such blocks: what encodes it lives as long as the stream, and only where there is a place for it. */
function openBrotli(leave: (() => void) | undefined): StreamEncoder | undefined {
  if (!leave) return undefined
  const brotli = createBrotliCompress(BROTLI)
  let encoded: Buffer[] = []
  brotli.on('data', (piece: Buffer) => encoded.push(piece))
  const closed = new Promise<never>((_, reject) => {
    brotli.on('error', reject).once('close', () => reject(new Error('Nobody reads what is being encoded.')))
  })
  closed.catch(() => {})
  return {
    async encode(piece) {
      const done = new Promise<void>((resolve) => {
        if (piece) brotli.write(piece, () => resolve())
        else brotli.once('end', resolve).end()
      })
      await Promise.race([done, closed])
      const taken = encoded
      encoded = []
      return Buffer.concat(taken)
    },
    close() {
      brotli.destroy()
      leave()
    },
  }
}

/** Lets so many clients at once do something, one thing each; the next is who waited longest of the others. */
function createTurns(places: number) {
  const busy = new Set<string>()
  const waiting: { readonly client: string; readonly begin: () => void }[] = []
  return {
    get waiting() {
      return waiting.length
    },
    async take<Result>(client: string, task: () => Promise<Result>): Promise<Result> {
      if (busy.size >= places || busy.has(client)) {
        await new Promise<void>((begin) => waiting.push({ client, begin }))
      }
      busy.add(client)
      try {
        return await task()
      } finally {
        busy.delete(client)
        const next = waiting.findIndex((other) => !busy.has(other.client))
        if (next >= 0) {
          const [{ client: other, begin }] = waiting.splice(next, 1) as [(typeof waiting)[number]]
          busy.add(other)
          begin()
        }
      }
    },
  }
}
