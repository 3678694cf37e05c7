import { createHash } from 'node:crypto'
import { HEADERS } from '@fish-crab/sdk/contract'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { apiKeyOwnerKey } from '../../src/app/store/item-keys.ts'
import { asRoot } from './administration.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { from, type TestService } from './test-service.ts'

describe('requests with a raw URL from a socket', () => {
  it.each([
    'http://service.test/status',
    'http://other.test/./status',
    'http://service.test/get/../status',
    'http://service.test/a/../../%73tatus/?x=/get',
    'http://service.test//status#x',
    'HTTP://SERVICE.TEST/status',
    'http://service.test/v1/../v1/status',
  ])('are counted, and get the response for the normalized path, for %s', async (url) => {
    const { app } = await createMemoryService()
    // The request object of a host may have a URL that `new Request` would normalize.
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

it('an API key of a deleted player does not work for a new player with the same name, even if a race has left the API key in the storage', async () => {
  const storage = createMemoryStorage()
  const service = await createMemoryService({ storage })
  const former = 'fck_of_a_former_player'
  await storage.items.setItem(apiKeyOwnerKey(createHash('sha256').update(former).digest('hex')), service.alex.name)
  const response = await service.request('/status', { headers: { [HEADERS.apiKey]: former } })
  expect(response.headers.get(HEADERS.rateRemaining)).toBe('24')
})

const READ = '/get/fish?name=Alex&gamemode=earth'
const RATE_HEADERS = [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset]

const remaining = (response: Response) => Number(response.headers.get(HEADERS.rateRemaining) ?? Number.NaN)

async function exhaust(service: TestService, init?: RequestInit): Promise<void> {
  for (let count = 0; count < 25; count += 1) await service.request('/status', init)
}

describe('the public rate limit', () => {
  it('lets one /48 open at most a tenth of all windows, and refuses only its further networks', async () => {
    const service = await createMemoryService({ rateLimit: { requests: 2, windowMs: 300_000 } })
    const ask = (address: string) => service.request('/status', from(address))
    const network = (at: number) => `2001:db8:7:${at.toString(16)}::1`
    for (let at = 0; at < 10_000; at += 1) await ask(network(at))
    const refused = await ask(network(10_000))
    expect(refused.headers.get(HEADERS.retryAfter)).toBe('300')
    await expectError(refused, 'rate_limited')
    await expectError(await ask(network(10_000)), 'rate_limited')
    for (const address of [network(1), '2001:db8:8::1', '192.0.2.7']) expect((await ask(address)).status).toBe(200)
    service.advance(300_000)
    expect((await ask(network(10_000))).status).toBe(200)
  })

  it('resets exactly 300 s after the first request, whatever requests arrive in between', async () => {
    const service = await createMemoryService()
    await exhaust(service)
    service.advance(299_999)
    const refused = await service.request('/status')
    expect(refused.status).toBe(429)
    expect(refused.headers.get(HEADERS.retryAfter)).toBe('1')
    service.advance(1)
    const reopened = await service.request('/status')
    expect(reopened.status).toBe(200)
    expect(remaining(reopened)).toBe(24)
    expect(reopened.headers.get(HEADERS.rateReset)).toBe(String(service.now() / 1000 + 300))
  })

  it('never reports a reset time that is too early, even if the window does not end on a whole second', async () => {
    const service = await createMemoryService({ startAt: Date.UTC(2026, 0, 1) + 1 })
    const response = await service.request('/status')
    const reset = Number(response.headers.get(HEADERS.rateReset)) * 1000
    expect(reset).toBeGreaterThanOrEqual(service.now() + 300_000)
    expect(reset).toBeLessThan(service.now() + 301_000)
  })

  it('is shared by all public endpoints, paths, methods and outcomes', async () => {
    const service = await createMemoryService()
    const requests: [string, string][] = [
      ['GET', '/status'],
      ['GET', '/demo/fish'],
      ['GET', '/demo/crab'],
      ['GET', READ],
      ['HEAD', READ],
      ['GET', '/get/crab'],
      ['POST', '/post/fish?name=Alex'],
      ['POST', '/post/crab?name=nobody'],
      ['GET', '/get/user/key'],
      ['GET', '/v1/status'],
      ['GET', '/status/'],
      ['GET', '//status'],
      ['GET', '/%73tatus'],
      ['GET', '/v1//./get/%66ish/?name=Alex'],
      ['DELETE', '/status'],
      ['OPTIONS', '/status'],
      ['HEAD', '/nowhere'],
      ['GET', '/nowhere'],
      ['PATCH', '/nowhere/%2e%2e/%'],
      ['GET', '/v1'],
      ['GET', '/'],
      ['GET', '/livez/x'],
      ['GET', '/LIVEZ'],
      ['GET', '/get%2Ffish'],
      ['GET', '/admin'],
    ]
    let left = 25
    for (const [method, path] of requests) {
      left -= 1
      expect([method, path, remaining(await service.request(path, { method }))]).toEqual([method, path, left])
    }
    expect(left).toBe(0)
    for (const [method, path] of requests) {
      expect([path, (await service.request(path, { method })).status]).toEqual([path, 429])
    }
  })

  it.each([
    ['192.0.2.9', '::ffff:192.0.2.9'],
    ['192.0.2.9', '::FFFF:c000:209'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8::1', '2001:0DB8:0:0::'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('treats %s and %s as one client', async (one, same) => {
    const service = await createMemoryService()
    await service.request('/status', from(one))
    expect(remaining(await service.request('/status', from(same)))).toBe(23)
  })

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['192.0.2.9', '192.0.2.90'],
    ['::192.0.2.9', '192.0.2.9'],
  ])('treats %s and %s as two clients', async (one, other) => {
    const service = await createMemoryService()
    await service.request('/status', from(one))
    expect(remaining(await service.request('/status', from(other)))).toBe(24)
  })

  it('ignores X-Forwarded-For and similar headers by default', async () => {
    const service = await createMemoryService()
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip']) {
      await service.request('/status', { headers: { [name]: '198.51.100.7' } })
    }
    expect(remaining(await service.request('/status'))).toBe(19)
  })
})

const MASTER = 'a-master-key-of-a-test'
const ORIGIN = 'https://fish.example'
async function expectBypass(service: TestService, headers: Record<string, string>): Promise<void> {
  for (let count = 0; count < 30; count += 1) {
    const response = await service.request('/status', { headers })
    expect(response.status).toBe(200)
    for (const name of RATE_HEADERS) expect(response.headers.has(name)).toBe(false)
  }
  const counted = await service.request('/status')
  expect(counted.headers.get(HEADERS.rateRemaining)).toBe('24')
}

async function expectCounted(service: TestService, headers: Record<string, string>): Promise<void> {
  const response = await service.request('/status', { headers })
  expect(response.status).toBe(200)
  expect(response.headers.get(HEADERS.rateRemaining)).toBe('24')
}

describe('the public rate limit is lifted', () => {
  it('by a new API key, but not by the replaced API key', async () => {
    const service = await createMemoryService()
    const admin = await asRoot(service)
    const response = await admin('POST', '/admin/users/alex/reset', { type: 'api-key' })
    const { apiKey } = (await response.json()) as { apiKey: string }
    expect(apiKey).not.toBe(service.alex.apiKey)
    await expectBypass(service, { [HEADERS.apiKey]: apiKey })
    const old = await service.request('/status', { headers: { [HEADERS.apiKey]: service.alex.apiKey } })
    expect(old.headers.get(HEADERS.rateRemaining)).toBe('23')
  })

  it('by an API key only until its user is deleted', async () => {
    const service = await createMemoryService()
    const admin = await asRoot(service)
    expect((await admin('DELETE', '/admin/users/Alex')).status).toBe(204)
    await expectCounted(service, { [HEADERS.apiKey]: service.alex.apiKey })
  })
})

describe('the public rate limit is not lifted', () => {
  it.each([
    'nonsense',
    '',
    ' ',
    'x'.repeat(5000),
    `${MASTER}x`,
    MASTER.slice(1),
    MASTER.toUpperCase(),
    'ünïcode',
    `${MASTER}, ${MASTER}`,
  ])('by the invalid key %j', async (apiKey) => {
    await expectCounted(await createMemoryService({ masterApiKey: MASTER }), { [HEADERS.apiKey]: apiKey })
  })

  it('by the hash of an API key', async () => {
    const service = await createMemoryService()
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(service.alex.apiKey))
    await expectCounted(service, { [HEADERS.apiKey]: Buffer.from(digest).toString('hex') })
  })

  it.each([
    'https://fish.example.evil.example',
    'http://fish.example',
    'https://FISH.example',
    `${ORIGIN}/`,
    'null',
    `${ORIGIN}, ${ORIGIN}`,
  ])('by the origin %s, which only resembles the configured origin', async (origin) => {
    await expectCounted(await createMemoryService({ allowedOrigins: [ORIGIN] }), { origin })
  })

  it('by a referer or a host that resembles the configured origin', async () => {
    await expectCounted(await createMemoryService({ allowedOrigins: [ORIGIN] }), {
      referer: `${ORIGIN}/`,
      'x-forwarded-host': 'fish.example',
    })
  })
})
