import { describe, expect, it } from 'vitest'
import { createMemoryService } from './memory-service.ts'
import { type TestServiceOptions, UNLIMITED } from './test-service.ts'

const ALLOWED = 'https://fish.example'
const OTHER = 'https://other.example'

const allowOrigin = (response: Response) => response.headers.get('access-control-allow-origin')
const vary = (response: Response) => response.headers.get('vary')?.toLowerCase() ?? ''
const preflight = (method: string, origin = OTHER): RequestInit => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'x-gamemode' },
})

const openWith = (options: TestServiceOptions = {}) => createMemoryService({ ...UNLIMITED, ...options })

describe('responses to cross-origin requests', () => {
  it('vary by origin if an origin is configured', async () => {
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
  ])('from %s do not treat this origin as the configured origin', async (origin) => {
    const service = await openWith({ allowedOrigins: [ALLOWED] })
    expect(allowOrigin(await service.request('/status', { headers: { origin } }))).toBe('*')
    expect(allowOrigin(await service.request('/post/fish', { method: 'POST', headers: { origin } }))).toBeNull()
  })

  it.each(['/admin/login', '/admin/users', '/admin/users/Alex/reset', '/livez', '/openapi.json'])(
    'forbid cross-origin access to %s, which is not public',
    async (path) => {
      const service = await openWith({ allowedOrigins: [ALLOWED] })
      for (const init of [{ headers: { origin: ALLOWED } }, preflight('POST', ALLOWED), preflight('GET')]) {
        expect(allowOrigin(await service.request(path, init))).toBeNull()
      }
    },
  )
})
