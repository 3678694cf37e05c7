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

test('a summary is created only once for the remaining client if all other waiting clients disconnect while species are counted', async () => {
  const storage = createMemoryDriver()
  const counted = Promise.withResolvers<void>()
  let asked = 0
  const service = await createMemoryService({
    ...UNLIMITED,
    storage: wrapDriver({
      ...storage,
      async collectionTallies() {
        asked += 1
        await counted.promise
        const at = Date.UTC(2026, 0, 1)
        return { species: [{ name: 'Koi', label: 'Gold', count: 1, first: at, last: at, mark: null }], days: [] }
      },
    }),
  })
  await write(service, 'fish', { fish: [{ name: 'Koi', rarity: 3 }] })
  const leaving = new AbortController()
  const read = (init?: RequestInit) => service.request('/get/fish?name=Alex&gamemode=earth&summary=species', init)
  const gone = Array.from({ length: 5 }, () => read({ signal: leaving.signal }))
  const stays = read()
  await expect.poll(() => asked).toBe(1)
  leaving.abort()
  counted.resolve()
  expect((await stays).status).toBe(200)
  expect((await Promise.all(gone)).map(({ status }) => status)).toEqual([499, 499, 499, 499, 499])
  expect(asked).toBeLessThanOrEqual(2)
})

test('a summary is created once for concurrent requests, and again for a new version of the collection', async () => {
  const storage = createMemoryDriver()
  let made = 0
  const service = await createMemoryService({
    ...UNLIMITED,
    storage: wrapDriver({
      ...storage,
      collectionTallies(...args: Parameters<typeof storage.collectionTallies>) {
        made += 1
        return storage.collectionTallies(...args)
      },
    }),
  })
  await write(service, 'crab', { crab: [{ name: 'One' }] })
  const read = async () => {
    const response = await service.request('/get/crab?name=Alex&gamemode=earth&summary=species')
    return (await response.json()) as { total: number }
  }
  const first = Array.from({ length: 20 }, read)
  expect((await Promise.all(first)).map(({ total }) => total)).toEqual(Array(20).fill(1))
  expect(made).toBe(1)
  await write(service, 'crab', { crab: [{ name: 'Two' }] })
  expect(await read()).toMatchObject({ total: 2 })
  expect(made).toBe(2)
})
