import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { asRoot } from '../administration.ts'
import { write } from '../catches.ts'
import { type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const READ = '/get/fish?name=Alex&gamemode=earth'
const batch = (size: number) => ({
  fish: Array.from({ length: size }, (_, index) => ({ name: `Fish ${index}`, rarity: 1 })),
})

async function etagOf(service: TestService, path = READ): Promise<string> {
  const etag = (await service.request(path)).headers.get('etag')
  expect(etag).toMatch(/^(W\/)?"[^"]+"$/)
  return String(etag)
}

const ifNoneMatch = (value: string): RequestInit => ({ headers: { 'if-none-match': value } })
const varyOf = (response: Response) => response.headers.get('vary')?.toLowerCase().split(/, */) ?? []

/** Conditional and compressed reads. */
export function cachingBehaviour(open: OpenService): void {
  describe('a cache in front, which may ignore that a request had credentials,', () => {
    it.each([
      '/admin/users',
      '/admin/users/Alex',
      '/admin/users/nobody',
      '/admin/admins',
      '/admin/me',
      '/admin/audit',
      '/admin/stats',
      '/admin/leaderboard?kind=fish',
    ])('stores nothing of %s', async (path) => {
      const service = await open(UNLIMITED)
      const response = await (await asRoot(service))('GET', path)
      expect(response.status).not.toBe(401)
      expect(response.headers.get('cache-control')).toBe('no-store')
    })

    it.each(['/status', '/readyz', '/livez', '/nowhere', '/get/fish', '/demo/fish'])(
      'stores nothing of %s, which may change at any moment',
      async (path) => {
        const response = await (await open(UNLIMITED)).request(path)
        expect(response.headers.get('cache-control')).toBe('no-store')
      },
    )
  })

  describe('a conditional read', () => {
    it('is 304 without a body, but with the ETag, while nothing changed', async () => {
      const service = await open(UNLIMITED)
      await write(service, 'fish', batch(1))
      const etag = await etagOf(service)
      const again = await service.request(READ, ifNoneMatch(etag))
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
      expect(again.headers.has('x-ratelimit-remaining')).toBe(true)
      expect(again.headers.get('access-control-allow-origin')).toBe('*')
    })

    it('is 304 for a list that has the ETag, its other form of strength, or any', async () => {
      const service = await open(UNLIMITED)
      const etag = await etagOf(service)
      const strong = etag.replace('W/', '')
      for (const value of [`"x", ${etag}`, `${etag},"x"`, strong, `W/${strong}`, '*', ` ${etag} `]) {
        expect([value, (await service.request(READ, ifNoneMatch(value))).status]).toEqual([value, 304])
      }
      for (const value of ['"x"', '', strong.slice(1, -1), `${strong.slice(0, -1)}x"`, 'W/']) {
        expect([value, (await service.request(READ, ifNoneMatch(value))).status]).toEqual([value, 200])
      }
    })

    it('is 200 with another ETag once something was caught, and not for a refused or replayed write', async () => {
      const service = await open(UNLIMITED)
      const empty = await etagOf(service)
      await write(service, 'fish', { fish: 'Cod', rarity: 9 })
      expect(await etagOf(service)).toBe(empty)
      await write(service, 'fish', batch(1))
      const changed = await service.request(READ, ifNoneMatch(empty))
      expect(changed.status).toBe(200)
      expect(changed.headers.get('etag')).not.toBe(empty)
    })

    it('shows what was caught between two reads', async () => {
      const service = await open(UNLIMITED)
      for (let count = 0; count < 5; count += 1) {
        const { fish } = (await (await service.request(READ)).json()) as { fish: unknown[] }
        expect(fish).toHaveLength(count)
        await write(service, 'fish', batch(1))
      }
    })

    it('of a page or of HEAD works alike, and errors are never 304', async () => {
      const service = await open(UNLIMITED)
      await write(service, 'fish', batch(3))
      const page = `${READ}&limit=2`
      expect((await service.request(page, ifNoneMatch(await etagOf(service, page)))).status).toBe(304)
      expect((await service.request(READ, { method: 'HEAD', ...ifNoneMatch(await etagOf(service)) })).status).toBe(304)
      expect((await service.request('/get/fish?name=nobody&gamemode=earth', ifNoneMatch('*'))).status).toBe(404)
      expect((await service.request(`${READ}&limit=0`, ifNoneMatch('*'))).status).toBe(400)
    })
  })

  describe('a compressed read', () => {
    it.each([
      ['a small one', [1]],
      ['a larger one', [200]],
      ['one of many chunks', Array.from({ length: 20 }, () => 500)],
    ])('of %s holds what the plain one does, in gzip and in br', async (_, sizes) => {
      const service = await open(UNLIMITED)
      for (const size of sizes) await write(service, 'fish', batch(size))
      const plain = await (await service.request(READ)).text()
      for (const coding of ['gzip', 'br', 'gzip', 'identity', 'deflate', 'gzip;q=0']) {
        const response = await service.request(READ, { headers: { 'accept-encoding': coding } })
        const bytes = Buffer.from(await response.arrayBuffer())
        const used = response.headers.get('content-encoding')
        expect([null, coding]).toContain(used)
        const decode = { gzip: gunzipSync, br: brotliDecompressSync }[String(used)] ?? ((same: Buffer) => same)
        expect(decode(bytes).toString() === plain).toBe(true)
        if (sizes[0] !== 1 && coding === 'gzip') expect(used).toBe('gzip')
      }
    })

    it('varies by Accept-Encoding, and by Origin as well where origins are configured', async () => {
      expect(varyOf(await (await open(UNLIMITED)).request(READ))).toContain('accept-encoding')
      const service = await open({ ...UNLIMITED, allowedOrigins: ['https://fish.example'] })
      const vary = varyOf(await service.request(READ))
      expect(vary).toContain('origin')
      expect(vary).toContain('accept-encoding')
    })
  })
}
