import { createMock, type Fault, type MockOptions, type RouteMatcher, type Seed } from '@fish-crab/mocks'
import { describe, expect, it } from 'vitest'

/** A call without type checks. */
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
      'one API key for two users',
      { users: ['Alex', 'Steve'].map((name) => ({ name, apiKey: 'the-same' })) },
      /^(?!.*the-same).*"Alex" and "Steve"/,
    ],
    [
      'two users of one name in different letter case',
      { users: [{ name: 'Alex' }, { name: 'alex' }] },
      /"Alex" and "alex" have the same name/,
    ],
  ])('a seed with %s', async (_, seed, message) => {
    await expect(createMock({ seed })).rejects.toThrow(message)
  })

  it.each<[string, MockOptions]>([
    ['a number of requests that is NaN', { limits: { requests: Number.NaN } }],
    ['a fraction of a request', { limits: { adminRequests: 1.5 } }],
    ['a negative number of requests', { limits: { requests: -1 } }],
    ['a window without a length', { limits: { windowSeconds: 0 } }],
    ['a time beyond the range of a Date', { startAt: 8.64e15 + 1 }],
    ['a negative number of proxies', { trustProxy: -1 }],
    ['half a proxy', { trustProxy: 0.5 }],
    ['a number of proxies that is NaN', { trustProxy: Number.NaN }],
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
  it('normalizes its origin', async () => {
    const mock = await createMock({ origin: 'HTTP://Fish.test:80/' })
    expect(mock.origin).toBe('http://fish.test')
    expect((await mock.fetch('/livez')).url).toBe('http://fish.test/livez')
  })

  it('does not limit an allowed origin in any spelling', async () => {
    const mock = await createMock({ allowedOrigins: ['HTTP://Page.test:80/'], limits: { requests: 1 } })
    const headers = { origin: 'http://page.test' }
    for (let n = 0; n < 3; n += 1) expect((await mock.fetch('/status', { headers })).status).toBe(200)
  })

  it('restores its initial seed, even if the object was changed', async () => {
    const users = [{ name: 'Alex' }]
    const mock = await createMock({ seed: { users } })
    users.push({ name: 'Steve' })
    await mock.reset()
    expect(() => mock.user('Steve')).toThrow('no user "Steve"')
  })

  it('rejects a clock change beyond the range of a Date, and continues', async () => {
    const { clock, fetch } = await createMock({ startAt: 0 })
    expect(() => clock.advance(Number.MAX_SAFE_INTEGER)).toThrow(RangeError)
    expect(clock.now()).toBe(0)
    expect((await fetch('/status')).status).toBe(200)
  })

  it('sleeps for longer than the maximum of platform timers', async () => {
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
    ['a latency beyond the range of timers', { latencyMs: 2 ** 31 }, {}],
    ['with a delay beyond the range of timers', 'reset', { delayMs: 2 ** 31 }],
    ['for no route', 'reset', { on: [] }],
  ])('is rejected when it is %s', async (_, fault, scope) => {
    const mock = await createMock()
    expect(() => mock.fail(fault as Fault, scope)).toThrow(/^(?!Cannot)/)
    expect(() => mock.fail(fault as Fault, scope)).toThrow(TypeError)
    expect(mock.faults).toEqual([])
  })

  it.each<RouteMatcher>(['GET /v1/status', 'GET /status/', 'GET //status', 'GET /%73tatus'])(
    'matches a path in every spelling: %s',
    async (on) => {
      const mock = await createMock()
      mock.fail({ status: 503 }, { on })
      expect((await mock.fetch('/status')).status).toBe(503)
    },
  )
})
