import { LIMITS } from '@fish-crab/sdk/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Listed, listed, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

interface Page {
  readonly fish: Listed[]
  readonly nextCursor?: string
}

async function readPage(service: TestService, query: string): Promise<Page> {
  const response = await service.request(`/get/fish?name=Alex&gamemode=earth&${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as Page
}

async function readAll(service: TestService, limit: () => number, detail = ''): Promise<Listed[]> {
  const all: Listed[] = []
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const size = limit()
    const page: Page = await readPage(service, `limit=${size}${detail}${cursor && `&cursor=${cursor}`}`)
    expect(page.fish.length).toBeLessThanOrEqual(size)
    if (page.nextCursor !== undefined) expect(page.fish).toHaveLength(size)
    all.push(...page.fish)
    cursor = page.nextCursor
  }
  return all
}

/** FNV-1a, which needs no secret. */
function checksum(...texts: readonly string[]): string {
  let hash = 0x811c9dc5
  for (const character of JSON.stringify(texts)) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
  return (hash >>> 0).toString(36)
}

const batch = (record: number, size: number) => ({
  fish: Array.from({ length: size }, (_, index) => ({ name: `${record}/${index}`, rarity: (index % 7) + 1 })),
})

async function fill(service: TestService, sizes: readonly number[]): Promise<void> {
  for (const [record, size] of sizes.entries()) {
    expect((await write(service, 'fish', batch(record, size))).status).toBe(201)
  }
}

/** Reading collections by pages, and large ones whole. */
export function pagingBehaviour(open: OpenService): void {
  describe('paging', () => {
    it('with any limits yields the entries of the whole read, in records of any size', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 })), { maxLength: 8 }),
          fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 5 }),
          fc.constantFrom('', '&detail=full'),
          async (sizes, limits, detail) => {
            const service = await open(UNLIMITED)
            await fill(service, sizes)
            const whole = await listed(service, 'fish', `&gamemode=earth${detail}`)
            expect(whole).toHaveLength(sizes.reduce((sum, size) => sum + size, 0))
            let turn = 0
            const next = () => limits[turn++ % limits.length] ?? 1
            expect(await readAll(service, next, detail)).toEqual(whole)
          },
        ),
        { numRuns: 25 },
      )
    })

    it('through more records than a storage reads at once yields each entry once', async () => {
      const service = await open(UNLIMITED)
      await fill(service, [500, 500, 500, 500, 1, 1, 499])
      const whole = await listed(service)
      expect(whole).toHaveLength(2501)
      for (const limit of [1000, 999, 501, 500, 499]) expect(await readAll(service, () => limit)).toEqual(whole)
    })

    it('has no next page where the last one ends exactly', async () => {
      const service = await open(UNLIMITED)
      await fill(service, [3, 3])
      expect(await readPage(service, 'limit=6')).not.toHaveProperty('nextCursor')
      expect(await readPage(service, 'limit=5')).toHaveProperty('nextCursor')
      expect(await readPage(service, `limit=${LIMITS.pageSize}`)).not.toHaveProperty('nextCursor')
    })

    it('of an empty collection is one empty page', async () => {
      expect(await readPage(await open(), 'limit=1')).toEqual({ user: 'Alex', fish: [] })
    })

    it('continues after its position when more was caught meanwhile', async () => {
      const service = await open(UNLIMITED)
      await fill(service, [2, 2])
      const { nextCursor } = await readPage(service, 'limit=3')
      await write(service, 'fish', { fish: 'late', rarity: 1 })
      const { fish } = await readPage(service, `limit=10&cursor=${nextCursor}`)
      expect(fish.map(({ name }) => name)).toEqual(['1/1', 'late'])
    })

    it('takes a cursor without a limit and yields all that is left', async () => {
      const service = await open(UNLIMITED)
      await fill(service, [2, 3])
      const { nextCursor } = await readPage(service, 'limit=1')
      const rest = await readPage(service, `cursor=${nextCursor}`)
      expect(rest.fish.map(({ name }) => name)).toEqual(['0/1', '1/0', '1/1', '1/2'])
      expect(rest).not.toHaveProperty('nextCursor')
    })

    it.each(['zzzzzzzzzz.zzz', '0.0', '1.zzz', '1.501', '1e3.1', 'x', '~', '1.0~', '1.0~1'])(
      'from the made-up cursor %s is refused',
      async (cursor) => {
        const service = await open(UNLIMITED)
        await fill(service, [2, 3])
        const response = await service.request(`/get/fish?name=Alex&gamemode=earth&limit=10&cursor=${cursor}`)
        const { details } = await expectError(response, 'invalid_query')
        expect(details?.map(({ path }) => path)).toEqual(['cursor'])
      },
    )

    it.each(['zzzzzzzzzzzzz.0', '1.zzzzzz', '-1.0', '1.-1', 'x.', '2.0'])(
      'from a cursor that says %s under a checksum that anybody can work out is refused',
      async (place) => {
        const service = await open(UNLIMITED)
        await fill(service, [2, 3])
        const cursor = `${place}~${checksum(JSON.stringify([service.alex.id, 'fish', 'earth']), place)}`
        const response = await service.request(`/get/fish?name=Alex&gamemode=earth&limit=10&cursor=${cursor}`)
        await expectError(response, 'invalid_query')
      },
    )

    it('from a cursor that was changed, or is of another collection, is refused', async () => {
      const service = await open(UNLIMITED)
      await fill(service, [2, 3])
      const { nextCursor = '' } = await readPage(service, 'limit=3')
      expect(nextCursor).toMatch(/^\w+\.1~[\w-]{22}$/)
      const ask = (kind: string, gamemode: string, cursor: string) =>
        service.request(`/get/${kind}?name=Alex&gamemode=${gamemode}&limit=10&cursor=${cursor}`)
      expect((await ask('fish', 'earth', nextCursor)).status).toBe(200)
      for (const changed of [
        nextCursor.replace('.1~', '.2~'),
        nextCursor.slice(0, -1),
        `${nextCursor}A`,
        nextCursor.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      ]) {
        await expectError(await ask('fish', 'earth', changed), 'invalid_query')
      }
      await expectError(await ask('fish', 'survival', nextCursor), 'invalid_query')
      await expectError(await ask('crab', 'earth', nextCursor), 'invalid_query')
    })

    it('crabs works like paging fish', async () => {
      const service = await open(UNLIMITED)
      await write(service, 'crab', { crab: [{ name: 'a' }, { name: 'b' }, {}] })
      const first = await service.request('/get/crab?name=alex&gamemode=earth&limit=2')
      const { crab, nextCursor } = (await first.json()) as { crab: Listed[]; nextCursor: string }
      expect(crab).toEqual([{ name: 'a' }, { name: 'b' }])
      const last = await service.request(`/get/crab?name=alex&gamemode=earth&limit=2&cursor=${nextCursor}`)
      expect(await last.json()).toEqual({ user: 'Alex', crab: [{ name: 'crab' }] })
    })
  })

  describe('a collection larger than one chunk', () => {
    it('is returned whole, and parses', async () => {
      const service = await open(UNLIMITED)
      const sizes = Array.from({ length: 24 }, () => 500)
      await Promise.all(sizes.map((size, record) => write(service, 'fish', batch(record, size))))
      const response = await service.request('/get/fish?name=Alex&gamemode=earth&detail=full')
      expect(response.headers.get('content-type')).toBe('application/json')
      const { user, fish } = (await response.json()) as { user: string; fish: Listed[] }
      expect(user).toBe('Alex')
      expect(fish).toHaveLength(12_000)
      expect(new Set(fish.map(({ name }) => name)).size).toBe(12_000)
      const head = await service.request('/get/fish?name=Alex&gamemode=earth', { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
    })
  })
}
