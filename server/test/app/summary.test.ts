import { expect, test } from 'vitest'
import { write } from './catches.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

test('a collection of more than 10,000 species has no summary', async () => {
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

test('a summary has an entity tag of its own, so that no other form is taken for it', async () => {
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
