import { createMock, type Fault, type MockOptions, type RouteMatcher, type Seed } from '@fish-crab/mocks'
import { describe, expect, it } from 'vitest'

/** Returns a seed with one user, without type checks. */
const withUser = (user: object) => ({ users: [{ name: 'Alex', ...user }] }) as unknown as Seed

describe('createMock() rejects', () => {
  it.each<[string, Seed, RegExp]>([
    ['an unknown gamemode', withUser({ fish: { mars: [] } }), /^seed\.users\[0\]\.fish: .*"mars"/],
    [
      'an invalid Fernet key',
      withUser({ fernetKey: 'too short' }),
      /^(?!.*too short)seed\.users\[0\]\.fernetKey: Must be 32 bytes/,
    ],
    [
      'an unknown role',
      { admins: [{ username: 'root', password: 'x', role: 'king' as 'admin' }] },
      /^seed\.admins\[0\]\.role: .*\(given: "king"\)/,
    ],
    [
      'the same API key for two users',
      { users: ['Alex', 'Steve'].map((name) => ({ name, apiKey: 'the-same' })) },
      /^(?!.*the-same).*"Alex" and "Steve"/,
    ],
    [
      'two users whose names differ only in letter case',
      { users: [{ name: 'Alex' }, { name: 'alex' }] },
      /"Alex" and "alex" have the same name/,
    ],
  ])('a seed with %s', async (_, seed, message) => {
    await expect(createMock({ seed })).rejects.toThrow(message)
  })

  it.each<[string, MockOptions]>([
    ['NaN as the number of requests', { limits: { requests: Number.NaN } }],
    ['a fraction as the number of admin requests', { limits: { adminRequests: 1.5 } }],
    ['a negative number of requests', { limits: { requests: -1 } }],
    ['a window of zero seconds', { limits: { windowSeconds: 0 } }],
    ['a start time beyond the range of a Date', { startAt: 8.64e15 + 1 }],
    ['a negative number of trusted proxies', { trustProxy: -1 }],
    ['a fraction as the number of trusted proxies', { trustProxy: 0.5 }],
    ['NaN as the number of trusted proxies', { trustProxy: Number.NaN }],
  ])('%s', async (_, options) => {
    await expect(createMock(options)).rejects.toThrow(RangeError)
  })

  it.each(['', 'fish.test', 'fish.test:80', 'file:///x', 'http://fish.test/api', 'http://user:word@fish.test'])(
    'an invalid origin: %s',
    async (origin) => {
      await expect(createMock({ origin })).rejects.toThrow(/^(?!.*word).* must be an origin/)
      const mock = await createMock()
      expect(() => mock.handlers(origin)).toThrow(TypeError)
      await expect(createMock({ allowedOrigins: [origin] })).rejects.toThrow(/^(?!.*word).* must be an origin/)
    },
  )
})

describe('a mock', () => {
  it('normalizes a given origin', async () => {
    const mock = await createMock({ origin: 'HTTP://Fish.test:80/' })
    expect(mock.origin).toBe('http://fish.test')
    expect((await mock.fetch('/livez')).url).toBe('http://fish.test/livez')
  })

  it('exempts an allowed origin from the rate limit, regardless of the spelling of the origin', async () => {
    const mock = await createMock({ allowedOrigins: ['HTTP://Page.test:80/'], limits: { requests: 1 } })
    const headers = { origin: 'http://page.test' }
    for (let n = 0; n < 3; n += 1) expect((await mock.fetch('/status', { headers })).status).toBe(200)
  })

  it('restores its initial seed, even if the test has changed the seed object', async () => {
    const users = [{ name: 'Alex' }]
    const mock = await createMock({ seed: { users } })
    users.push({ name: 'Steve' })
    await mock.reset()
    expect(() => mock.user('Steve')).toThrow('no user "Steve"')
  })

  it('remains usable after rejecting a clock change beyond the range of a Date', async () => {
    const { clock, fetch } = await createMock({ startAt: 0 })
    expect(() => clock.advance(Number.MAX_SAFE_INTEGER)).toThrow(RangeError)
    expect(clock.now()).toBe(0)
    expect((await fetch('/status')).status).toBe(200)
  })

  it('can sleep longer than the maximum of platform timers', async () => {
    const { clock } = await createMock()
    const giveUp = new AbortController()
    const sleep = clock.sleep(2 ** 31, giveUp.signal).then(() => 'slept')
    const soon = new Promise((resolve) => setTimeout(resolve, 20, 'waits'))
    expect(await Promise.race([sleep, soon])).toBe('waits')
    giveUp.abort()
    await expect(sleep).rejects.toThrow()
  })
})

describe('a fault', () => {
  it.each<[string, unknown, object]>([
    ['undefined', undefined, {}],
    ['null', null, {}],
    ['a number', 503, {}],
    ['a status as text', { status: '503' }, {}],
    ['a status that neither the service nor a proxy sends', { status: 418 }, {}],
    ['an object without fields', {}, {}],
    ['a list', [], {}],
    ['a status with a misspelled field', { status: 503, retryafter: 5 }, {}],
    ['a status with a latency', { status: 503, latencyMs: 100 }, {}],
    ['a status with the option times', { status: 503, times: 2 }, {}],
    ['a latency with a status code', { latencyMs: 100, code: 'unavailable' }, {}],
    ['a fraction of a second in retryAfter', { status: 503, retryAfter: 0.5 }, {}],
    ['a negative retryAfter', { status: 503, retryAfter: -1 }, {}],
    ['a number as body', { status: 502, body: 5 }, {}],
    ['an error code of the service with the status of a proxy', { status: 502, code: 'unavailable' }, {}],
    ['a latency beyond the range of timers', { latencyMs: 2 ** 31 }, {}],
    ['a reset with a delay beyond the range of timers', 'reset', { delayMs: 2 ** 31 }],
    ['a reset for an empty list of routes', 'reset', { on: [] }],
  ])('is rejected if the given value is %s', async (_, fault, scope) => {
    const mock = await createMock()
    expect(() => mock.fail(fault as Fault, scope)).toThrow(/^(?!Cannot)/)
    expect(() => mock.fail(fault as Fault, scope)).toThrow(TypeError)
    expect(mock.faults).toEqual([])
  })

  it('with an unknown field is rejected with the closest known field', async () => {
    const mock = await createMock()
    expect(() => mock.fail({ status: 503, retryafter: 5 } as Fault)).toThrow(
      'Unknown option "retryafter" in the fault. Did you mean "retryAfter"? Known: status, code, retryAfter, body.',
    )
  })

  it.each<RouteMatcher>(['GET /v1/status', 'GET /status/', 'GET //status', 'GET /%73tatus'])(
    'matches a request if the route is spelled as %s',
    async (on) => {
      const mock = await createMock()
      mock.fail({ status: 503 }, { on })
      expect((await mock.fetch('/status')).status).toBe(503)
    },
  )
})
