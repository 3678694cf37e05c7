import { HEADERS } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { asRoot } from '../administration.ts'
import type { OpenService, TestService } from '../test-service.ts'

const MASTER = 'a-master-key-of-a-test'
const ORIGIN = 'https://fish.example'
const RATE_HEADERS = [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset, HEADERS.retryAfter]

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

/** What lifts the public rate limit, and what does not. */
export function rateLimitBypassBehaviour(open: OpenService): void {
  describe('the public rate limit is lifted', () => {
    it('by a personal API key', async () => {
      const service = await open()
      await expectBypass(service, { [HEADERS.apiKey]: service.alex.apiKey })
    })

    it('by the master key', async () => {
      await expectBypass(await open({ masterApiKey: MASTER }), { [HEADERS.apiKey]: MASTER })
    })

    it('by a configured origin', async () => {
      await expectBypass(await open({ allowedOrigins: ['https://a.example', ORIGIN] }), { origin: ORIGIN })
    })

    it('for errors too, and on an exhausted window', async () => {
      const service = await open({ rateLimit: { requests: 1, windowMs: 300_000 } })
      await service.request('/status')
      expect((await service.request('/status')).status).toBe(429)
      const response = await service.request('/nowhere', { headers: { [HEADERS.apiKey]: service.alex.apiKey } })
      expect(response.status).toBe(404)
      for (const name of RATE_HEADERS) expect(response.headers.has(name)).toBe(false)
    })

    it('by a new API key, and no longer by the one it replaced', async () => {
      const service = await open()
      const admin = await asRoot(service)
      const response = await admin('POST', '/admin/users/alex/reset', { type: 'api-key' })
      const { apiKey } = (await response.json()) as { apiKey: string }
      expect(apiKey).not.toBe(service.alex.apiKey)
      await expectBypass(service, { [HEADERS.apiKey]: apiKey })
      const old = await service.request('/status', { headers: { [HEADERS.apiKey]: service.alex.apiKey } })
      expect(old.headers.get(HEADERS.rateRemaining)).toBe('23')
    })

    it('no longer by the API key of a deleted user', async () => {
      const service = await open()
      const admin = await asRoot(service)
      expect((await admin('DELETE', '/admin/users/Alex')).status).toBe(204)
      await expectCounted(service, { [HEADERS.apiKey]: service.alex.apiKey })
    })
  })

  describe('the public rate limit stays', () => {
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
    ])('with the invalid key %j, which is ignored', async (apiKey) => {
      await expectCounted(await open({ masterApiKey: MASTER }), { [HEADERS.apiKey]: apiKey })
    })

    it('with an empty key where no master key is configured', async () => {
      await expectCounted(await open(), { [HEADERS.apiKey]: '' })
    })

    it('with the hash of a key in place of the key', async () => {
      const service = await open()
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
    ])('with the origin %s beside a configured one', async (origin) => {
      await expectCounted(await open({ allowedOrigins: [ORIGIN] }), { origin })
    })

    it('with any origin while none is configured', async () => {
      await expectCounted(await open(), { origin: ORIGIN })
    })

    it('with a referer or host that look like the configured origin', async () => {
      await expectCounted(await open({ allowedOrigins: [ORIGIN] }), {
        referer: `${ORIGIN}/`,
        'x-forwarded-host': 'fish.example',
      })
    })
  })

  describe('an allowed origin', () => {
    it('does not stand for authentication', async () => {
      const service = await open({ allowedOrigins: [ORIGIN] })
      const headers = { origin: ORIGIN }
      expect((await service.request('/get/user/key?name=Alex', { headers })).status).toBe(401)
      expect((await service.request('/admin/users', { headers })).status).toBe(401)
    })
  })

  describe('the master key', () => {
    it('names no user and opens nothing else', async () => {
      const service = await open({ masterApiKey: MASTER })
      const headers = { [HEADERS.apiKey]: MASTER }
      const response = await service.request('/post/fish', { method: 'POST', headers })
      expect(await response.json()).toMatchObject({ code: 'missing_name' })
      expect((await service.request('/get/user/key?name=Alex', { headers })).status).toBe(401)
      expect((await service.request('/admin/users', { headers })).status).toBe(401)
    })
  })
}
