import { createHash } from 'node:crypto'
import { HEADERS } from '@fish-crab/sdk/contract'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { apiKeyOwnerKey } from '../../src/app/store/item-keys.ts'
import { rateLimitBehaviour } from './behaviour/rate-limit.ts'
import { rateLimitBypassBehaviour } from './behaviour/rate-limit-bypass.ts'
import { createMemoryService } from './memory-service.ts'

rateLimitBehaviour(createMemoryService)
rateLimitBypassBehaviour(createMemoryService)

describe('requests whose path a socket passes on raw', () => {
  it.each([
    'http://service.test/status',
    'http://other.test/./status',
    'http://service.test/get/../status',
    'http://service.test/a/../../%73tatus/?x=/get',
    'http://service.test//status#x',
    'HTTP://SERVICE.TEST/status',
    'http://service.test/v1/../v1/status',
  ])('are counted and answered alike for %s', async (url) => {
    const { app } = await createMemoryService()
    // A host's own request object may hold an address that `new Request` would have cleaned up.
    const raw = new Proxy(new Request('http://service.test/'), {
      get: (target, name) => {
        if (name === 'url') return url
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const response = await app.fetch(raw)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-ratelimit-remaining')).toBe('24')
  })
})

it('an API key of a deleted player does not become that of the next one of the name, whatever a race left behind', async () => {
  const storage = createMemoryStorage()
  const service = await createMemoryService({ storage })
  const former = 'fck_of_a_former_player'
  await storage.items.setItem(apiKeyOwnerKey(createHash('sha256').update(former).digest('hex')), service.alex.name)
  const response = await service.request('/status', { headers: { [HEADERS.apiKey]: former } })
  expect(response.headers.get(HEADERS.rateRemaining)).toBe('24')
})
