import { HEADERS, sessionSchema } from '@fish-crab/sdk/contract'
import { SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { asRoot, login, withSession } from './administration.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { from, SESSION_SECRET, type TestService, UNLIMITED } from './test-service.ts'

async function tokenOf(service: TestService): Promise<string> {
  return sessionSchema.parse(await (await login(service, 'root', 'root-password')).json()).token
}

const parts = (token: string) => token.split('.') as [string, string, string]
const decode = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString())
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const sign = (claims: Record<string, unknown>, secret: string, alg = 'HS256') =>
  new SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT' }).sign(new TextEncoder().encode(secret))

const FORGERIES: Readonly<Record<string, (token: string) => Promise<string> | string>> = {
  'without its signature': (token) => `${parts(token).slice(0, 2).join('.')}.`,
  'with alg none': (token) => new UnsecuredJWT(decode(parts(token)[1])).encode(),
  'with alg None and its old signature': (token) => `${encode({ alg: 'None' })}.${parts(token)[1]}.${parts(token)[2]}`,
  'with a changed subject': (token) => {
    const [head, claims, signature] = parts(token)
    return `${head}.${encode({ ...decode(claims), sub: 'admin' })}.${signature}`
  },
  'with a later expiry': (token) => {
    const [head, claims, signature] = parts(token)
    return `${head}.${encode({ ...decode(claims), exp: 9_999_999_999 })}.${signature}`
  },
  'signed with another secret': (token) => sign(decode(parts(token)[1]), 'another secret of 32 bytes or more'),
  'signed with an empty secret': (token) => {
    const [head, claims] = parts(token)
    return `${head}.${claims}.`
  },
  'signed by another algorithm': (token) => sign(decode(parts(token)[1]), SESSION_SECRET.padEnd(64, 'x'), 'HS512'),
  'for another audience': (token) => sign({ ...decode(parts(token)[1]), aud: 'other' }, SESSION_SECRET),
  'of another issuer': (token) => sign({ ...decode(parts(token)[1]), iss: 'other' }, SESSION_SECRET),
  'without an expiry': (token) => {
    const { exp: _, ...claims } = decode(parts(token)[1])
    return sign(claims, SESSION_SECRET)
  },
  'without a time of issue': (token) => {
    const { iat: _, ...claims } = decode(parts(token)[1])
    return sign(claims, SESSION_SECRET)
  },
  'of a replaced administrator': (token) => sign({ ...decode(parts(token)[1]), id: 'another' }, SESSION_SECRET),
  'of an administrator who does not exist': (token) =>
    sign({ ...decode(parts(token)[1]), sub: 'nobody' }, SESSION_SECRET),
  'of an administrator without a name': (token) => sign({ ...decode(parts(token)[1]), sub: '' }, SESSION_SECRET),
  'of a user': (token) => sign({ ...decode(parts(token)[1]), sub: 'Alex' }, SESSION_SECRET),
  'that is not a JWT': () => 'x.y.z',
  'of one part': () => 'abc',
  'that is very long': () => `${'A'.repeat(8000)}.${'B'.repeat(8000)}.C`,
}

describe('the login of an administrator', () => {
  it('opens a session that lasts one hour', async () => {
    const service = await createMemoryService()
    const response = await login(service, 'root', 'root-password')
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toContain('no-store')
    const { token, expiresAt } = sessionSchema.parse(await response.json())
    expect(Date.parse(expiresAt)).toBe(service.now() + 3_600_000)
    const admin = withSession(service, token)
    service.advance(3_600_000 - 1000)
    expect((await admin('GET', '/admin/users')).status).toBe(200)
    service.advance(1000)
    await expectError(await admin('GET', '/admin/users'), 'invalid_session')
  })

  it('refuses a form, or a body without a content type, since a page of a different site could send such a request', async () => {
    const service = await createMemoryService()
    const account = { username: 'root', password: 'root-password' }
    for (const body of [new URLSearchParams(account), new TextEncoder().encode(JSON.stringify(account))]) {
      await expectError(await service.request('/admin/login', { method: 'POST', body }), 'unsupported_media_type')
    }
  })
})

describe('a session', () => {
  it.each(Object.entries(FORGERIES))('with a token %s is invalid', async (_, forge) => {
    const service = await createMemoryService()
    const response = await withSession(service, await forge(await tokenOf(service)))('GET', '/admin/users')
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
    await expectError(response, 'invalid_session')
  })

  it('that is opened while the clock is ahead is invalid once the clock is correct', async () => {
    const service = await createMemoryService()
    service.advance(86_400_000)
    const admin = withSession(service, await tokenOf(service))
    expect((await admin('GET', '/admin/users')).status).toBe(200)
    service.advance(-86_400_000)
    await expectError(await admin('GET', '/admin/users'), 'invalid_session')
  })

  it('that is opened by a process whose clock is five minutes ahead is valid', async () => {
    const service = await createMemoryService()
    service.advance(300_000)
    const admin = withSession(service, await tokenOf(service))
    service.advance(-300_000)
    expect((await admin('GET', '/admin/users')).status).toBe(200)
  })

  it.each([3_600_000, 86_400_000, 400 * 86_400_000])(
    'stays invalid after the logout when the clock goes %d ms ahead, another session is ended, and the clock comes back',
    async (ahead) => {
      const service = await createMemoryService(UNLIMITED)
      const ended = withSession(service, await tokenOf(service))
      await ended('POST', '/admin/logout')
      service.advance(ahead)
      await (await asRoot(service))('POST', '/admin/logout')
      service.advance(-ahead)
      await expectError(await ended('GET', '/admin/me'), 'invalid_session')
    },
  )

  it('is ended, like all other sessions of its administrator, by the 101st logout, but the count of the rate limit is kept', async () => {
    const service = await createMemoryService({ ...UNLIMITED, adminRateLimit: { requests: 10_000, windowMs: 1000 } })
    const stays = withSession(service, await tokenOf(service))
    const end = async () => (await asRoot(service))('POST', '/admin/logout')
    for (let count = 0; count < 100; count += 1) expect((await end()).status).toBe(204)
    expect((await stays('GET', '/admin/me')).status).toBe(200)
    await end()
    await expectError(await stays('GET', '/admin/me'), 'invalid_session')
    const response = await (await asRoot(service))('GET', '/admin/me')
    expect([response.status, response.headers.get(HEADERS.rateRemaining)]).toEqual([200, String(10_000 - 103)])
  })

  it('limits the total number of requests of its administrator across all addresses', async () => {
    const service = await createMemoryService({ adminRateLimit: { requests: 3, windowMs: 300_000 } })
    const token = await tokenOf(service)
    const headers = { authorization: `Bearer ${token}` }
    for (let left = 2; left >= 0; left -= 1) {
      const response = await service.request('/admin/users', {
        headers: { ...headers, ...from(`192.0.2.${left}`).headers },
      })
      expect([response.status, response.headers.get(HEADERS.rateRemaining)]).toEqual([200, String(left)])
    }
    const refused = await service.request('/admin/users', { headers })
    expect(refused.headers.get(HEADERS.retryAfter)).toBe('300')
    await expectError(refused, 'rate_limited')
    service.advance(300_000)
    expect((await service.request('/admin/users', { headers })).status).toBe(200)
  })
})
