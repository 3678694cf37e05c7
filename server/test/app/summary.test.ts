import { wrapDriver } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { write } from './catches.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

test('a summary of a collection with more than 10,000 species is refused', async () => {
  const service = await createMemoryService(UNLIMITED)
  const names = Array.from({ length: 10_000 }, (_, index) => ({ name: `Fish ${index}` }))
  for (let at = 0; at < names.length; at += 500) await write(service, 'crab', { crab: names.slice(at, at + 500) })
  const read = () => service.request('/get/crab?name=Alex&gamemode=earth&summary=species')
  expect((await (await read()).json()).species).toHaveLength(10_000)
  await write(service, 'crab', { crab: [{ name: 'One more' }] })
  const refused = await read()
  expect([refused.status, (await refused.json()).code]).toEqual([409, 'too_many_species'])
  expect((await service.request('/get/crab?name=Alex&gamemode=earth')).status).toBe(200)
})

test('the ETag of a summary differs from the ETag of the whole collection', async () => {
  const service = await createMemoryService(UNLIMITED)
  await write(service, 'crab', { crab: [{}] })
  const tagOf = async (query: string, headers = {}) => {
    const response = await service.request(`/get/crab?name=Alex&gamemode=earth${query}`, { headers })
    return { status: response.status, tag: response.headers.get('etag') ?? '' }
  }
  const [whole, summary] = [await tagOf(''), await tagOf('&summary=species')]
  expect(summary.tag).not.toBe(whole.tag)
  expect((await tagOf('&summary=species', { 'if-none-match': whole.tag })).status).toBe(200)
  expect((await tagOf('&summary=species', { 'if-none-match': summary.tag })).status).toBe(304)
})

/** A service that counts the calls of `collectionTallies`. These calls wait for the returned function. */
async function createCountedService() {
  const storage = createMemoryDriver()
  const gate = Promise.withResolvers<void>()
  const counted: string[] = []
  const service = await createMemoryService({
    ...UNLIMITED,
    storage: wrapDriver({
      ...storage,
      async collectionTallies(collection) {
        counted.push(collection.gamemode)
        await gate.promise
        return storage.collectionTallies(collection)
      },
    }),
  })
  await write(service, 'fish', { fish: [{ name: 'Koi', rarity: 3 }] })
  return { service, counted, count: () => gate.resolve() }
}

const PATHS = [
  { of: 'a summary', path: '/get/fish?name=Alex&gamemode=earth&summary=species', calls: 1 },
  { of: 'a profile', path: '/get/profile?name=Alex&species=true', calls: 8 },
] as const

test.each(PATHS)(
  'the species of $of are read once for the remaining client if all other waiting clients disconnect',
  async ({ path, calls }) => {
    const { service, counted, count } = await createCountedService()
    const leaving = new AbortController()
    const aborted = Array.from({ length: 5 }, () => service.request(path, { signal: leaving.signal }))
    const remaining = service.request(path)
    await expect.poll(() => counted.length).toBeGreaterThan(0)
    leaving.abort()
    expect((await Promise.all(aborted)).map(({ status }) => status)).toEqual([499, 499, 499, 499, 499])
    count()
    expect((await remaining).status).toBe(200)
    expect(counted).toHaveLength(calls)
  },
)

test.each(PATHS)(
  'the species of $of are read once for concurrent requests, and again for a new version',
  async ({ path, calls }) => {
    const { service, counted, count } = await createCountedService()
    count()
    const read = async () => ((await (await service.request(path)).json()) as { total: number }).total
    expect(await Promise.all(Array.from({ length: 20 }, read))).toEqual(Array(20).fill(1))
    expect(counted).toHaveLength(calls)
    await write(service, 'fish', { fish: [{ name: 'Cod', rarity: 1 }] })
    expect(await read()).toBe(2)
    expect(counted).toHaveLength(2 * calls)
  },
)

test.each(PATHS)(
  'other events are handled while $of with 10,000 species in each collection is created',
  async ({ path, calls }) => {
    const storage = createMemoryDriver()
    const at = Date.UTC(2026, 0, 1)
    const species = Array.from({ length: 10_000 }, (_, index) => {
      return { name: `Fish ${index}`, label: 'Gold', count: 1, first: at, last: at, mark: null }
    })
    const service = await createMemoryService({
      ...UNLIMITED,
      storage: wrapDriver({ ...storage, collectionTallies: async () => ({ count: 10_000, species, days: [] }) }),
    })
    let turns = 0
    let isCreated = false
    const turn = () => {
      turns += 1
      if (!isCreated) setImmediate(turn)
    }
    setImmediate(turn)
    expect((await service.request(path)).status).toBe(200)
    isCreated = true
    // Slices of 200 species are copied, counted, sorted and listed.
    expect(turns).toBeGreaterThan((calls * 10_000 * 4) / 200)
  },
)
