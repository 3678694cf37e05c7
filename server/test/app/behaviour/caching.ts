import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { write } from '../catches.ts'
import { type Lane, UNLIMITED, type World } from '../lane.ts'

const READ = '/get/fish?name=Alex&gamemode=earth'
const batch = (size: number) => ({
  fish: Array.from({ length: size }, (_, index) => ({ name: `Fish ${index}`, rarity: 1 })),
})

async function etagOf(world: World, path = READ): Promise<string> {
  const etag = (await world.request(path)).headers.get('etag')
  expect(etag).toMatch(/^(W\/)?"[^"]+"$/)
  return String(etag)
}

const ifNoneMatch = (value: string): RequestInit => ({ headers: { 'if-none-match': value } })
const varyOf = (response: Response) => response.headers.get('vary')?.toLowerCase().split(/, */) ?? []

/** Conditional and compressed reads. */
export function cachingBehaviour(open: Lane): void {
  describe('a conditional read', () => {
    it('is 304 without a body, but with the ETag, while nothing changed', async () => {
      const world = await open(UNLIMITED)
      await write(world, 'fish', batch(1))
      const etag = await etagOf(world)
      const again = await world.request(READ, ifNoneMatch(etag))
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
      expect(again.headers.has('x-ratelimit-remaining')).toBe(true)
      expect(again.headers.get('access-control-allow-origin')).toBe('*')
    })

    it('is 304 for a list that has the ETag, its other form of strength, or any', async () => {
      const world = await open(UNLIMITED)
      const etag = await etagOf(world)
      const strong = etag.replace('W/', '')
      for (const value of [`"x", ${etag}`, `${etag},"x"`, strong, `W/${strong}`, '*', ` ${etag} `]) {
        expect([value, (await world.request(READ, ifNoneMatch(value))).status]).toEqual([value, 304])
      }
      for (const value of ['"x"', '', strong.slice(1, -1), `${strong.slice(0, -1)}x"`, 'W/']) {
        expect([value, (await world.request(READ, ifNoneMatch(value))).status]).toEqual([value, 200])
      }
    })

    it('is 200 with another ETag once something was caught, and not for a refused or replayed write', async () => {
      const world = await open(UNLIMITED)
      const empty = await etagOf(world)
      await write(world, 'fish', { fish: 'Cod', rarity: 9 })
      expect(await etagOf(world)).toBe(empty)
      await write(world, 'fish', batch(1))
      const changed = await world.request(READ, ifNoneMatch(empty))
      expect(changed.status).toBe(200)
      expect(changed.headers.get('etag')).not.toBe(empty)
    })

    it('shows what was caught between two reads', async () => {
      const world = await open(UNLIMITED)
      for (let count = 0; count < 5; count += 1) {
        const { fish } = (await (await world.request(READ)).json()) as { fish: unknown[] }
        expect(fish).toHaveLength(count)
        await write(world, 'fish', batch(1))
      }
    })

    it('of a page or of HEAD works alike, and errors are never 304', async () => {
      const world = await open(UNLIMITED)
      await write(world, 'fish', batch(3))
      const page = `${READ}&limit=2`
      expect((await world.request(page, ifNoneMatch(await etagOf(world, page)))).status).toBe(304)
      expect((await world.request(READ, { method: 'HEAD', ...ifNoneMatch(await etagOf(world)) })).status).toBe(304)
      expect((await world.request('/get/fish?name=nobody&gamemode=earth', ifNoneMatch('*'))).status).toBe(404)
      expect((await world.request(`${READ}&limit=0`, ifNoneMatch('*'))).status).toBe(400)
    })
  })

  describe('a compressed read', () => {
    it.each([
      ['a small one', [1]],
      ['a larger one', [200]],
      ['one of many chunks', Array.from({ length: 20 }, () => 500)],
    ])('of %s holds what the plain one does, in gzip and in br', async (_, sizes) => {
      const world = await open(UNLIMITED)
      for (const size of sizes) await write(world, 'fish', batch(size))
      const plain = await (await world.request(READ)).text()
      for (const coding of ['gzip', 'br', 'gzip', 'identity', 'deflate', 'gzip;q=0']) {
        const response = await world.request(READ, { headers: { 'accept-encoding': coding } })
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
      const world = await open({ ...UNLIMITED, allowedOrigins: ['https://fish.example'] })
      const vary = varyOf(await world.request(READ))
      expect(vary).toContain('origin')
      expect(vary).toContain('accept-encoding')
    })
  })
}
