import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { asRoot } from './administration.ts'
import { write } from './catches.ts'
import { createMemoryService } from './memory-service.ts'
import { type TestService, UNLIMITED } from './test-service.ts'

const READ = '/get/fish?name=Alex&gamemode=earth'
const batch = (size: number) => ({
  fish: Array.from({ length: size }, (_, index) => ({ name: `Fish ${index}`, rarity: 1 })),
})

describe('a cache that ignores credentials', () => {
  it.each([
    '/admin/users',
    '/admin/users/Alex',
    '/admin/users/nobody',
    '/admin/admins',
    '/admin/me',
    '/admin/audit',
    '/admin/stats',
    '/admin/leaderboard?kind=fish',
  ])('must not store the response of %s', async (path) => {
    const service = await createMemoryService(UNLIMITED)
    const response = await (await asRoot(service))('GET', path)
    expect(response.status).not.toBe(401)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it.each(['/status', '/readyz', '/livez', '/nowhere', '/get/fish', '/demo/fish'])(
    'must not store the response of %s, which may change at any moment',
    async (path) => {
      const response = await (await createMemoryService(UNLIMITED)).request(path)
      expect(response.headers.get('cache-control')).toBe('no-store')
    },
  )
})

async function read(service: TestService, accepted: string, method = 'GET') {
  const response = await service.request(READ, { method, headers: { 'accept-encoding': accepted } })
  const bytes = Buffer.from(await response.arrayBuffer())
  const coding = response.headers.get('content-encoding')
  const length = response.headers.get('content-length')
  const decode = { gzip: gunzipSync, br: brotliDecompressSync }[String(coding)] ?? ((same: Buffer) => same)
  const text = method === 'HEAD' ? '' : decode(bytes).toString()
  return { status: response.status, coding, length, bytes, text, headers: response.headers }
}

describe('a read', () => {
  it.each([
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'gzip'],
    ['deflate, br', 'br'],
    ['gzip;q=0.5, br', 'br'],
    ['gzip;q=0.5, br;q=0.9', 'br'],
    ['br;q=0.5 , gzip; q=0.5', 'gzip'],
    ['gzip;q=0, br;q=0.001', 'br'],
    ['*', 'gzip'],
    ['*;q=0.1', 'gzip'],
    ['gzip;q=0, *', 'br'],
    ['gzip, *;q=0', 'gzip'],
    ['gzip;q=0.5, identity;q=0.4', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0, *', 'gzip'],
    ['', null],
    ['identity', null],
    ['deflate', null],
    ['zstd, compress;q=0.5', null],
    ['gzip;q=0', null],
    ['gzip;q=0.000, br;q=0', null],
    ['*;q=0', null],
    ['gzip;q=0.5, identity', null],
    ['gzip;q=2', null],
    ['gzip;q=x', null],
    ['gzipped', null],
    [';;,,=', null],
  ])('with Accept-Encoding "%s" gets a response with the coding %s', async (accepted, coding) => {
    const service = await createMemoryService(UNLIMITED)
    await write(service, 'fish', batch(100))
    const plain = await read(service, 'identity')
    // The second response comes from the cache, and must equal the first response.
    for (let turn = 0; turn < 2; turn += 1) {
      const answer = await read(service, accepted)
      expect([answer.status, answer.coding]).toEqual([200, coding])
      expect(answer.text).toBe(plain.text)
      expect(answer.headers.get('vary')?.toLowerCase()).toContain('accept-encoding')
      expect(answer.headers.get('etag')).toBe(plain.headers.get('etag'))
      expect(answer.length).toBe(String(answer.bytes.byteLength))
      if (coding) expect(answer.bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 3)
    }
    const head = await read(service, accepted, 'HEAD')
    expect([head.status, head.coding, head.bytes.byteLength]).toEqual([200, coding, 0])
  })

  it('gets an unencoded response if the collection is small, unless the client refuses unencoded responses', async () => {
    const service = await createMemoryService(UNLIMITED)
    await write(service, 'fish', batch(1))
    expect((await read(service, 'gzip, br')).coding).toBeNull()
    for (const accepted of ['identity;q=0, gzip', 'gzip, *;q=0', 'gzip;q=1, identity;q=0']) {
      const { coding, text } = await read(service, accepted)
      expect([accepted, coding]).toEqual([accepted, 'gzip'])
      expect(JSON.parse(text)).toMatchObject({ user: 'Alex' })
    }
  })

  it('gets an unencoded response even if the client refuses every coding', async () => {
    const service = await createMemoryService(UNLIMITED)
    await write(service, 'fish', batch(100))
    for (const accepted of ['identity;q=0', '*;q=0', 'gzip;q=0, br;q=0, identity;q=0']) {
      const { status, coding } = await read(service, accepted)
      expect([accepted, status, coding]).toEqual([accepted, 200, null])
    }
  })
})
