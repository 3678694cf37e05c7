import { gunzipSync } from 'node:zlib'
import { type ContentEncoder, createPlatformEncoder } from '@fish-crab/server/app'
import { wrapDriver } from '@fish-crab/server/storage'
import { describe, expect, it, test } from 'vitest'
import { createResponseCache } from '../../src/app/catches/response-cache.ts'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { write } from './catches.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

/** Random text hardly compresses. An encoder would read megabytes of other text before it outputs a few kilobytes. */
const randomName = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(66))))
/** A write of about 60 KB. The response to a read is streamed if the collection contains two such writes. */
const LARGE = { fish: Array.from({ length: 500 }, () => ({ name: randomName(), rarity: 1 })) }
const READ = '/get/fish?name=Alex&gamemode=earth'
const GZIP = { headers: { 'accept-encoding': 'gzip' } }

/** A service that counts the chunks read from its storage. */
async function countingService(writes: number) {
  const storage = createMemoryDriver()
  const read = { chunks: 0 }
  const counting = wrapDriver({
    ...storage,
    async *read(...args: Parameters<typeof storage.read>) {
      for await (const chunk of storage.read(...args)) {
        read.chunks += 1
        yield chunk
      }
    },
  })
  const service = await createMemoryService({ ...UNLIMITED, storage: counting })
  for (let count = 0; count < writes; count += 1) await write(service, 'fish', LARGE)
  return { service, read }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

test.each(['identity', 'gzip'])(
  'a collection in %s is read from the storage once, and is read again only after a change',
  async (coding) => {
    const { service, read } = await countingService(1)
    const options = { headers: { 'accept-encoding': coding } }
    const first = await bytesOf(await service.request(READ, options))
    const { chunks } = read
    expect((await bytesOf(await service.request(READ, options))).equals(first)).toBe(true)
    expect(read.chunks).toBe(chunks)
    await write(service, 'fish', { fish: 'Late', rarity: 1 })
    const changed = await bytesOf(await service.request(READ, options))
    expect((coding === 'gzip' ? gunzipSync(changed) : changed).toString()).toContain('Late')
    expect(read.chunks).toBeGreaterThan(chunks)
  },
)

describe('a large collection in gzip', () => {
  it('is complete for a second reader while the first reader is still reading', async () => {
    const { service } = await countingService(20)
    const slow = await service.request(READ, GZIP)
    const quick = await bytesOf(await service.request(READ, GZIP))
    expect(gunzipSync(quick).equals(gunzipSync(await bytesOf(slow)))).toBe(true)
  })

  it('is sent unencoded while the host has no capacity to encode it', async () => {
    const platform = createPlatformEncoder()
    let isFull = true
    const encoder: ContentEncoder = {
      ...platform,
      encode: async (...args) => (isFull ? undefined : platform.encode(...args)),
      encodeStream: (...args) => (isFull ? undefined : platform.encodeStream(...args)),
    }
    const service = await createMemoryService({ ...UNLIMITED, contentEncoder: encoder })
    for (const writes of [1, 20]) {
      for (let count = 0; count < writes; count += 1) await write(service, 'fish', LARGE)
      const response = await service.request(READ, GZIP)
      expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null])
      expect(((await response.json()) as { fish: unknown[] }).fish.length).toBeGreaterThanOrEqual(500)
      isFull = false
      const later = await service.request(READ, GZIP)
      expect(later.headers.get('content-encoding')).toBe('gzip')
      await later.arrayBuffer()
      isFull = true
    }
  })
})

describe('a large collection', () => {
  it.each(['identity', 'gzip'])(
    'in %s is read from the storage only as fast as the client reads the response',
    async (coding) => {
      const { service, read } = await countingService(50)
      const response = await service.request(READ, { headers: { 'accept-encoding': coding } })
      await settled()
      const atFirst = read.chunks
      expect(atFirst).toBeLessThan(coding === 'gzip' ? 20 : 4)
      const reader = response.body?.getReader()
      await reader?.read()
      await settled()
      const afterOne = read.chunks
      expect(afterOne).toBeLessThan(coding === 'gzip' ? 20 : atFirst + 2)
      await settled()
      expect(read.chunks).toBeLessThan(20)
      await reader?.cancel()
    },
  )
})

describe('an app without an encoder', () => {
  it('offers gzip but not Brotli, since the platform encodes Brotli at its slowest level', async () => {
    const service = await createMemoryService({ ...UNLIMITED, contentEncoder: createPlatformEncoder() })
    await write(service, 'fish', LARGE)
    const codingOf = async (accepted: string) =>
      (await service.request(READ, { headers: { 'accept-encoding': accepted } })).headers.get('content-encoding')
    expect([await codingOf('gzip, br'), await codingOf('br')]).toEqual(['gzip', null])
  })
})

test('the cache evicts the least recently used responses before it exceeds its memory limit', () => {
  const cache = createResponseCache(10_000)
  const response = { status: 200, headers: {}, body: new Uint8Array(1900) }
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, '1', response)
  expect(cache.get('a', '1')).toBe(response)
  cache.set('e', '1', response)
  const kept = ['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key, '1') !== undefined)
  expect(kept).toEqual(['a', 'c', 'd', 'e'])
  cache.set('large', '1', { ...response, body: new Uint8Array(3000) })
  expect(cache.get('large', '1')).toBeUndefined()
})
