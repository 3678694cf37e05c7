import { HEADERS } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { asRoot } from '../administration.ts'
import { expectError } from '../errors.ts'
import { from, type OpenService, type TestService } from '../test-service.ts'

const READ = '/get/fish?name=Alex&gamemode=earth'
const RATE_HEADERS = [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset]

const remaining = (response: Response) => Number(response.headers.get(HEADERS.rateRemaining) ?? Number.NaN)

async function exhaust(service: TestService, init?: RequestInit): Promise<void> {
  for (let count = 0; count < 25; count += 1) await service.request('/status', init)
}

/** The public rate limit: what is counted, and how. */
export function rateLimitBehaviour(open: OpenService): void {
  describe('the public rate limit', () => {
    it('lets 25 requests pass, counts down to 0 under one unmoving reset, and refuses the 26th', async () => {
      const service = await open()
      const start = service.now()
      const resets = new Set<string | null>()
      for (let left = 24; left >= 0; left -= 1) {
        const response = await service.request(READ)
        expect(response.status).toBe(200)
        expect(response.headers.get(HEADERS.rateLimit)).toBe('25')
        expect(remaining(response)).toBe(left)
        resets.add(response.headers.get(HEADERS.rateReset))
        service.advance(1000)
      }
      expect([...resets]).toEqual([String(start / 1000 + 300)])
      const refused = await service.request(READ)
      expect(remaining(refused)).toBe(0)
      expect(refused.headers.get(HEADERS.rateReset)).toBe(String(start / 1000 + 300))
      expect(refused.headers.get(HEADERS.retryAfter)).toBe('275')
      const { error } = await expectError(refused, 'rate_limited')
      expect(error).toMatch(/try again later/i)
      expect(error).toMatch(/contact the site owner/i)
    })

    it('opens again exactly 300 s after the first request, and not for being asked meanwhile', async () => {
      const service = await open()
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

    it('never names a reset that is too early when the window does not end on a whole second', async () => {
      const service = await open({ startAt: Date.UTC(2026, 0, 1) + 1 })
      const response = await service.request('/status')
      const reset = Number(response.headers.get(HEADERS.rateReset)) * 1000
      expect(reset).toBeGreaterThanOrEqual(service.now() + 300_000)
      expect(reset).toBeLessThan(service.now() + 301_000)
    })

    it('is one over all public endpoints, paths, methods and outcomes', async () => {
      const service = await open()
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

    it.each(['/livez', '/readyz', '/openapi.json', '/v1/livez/', '/%6civez', '/metrics', '/docs'])(
      'neither counts nor stops %s',
      async (path) => {
        const service = await open()
        await exhaust(service)
        const response = await service.request(path)
        expect(response.status).not.toBe(429)
        for (const name of RATE_HEADERS) expect(response.headers.has(name)).toBe(false)
      },
    )

    it('does not count operations, admin endpoints and preflights', async () => {
      const service = await open()
      const admin = await asRoot(service)
      const headers = { origin: 'https://page.example', 'access-control-request-method': 'GET' }
      for (let count = 0; count < 10; count += 1) {
        await service.request('/livez')
        await service.request('/admin/users')
        await admin('GET', '/admin/users')
        const preflight = await service.request(READ, { method: 'OPTIONS', headers })
        expect(preflight.status).toBe(204)
        for (const name of RATE_HEADERS) expect(preflight.headers.has(name)).toBe(false)
      }
      expect(remaining(await service.request(READ))).toBe(24)
      await exhaust(service)
      expect((await service.request(READ, { method: 'OPTIONS', headers })).status).toBe(204)
      expect((await admin('GET', '/admin/users')).status).toBe(200)
    })

    it('lets exactly 25 of 100 requests at once pass', async () => {
      const service = await open()
      const responses = await Promise.all(Array.from({ length: 100 }, () => service.request(READ)))
      const passed = responses.filter(({ status }) => status === 200)
      expect(passed).toHaveLength(25)
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(75)
      expect(passed.map(remaining).sort((a, b) => b - a)).toEqual(Array.from({ length: 25 }, (_, index) => 24 - index))
    })

    it('counts each client for itself', async () => {
      const service = await open()
      await exhaust(service, from('192.0.2.1'))
      expect((await service.request('/status', from('192.0.2.1'))).status).toBe(429)
      expect(remaining(await service.request('/status', from('192.0.2.2')))).toBe(24)
    })

    it.each([
      ['192.0.2.9', '::ffff:192.0.2.9'],
      ['192.0.2.9', '::FFFF:c000:209'],
      ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
      ['2001:db8::1', '2001:0DB8:0:0::'],
      ['fe80::1%eth0', 'fe80::1'],
    ])('takes %s and %s for one client', async (one, same) => {
      const service = await open()
      await service.request('/status', from(one))
      expect(remaining(await service.request('/status', from(same)))).toBe(23)
    })

    it.each([
      ['2001:db8:1:2::1', '2001:db8:1:3::1'],
      ['192.0.2.9', '192.0.2.90'],
      ['::192.0.2.9', '192.0.2.9'],
    ])('takes %s and %s for two clients', async (one, other) => {
      const service = await open()
      await service.request('/status', from(one))
      expect(remaining(await service.request('/status', from(other)))).toBe(24)
    })

    it('does not believe X-Forwarded-For and its like by default', async () => {
      const service = await open()
      for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip']) {
        await service.request('/status', { headers: { [name]: '198.51.100.7' } })
      }
      expect(remaining(await service.request('/status'))).toBe(19)
    })
  })
}
