import { HEADERS } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { type OpenService, type TestServiceOptions, UNLIMITED } from '../test-service.ts'

const ALLOWED = 'https://fish.example'
const OTHER = 'https://other.example'
const READS = ['/status', '/demo/fish', '/demo/crab', '/get/fish?name=Alex&gamemode=earth', '/get/crab', '/nowhere']

const allowOrigin = (response: Response) => response.headers.get('access-control-allow-origin')
const vary = (response: Response) => response.headers.get('vary')?.toLowerCase() ?? ''
const preflight = (method: string, origin = OTHER): RequestInit => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'x-gamemode' },
})

/** Cross-origin requests. */
export function corsBehaviour(open: OpenService): void {
  const openWith = (options: TestServiceOptions = {}) => open({ ...UNLIMITED, ...options })

  describe('cross-origin requests', () => {
    it.each(READS)('may read %s from any origin, without credentials', async (path) => {
      const service = await openWith()
      for (const method of ['GET', 'HEAD']) {
        const response = await service.request(path, { method, headers: { origin: OTHER } })
        expect(allowOrigin(response)).toBe('*')
        expect(response.headers.has('access-control-allow-credentials')).toBe(false)
      }
    })

    it('see the rate-limit headers and the request id', async () => {
      const service = await openWith()
      const response = await service.request('/status', { headers: { origin: OTHER } })
      const exposed = response.headers.get('access-control-expose-headers')?.split(', ')
      expect(exposed).toEqual(
        expect.arrayContaining([
          HEADERS.rateLimit,
          HEADERS.rateRemaining,
          HEADERS.rateReset,
          HEADERS.retryAfter,
          HEADERS.requestId,
        ]),
      )
    })

    it('can read errors, a 429 and its headers included', async () => {
      const service = await open({ rateLimit: { requests: 1, windowMs: 1000 } })
      expect(allowOrigin(await service.request('/get/fish', { headers: { origin: OTHER } }))).toBe('*')
      const limited = await service.request('/get/fish', { headers: { origin: OTHER } })
      expect(limited.status).toBe(429)
      expect(allowOrigin(limited)).toBe('*')
      expect(limited.headers.get('access-control-expose-headers')).toContain(HEADERS.retryAfter)
    })

    it.each(['/get/user/key', '/v1/get/user/key/'])('of unknown origins may not read %s', async (path) => {
      const service = await openWith()
      expect(allowOrigin(await service.request(path, { headers: { origin: OTHER } }))).toBeNull()
      expect(allowOrigin(await service.request(path, preflight('GET')))).toBeNull()
    })

    it('of unknown origins may not read the responses to writes', async () => {
      const service = await openWith({ allowedOrigins: [ALLOWED] })
      const response = await service.request('/post/fish', { method: 'POST', headers: { origin: OTHER } })
      expect(allowOrigin(response)).toBeNull()
    })

    it.each(['/status', '/post/fish', '/get/user/key', '/nowhere'])(
      'of a configured origin are named exactly on %s, with Vary: Origin',
      async (path) => {
        const service = await openWith({ allowedOrigins: ['https://first.example', ALLOWED] })
        for (const method of ['GET', 'POST']) {
          const response = await service.request(path, { method, headers: { origin: ALLOWED } })
          expect(allowOrigin(response)).toBe(ALLOWED)
          expect(vary(response)).toContain('origin')
          expect(response.headers.has('access-control-allow-credentials')).toBe(false)
        }
      },
    )

    it('vary by origin for everyone as soon as an origin is configured', async () => {
      const service = await openWith({ allowedOrigins: [ALLOWED] })
      for (const init of [{}, { headers: { origin: OTHER } }, preflight('POST'), preflight('POST', ALLOWED)]) {
        expect(vary(await service.request('/post/crab', init))).toContain('origin')
        expect(vary(await service.request('/status', init))).toContain('origin')
      }
    })

    it.each([
      'https://fish.example.evil.example',
      'http://fish.example',
      'https://FISH.example',
      'https://fish.example:444',
      'null',
      `${ALLOWED}/`,
    ])('of %s do not pass for the configured origin', async (origin) => {
      const service = await openWith({ allowedOrigins: [ALLOWED] })
      expect(allowOrigin(await service.request('/status', { headers: { origin } }))).toBe('*')
      expect(allowOrigin(await service.request('/post/fish', { method: 'POST', headers: { origin } }))).toBeNull()
    })

    it('to read are allowed by the preflight, with the headers of the interface', async () => {
      const service = await openWith()
      const response = await service.request('/get/fish', preflight('GET'))
      expect(response.status).toBe(204)
      expect(allowOrigin(response)).toBe('*')
      expect(response.headers.get('access-control-allow-methods')).toContain('GET')
      for (const name of [HEADERS.apiKey, HEADERS.requestId, 'if-none-match']) {
        expect(response.headers.get('access-control-allow-headers')).toContain(name)
      }
    })

    it('to write are allowed by the preflight to configured origins alone', async () => {
      const service = await openWith({ allowedOrigins: [ALLOWED] })
      const allowed = await service.request('/post/fish', preflight('POST', ALLOWED))
      expect(allowed.status).toBe(204)
      expect(allowOrigin(allowed)).toBe(ALLOWED)
      expect(allowed.headers.get('access-control-allow-methods')).toContain('POST')
      for (const name of ['content-type', HEADERS.apiKey, HEADERS.gamemode]) {
        expect(allowed.headers.get('access-control-allow-headers')).toContain(name)
      }
      const refused = await service.request('/post/fish', preflight('POST'))
      expect(refused.status).toBe(204)
      expect(allowOrigin(refused)).toBeNull()
    })

    it.each(['/admin/login', '/admin/users', '/admin/users/Alex/reset', '/livez', '/openapi.json'])(
      'get no leave on %s, which is not public',
      async (path) => {
        const service = await openWith({ allowedOrigins: [ALLOWED] })
        for (const init of [{ headers: { origin: ALLOWED } }, preflight('POST', ALLOWED), preflight('GET')]) {
          expect(allowOrigin(await service.request(path, init))).toBeNull()
        }
      },
    )

    it('are not needed: a response to a request without an origin is open as well', async () => {
      const service = await openWith()
      expect(allowOrigin(await service.request('/status'))).toBe('*')
    })
  })
}
