import { ROUTES } from '@fish-crab/sdk/contract'
import type {
  Metrics,
  RateLimitDecision,
  RequestObservation,
  StorageObservation,
  StoredTotals,
} from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { encryptToken, listed, post, SALMON, write } from './catches.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

/** Metrics that keep every observation. */
function createRecorder() {
  const requests: RequestObservation[] = []
  const decisions: RateLimitDecision[] = []
  const operations: StorageObservation[] = []
  const metrics: Metrics = {
    observeRequest: (observation) => requests.push(observation),
    observeRateLimit: (decision) => decisions.push(decision),
    observeStorage: (observation) => operations.push(observation),
    render: async () => ({ body: 'rendered 1\n', contentType: 'text/plain; version=0.0.4; charset=utf-8' }),
  }
  return { metrics, requests, decisions, operations }
}

describe('metrics of the app', () => {
  it('have the text and the content type that the host provides, and scrapes do not count against the rate limit', async () => {
    const { metrics, decisions } = createRecorder()
    const service = await createMemoryService({ metrics })
    const response = await service.request('/metrics')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(response.headers.get('x-ratelimit-limit')).toBeNull()
    expect(await response.text()).toBe('rendered 1\n')
    expect(decisions).toEqual([])
  })

  it('are not found if the host provides no metrics', async () => {
    await expectError(await (await createMemoryService()).request('/metrics'), 'not_found')
  })

  it.each([
    ['GET', '/get/fish?name=Alex&gamemode=earth', 'getFish', 'GET', 200],
    ['HEAD', '/v1//demo/%66ish/', 'demoFish', 'HEAD', 200],
    ['GET', '/admin/users/Alex/fish', 'listUserFish', 'GET', 401, 'invalid_session'],
    ['GET', '/livez', 'livez', 'GET', 200],
    ['GET', '/no/such/path', 'unmatched', 'GET', 404, 'not_found'],
    ['DELETE', '/status', 'unmatched', 'DELETE', 405, 'method_not_allowed'],
    ['BREW', '/status', 'unmatched', 'other', 405, 'method_not_allowed'],
  ] as const)('%s %s counts as route %s', async (sent, path, route, method, status, code = undefined) => {
    const { metrics, requests } = createRecorder()
    const service = await createMemoryService({ metrics })
    await service.request(path, { method: sent })
    expect(requests).toEqual([{ route, method, status, code, seconds: expect.any(Number) }])
    expect(requests[0]?.seconds).toBeGreaterThan(0)
  })

  it('contain the route of each request, even of a refused request, and each decision of the rate limit', async () => {
    const { metrics, requests, decisions } = createRecorder()
    const service = await createMemoryService({ metrics, rateLimit: { requests: 1, windowMs: 1000 } })
    await service.request('/demo/fish')
    await service.request('/demo/fish')
    await service.request('/demo/fish', { headers: { 'x-api-key': service.alex.apiKey } })
    await service.request('/readyz')
    expect(requests.map(({ route, status }) => [route, status])).toEqual([
      ['demoFish', 200],
      ['demoFish', 429],
      ['demoFish', 200],
      ['readyz', 200],
    ])
    expect(decisions).toEqual(['allowed', 'refused', 'bypassed'])
  })

  it('have no labels that clients can choose', async () => {
    const { metrics, requests } = createRecorder()
    const service = await createMemoryService({ ...UNLIMITED, metrics })
    for (let index = 0; index < 50; index += 1) {
      await service.request(`/made/up/${index}`, { method: `M${index}` })
      await service.request(`/admin/users/U${index}`)
      await service.request(`/docs/${index}`)
    }
    const series = new Set(requests.map(({ route, method, status }) => `${route} ${method} ${status}`))
    expect(series).toEqual(new Set(['unmatched other 404', 'showUser GET 401', 'unmatched GET 404']))
    for (const { route } of requests) expect(['unmatched', ...Object.keys(ROUTES)]).toContain(route)
  })

  it('measure every storage operation, both on items and on records', async () => {
    const { metrics, operations } = createRecorder()
    const service = await createMemoryService({ ...UNLIMITED, metrics })
    expect((await write(service, 'fish', SALMON)).status).toBe(201)
    await listed(service)
    await service.request('/status')
    expect(new Set(operations.map(({ operation }) => operation))).toEqual(
      new Set(['getItem', 'setItem', 'setItemIfAbsent', 'countInWindow', 'append', 'version', 'read', 'ping']),
    )
    for (const { seconds, failed } of operations) {
      expect(failed).toBe(false)
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThan(1)
    }
  })

  it('have the totals of users and catches, which are read at most every 10 s, and omit the totals while the storage is unavailable', async () => {
    const observed: (StoredTotals | undefined)[] = []
    const { metrics, operations } = createRecorder()
    const { storage, failAt } = createFailingStorage()
    const service = await createMemoryService({
      ...UNLIMITED,
      storage,
      metrics: { ...metrics, observeTotals: (totals) => observed.push(totals) },
    })
    const scrape = async () => {
      expect((await service.request('/metrics')).status).toBe(200)
      return observed.at(-1)
    }
    await write(service, 'fish', SALMON)
    const catches = [expect.objectContaining({ kind: 'fish', gamemode: 'earth', count: 1 })]
    expect(await scrape()).toEqual({ users: 1, catches })
    await write(service, 'fish', SALMON)
    service.advance(9999)
    expect(await scrape()).toEqual({ users: 1, catches })
    expect(operations.filter(({ operation }) => operation === 'tallies')).toHaveLength(1)
    service.advance(1)
    expect((await scrape())?.catches).toMatchObject([{ count: 2 }])
    service.advance(10_000)
    failAt(/^tallies/)
    expect(await scrape()).toBeUndefined()
  })

  it('count failed operations, and leave the errors unchanged', async () => {
    const { metrics, operations } = createRecorder()
    const { storage, failAt } = createFailingStorage()
    const service = await createMemoryService({ ...UNLIMITED, metrics, storage })
    const token = await encryptToken(service, SALMON)
    failAt(/^append|^read|^ping/)
    await expectError(await post(service, 'fish', token), 'storage_error')
    await expectError(await service.request('/get/fish?name=Alex&gamemode=earth'), 'storage_error')
    expect((await service.request('/status')).status).toBe(503)
    const failures = operations.filter(({ failed }) => failed).map(({ operation }) => operation)
    expect(failures).toEqual(['append', 'read', 'ping'])
  })
})
