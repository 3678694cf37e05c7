import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createNodeEncoder } from '@fish-crab/server'
import { describe, expect, it } from 'vitest'

const MB = 1024 * 1024
const noise = (bytes: number) => crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65_536)))

/** A body that returns one piece per read, and counts the reads. */
function pieces(count: number, piece = (at: number) => new TextEncoder().encode(`piece ${at} `.repeat(4096))) {
  const state = { read: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        if (state.read === count) return controller.close()
        state.read += 1
        controller.enqueue(piece(state.read))
      },
      cancel() {
        state.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body, state }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe("the encoder of Node's zlib", () => {
  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('encodes bytes and streams as %s, which decodes to the same bytes', async (coding, decode) => {
    const encoder = createNodeEncoder()
    const bytes = new TextEncoder().encode('fish and crab '.repeat(10_000))
    const encoded = await encoder.encode(bytes, coding, 'a')
    expect(Buffer.from(decode(encoded ?? ''))).toEqual(Buffer.from(bytes))
    const stream = encoder.encodeStream(pieces(30).body, coding, 'a')
    const all = Buffer.from(await new Response(stream).arrayBuffer())
    expect(decode(all).toString()).toBe(await new Response(pieces(30).body).text())
    expect(all.length).toBeLessThan(decode(all).length / 10)
    const nothing = encoder.encodeStream(pieces(0).body, coding, 'a')
    expect(decode(Buffer.from(await new Response(nothing).arrayBuffer()))).toHaveLength(0)
  })

  it('gives a later client a turn before the remaining tasks of a busy client', async () => {
    const encoder = createNodeEncoder()
    const order: string[] = []
    const encode = (client: string) =>
      encoder.encode(noise(MB), 'gzip', client).then((encoded) => order.push(encoded ? client : `${client} unencoded`))
    const greedy = Array.from({ length: 30 }, () => encode('greedy'))
    await Promise.all([encode('modest'), encode('shy'), ...greedy])
    expect(order.indexOf('modest')).toBeLessThan(3)
    expect(order.indexOf('shy')).toBeLessThan(6)
  })

  it('leaves bodies unencoded while too many tasks wait, and encodes bodies again afterwards', async () => {
    const encoder = createNodeEncoder()
    const crowd = await Promise.all(Array.from({ length: 200 }, (_, at) => encoder.encode(noise(100), 'br', `${at}`)))
    expect(crowd.filter((encoded) => encoded === undefined).length).toBeGreaterThan(100)
    expect(crowd.filter((encoded) => encoded !== undefined).length).toBeGreaterThan(50)
    expect(await encoder.encode(noise(100), 'br', 'a')).toBeDefined()
  })

  it('limits the concurrent streams of each client and of all clients together', async () => {
    const encoder = createNodeEncoder()
    // The bytes do not compress. Otherwise the whole output would fit in the queues, and a stream would end without a
    // reader.
    const open = (client: string) => encoder.encodeStream(pieces(3, () => noise(65_536)).body, 'br', client)
    const own = Array.from({ length: 5 }, () => open('a'))
    expect(own.map((stream) => stream !== undefined)).toEqual([true, true, true, true, false])
    await own[0]?.cancel()
    await new Response(own[1]).arrayBuffer()
    expect([open('a'), open('a'), open('a')].map((stream) => stream !== undefined)).toEqual([true, true, false])
    const all = Array.from({ length: 100 }, (_, at) => open(`client ${at}`))
    expect(all.filter((stream) => stream !== undefined)).toHaveLength(28)
  })

  it('reads only a little ahead of the reader, and stops when the reader cancels', async () => {
    // The bytes do not compress. With compressible bytes, the encoder would read megabytes before it outputs a few
    // kilobytes.
    const { body, state } = pieces(1000, () => noise(65_536))
    const reader = createNodeEncoder().encodeStream(body, 'br', 'a')?.getReader()
    await reader?.read()
    let before = -1
    while (state.read !== before) {
      before = state.read
      await settled()
    }
    expect(state.read).toBeLessThan(20)
    await reader?.cancel()
    await expect.poll(() => state.cancelled).toBe(true)
  })

  it('fails if the source fails, and releases the slot of the stream', async () => {
    const encoder = createNodeEncoder()
    for (let turn = 0; turn < 10; turn += 1) {
      const broken = new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull(controller) {
          controller.error(new Error('the disk is gone'))
        },
      })
      await expect(new Response(encoder.encodeStream(broken, 'br', 'a')).text()).rejects.toThrow()
    }
    expect(encoder.encodeStream(pieces(1).body, 'br', 'a')).toBeDefined()
  })
})
