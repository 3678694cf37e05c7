import { ACCOUNT_LIMITS, HEADERS } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { createThreadBudget } from '../../src/node/thread-budget.ts'
import { login } from './administration.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService, plainPasswords } from './memory-service.ts'
import { ADDRESS_HEADER, basic, type TestService, UNLIMITED } from './test-service.ts'

const KEY = '/get/user/key'

/** A service that counts password checks. */
async function createCountingService() {
  let checks = 0
  const verify = async (password: string, hash: string) => {
    checks += 1
    return plainPasswords.verify(password, hash)
  }
  const service = await createMemoryService({ ...UNLIMITED, passwords: { ...plainPasswords, verify } })
  return { ...service, checks: () => checks }
}

describe('a read of a key', () => {
  it.each([
    ['Alex', basic('alex', 'alex-password'), ''],
    ['root', basic('root', 'root-password'), '?name=alex'],
  ])('by %s is in the audit log with the actor, player, time and address', async (actor, authorization, query) => {
    const service = await createMemoryService()
    const headers = { authorization, 'x-request-id': 'reading-1', 'x-test-address': '192.0.2.77' }
    await service.request(`${KEY}${query}`, { headers })
    const { items } = await service.storage.listItems({ base: 'audit:', limit: 10 })
    expect(items.map(({ value }) => JSON.parse(value))).toEqual([
      {
        id: expect.any(String),
        at: new Date(service.now()).toISOString(),
        actor,
        action: 'key.read',
        subject: 'Alex',
        address: '192.0.2.77',
        requestId: 'reading-1',
      },
    ])
    expect(JSON.stringify(items)).not.toContain(service.alex.fernetKey)
  })

  it('fails while the audit log is not writable', async () => {
    const { storage, failAt } = createFailingStorage()
    const service = await createMemoryService({ storage })
    failAt(/^items\.setItem audit:/)
    const response = await service.request(KEY, { headers: { authorization: basic('Alex', 'alex-password') } })
    expect(await response.clone().text()).not.toContain(service.alex.fernetKey)
    await expectError(response, 'storage_error')
  })
})

describe('a password check', () => {
  it('is repeated if the clock is set back, so that no cached result lives longer than intended', async () => {
    const service = await createCountingService()
    const read = () => service.request(KEY, { headers: { authorization: basic('Alex', 'alex-password') } })
    await read()
    service.advance(-60 * 60_000)
    await read()
    expect(service.checks()).toBe(2)
  })

  it('accepts only a well-formed Authorization header', async () => {
    const service = await createCountingService()
    const valid = basic('Alex', 'alex-password')
    const read = (authorization: string) => service.request(KEY, { headers: { authorization } })
    expect((await read(valid.replace('Basic ', 'basic  '))).status).toBe(200)
    for (const wrong of [
      `Bearer ${valid}`,
      `${valid} x`,
      valid.replace('Basic ', 'Basic'),
      valid.replace('Basic ', ''),
    ]) {
      await expectError(await read(wrong), 'invalid_credentials')
    }
  })

  it.each([
    ['a name that nobody has', 'nobody', 'wrong'],
    ['a name that nobody can have', '-', 'wrong'],
    ['an endless password', 'Alex', 'x'.repeat(5000)],
    ['an administrator', 'root', 'wrong'],
    ['a user', 'Alex', 'wrong'],
    ['an administrator who is a user too', 'Both', 'wrong'],
  ])('has the same cost for %s, so that the response time reveals nothing', async (_, name, password) => {
    const service = await createCountingService()
    await service.app.users.create({ name: 'Both', password: 'of the user' })
    await service.app.admins.create('Both', 'of the administrator', 'admin')
    for (const query of ['', '?name=Both', '?name=Alex']) {
      const before = service.checks()
      const answer = await service.request(`${KEY}${query}`, { headers: { authorization: basic(name, password) } })
      expect(answer.status).toBe(401)
      expect(service.checks() - before).toBe(2)
    }
  })

  it.each(['nobody', 'root', 'Alex'])('has the same cost for the login of %s', async (username) => {
    const service = await createCountingService()
    await service.request('/admin/login', {
      method: 'POST',
      body: JSON.stringify({ username, password: 'wrong' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(service.checks()).toBe(1)
  })

  it('accepts both the password of an administrator and the password of a user who has the same name', async () => {
    const service = await createMemoryService(UNLIMITED)
    const both = await service.app.users.create({ name: 'Both', password: 'the same' })
    await service.app.admins.create('both', 'the same', 'admin')
    const key = async (query: string) =>
      (await service.request(`${KEY}${query}`, { headers: { authorization: basic('Both', 'the same') } })).json()
    for (const turn of ['first', 'remembered']) {
      expect(await key(''), turn).toEqual({ fernetKey: both.fernetKey })
      expect(await key('?name=both'), turn).toEqual({ fernetKey: both.fernetKey })
      expect(await key('?name=Alex'), turn).toEqual({ fernetKey: service.alex.fernetKey })
    }
  })

  it('is skipped for ten minutes after a successful check, unless the password is replaced', async () => {
    const service = await createCountingService()
    const status = async (password = 'alex-password') =>
      (await service.request(KEY, { headers: { authorization: basic('Alex', password) } })).status
    expect([await status(), service.checks()]).toEqual([200, 1])
    service.advance(599_999)
    expect([await status(), await status(), service.checks()]).toEqual([200, 200, 1])
    service.advance(1)
    expect([await status(), service.checks()]).toEqual([200, 2])
    // This simulates a write by another process on the same store.
    const login = { password: 'plain$another', apiKeys: [] }
    await service.storage.items.setItem(`secret:${service.alex.id}:login`, JSON.stringify(login))
    expect(await status()).toBe(401)
    expect(await status('another')).toBe(200)
  })

  it('runs for every wrong password, even after a successful check', async () => {
    const service = await createCountingService()
    for (const [password, status, checks] of [
      ['alex-password', 200, 1],
      ['alex-password2', 401, 3],
      ['alex-password2', 401, 5],
      ['alex-password', 200, 5],
    ] as const) {
      const answer = await service.request(KEY, { headers: { authorization: basic('Alex', password) } })
      expect([answer.status, service.checks()]).toEqual([status, checks])
    }
  })

  it('does not reveal a verified password to a client with too many failed logins', async () => {
    const service = await createCountingService()
    const ask = async (password: string, address: string) => {
      const headers = { authorization: basic('Alex', password), [ADDRESS_HEADER]: address }
      return (await service.request(KEY, { headers })).status
    }
    expect(await ask('alex-password', '192.0.2.1')).toBe(200)
    for (let failure = 0; failure < ACCOUNT_LIMITS.failedLogins; failure += 1) {
      expect(await ask('wrong', '192.0.2.66')).toBe(401)
    }
    const checks = service.checks()
    expect([await ask('wrong', '192.0.2.66'), await ask('alex-password', '192.0.2.66')]).toEqual([429, 429])
    // Failed logins of one client do not affect other clients, and a verified password needs no check.
    expect([await ask('alex-password', '192.0.2.1'), await ask('alex-password', '192.0.2.2')]).toEqual([200, 200])
    expect(service.checks()).toBe(checks)
  })

  it.each(['aA'.repeat(5000), 'with blank', ''])('reads no account for an invalid name (%#)', async (name) => {
    const { storage, calls } = createFailingStorage()
    const service = await createMemoryService({ storage })
    const before = calls.length
    const login = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const body = JSON.stringify({ username: name, password: 'wrong' })
    await service.request('/admin/login', { ...login, body })
    await service.request(KEY, { headers: { authorization: basic(name, 'wrong') } })
    expect(calls.slice(before).filter((call) => /^items\.getItem (?:setting:admins|user:)/.test(call))).toEqual([])
  })

  it('takes as many hashes of each cost for every name, so that the time reveals no account', async () => {
    const costs: (string | undefined)[] = []
    const passwords = createThreadBudget().limitPasswords({
      hash: async (password, { isRandom = false } = {}) => `${isRandom ? 'cheap' : 'usual'}$${password}`,
      async verify(password, hash) {
        const [cost, own] = hash.split('$')
        costs.push(cost)
        return password === own
      },
      isCheap: (hash) => hash.startsWith('cheap'),
    })
    const service = await createMemoryService({ ...UNLIMITED, passwords })
    await service.app.users.create({ name: 'Bea' })
    for (const name of ['Alex', 'Bea', 'root', 'nobody']) {
      costs.length = 0
      const headers = { authorization: basic(name, 'wrong-password') }
      await expectError(await service.request(KEY, { headers }), 'invalid_credentials')
      expect(costs.sort()).toEqual(['cheap', 'cheap', 'usual', 'usual'])
    }
  })

  it('works again after the creation of a decoy hash has failed', async () => {
    let isBroken = true
    const hash = async (password: string) => {
      if (isBroken && password.startsWith('a password that')) throw new Error('out of memory')
      return plainPasswords.hash(password)
    }
    const service = await createMemoryService({ ...UNLIMITED, passwords: { ...plainPasswords, hash } })
    const ask = async (name: string) =>
      (await service.request(KEY, { headers: { authorization: basic(name, 'alex-password') } })).status
    expect([await ask('nobody'), await ask('nobody')]).toEqual([500, 500])
    isBroken = false
    expect([await ask('nobody'), await ask('Alex')]).toEqual([401, 200])
  })
})

const ALEX = basic('Alex', 'alex-password')
const ROOT = basic('root', 'root-password')
const WRONG = basic('Alex', 'wrong-password')

function getKey(
  service: TestService,
  authorization: string | undefined,
  query = '',
  address = '192.0.2.1',
): Promise<Response> {
  const headers = { [ADDRESS_HEADER]: address, ...(authorization === undefined ? {} : { authorization }) }
  return service.request(`/get/user/key${query}`, { headers })
}

describe('the key of a user', () => {
  it.each([
    ['missing credentials', undefined],
    ['a wrong password', WRONG],
    ['an empty password', basic('Alex', '')],
    ['a name that nobody has', basic('nobody', 'alex-password')],
    ['an empty name', basic('', 'alex-password')],
    ['the hash of the password', basic('Alex', 'plain$alex-password')],
    ['a wrong password of an administrator', basic('root', 'alex-password')],
    ['a bearer token', 'Bearer abc'],
    ['credentials that are not base64', 'Basic ***'],
    ['credentials without a colon', `Basic ${btoa('Alex')}`],
    ['credentials that are not UTF-8', `Basic ${btoa('Al\xe9x:x')}`],
    ['an endless password', basic('Alex', 'x'.repeat(10_000))],
    ['the API key of the user', basic('Alex', 'fck_')],
    ['a name of another property', basic('__proto__', 'x')],
  ])('is not sent for %s: the response is invalid_credentials, with a challenge', async (_, authorization) => {
    const service = await createMemoryService(UNLIMITED)
    for (const query of ['', '?name=Alex', '?name=nobody']) {
      const response = await getKey(service, authorization, query)
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic\b/)
      await expectError(response, 'invalid_credentials')
    }
  })

  it.each([ALEX, ROOT])('is not sent if the query contains the names of two users (%#)', async (authorization) => {
    const service = await createMemoryService()
    await expectError(await getKey(service, authorization, '?name=Alex&name=root'), 'user_mismatch')
    await expectError(await getKey(service, authorization, '?name=root&name=Alex'), 'user_mismatch')
    expect((await getKey(service, authorization, '?name=Alex&name=alex')).status).toBe(200)
  })

  it('is not sent for a session token or for an API key', async () => {
    const service = await createMemoryService(UNLIMITED)
    const session = (await (await login(service, 'root', 'root-password')).json()) as { token: string }
    await expectError(await getKey(service, `Bearer ${session.token}`, '?name=Alex'), 'invalid_credentials')
    const headers = { [HEADERS.apiKey]: service.alex.apiKey }
    await expectError(await service.request('/get/user/key?name=Alex', { headers }), 'invalid_credentials')
  })
})

describe('failed credentials', () => {
  it('with one name are checked 10 times, then even correct credentials are rate_limited until the window ends', async () => {
    const service = await createMemoryService(UNLIMITED)
    for (let count = 0; count < 10; count += 1) {
      await expectError(await getKey(service, WRONG), 'invalid_credentials')
      service.advance(1000)
    }
    const refused = await getKey(service, ALEX)
    expect(refused.headers.get(HEADERS.retryAfter)).toBe('290')
    await expectError(refused, 'rate_limited')
    await expectError(await login(service, 'Alex', 'alex-password'), 'rate_limited')
    service.advance(290_000 - 1)
    await expectError(await getKey(service, ALEX), 'rate_limited')
    service.advance(1)
    expect((await getKey(service, ALEX)).status).toBe(200)
  })

  it('at the login endpoint and at the key endpoint share one count', async () => {
    const service = await createMemoryService(UNLIMITED)
    for (let count = 0; count < 5; count += 1) {
      await getKey(service, basic('root', 'wrong-password'))
      await login(service, 'ROOT', 'wrong-password')
    }
    await expectError(await getKey(service, ROOT, '?name=Alex'), 'rate_limited')
  })

  it('with many names are checked 100 times, even if the names are invalid', async () => {
    const service = await createMemoryService(UNLIMITED)
    const wrong = Array.from({ length: 150 }, (_, index) => basic(`${index % 2 ? 'guess' : '-'}${index % 50}`, 'x'))
    const responses = await Promise.all(wrong.map((authorization) => getKey(service, authorization)))
    // All invalid names count as one name.
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(75 + 10)
    for (let index = 0; index < 15; index += 1) {
      await expectError(await login(service, `more-${index}`, 'x'), 'invalid_credentials')
    }
    await expectError(await login(service, 'root', 'root-password'), 'rate_limited')
    expect((await login(service, 'root', 'root-password', '192.0.2.3')).status).toBe(200)
  })

  it('from an address do not affect an account whose password was verified earlier from that address', async () => {
    const service = await createMemoryService(UNLIMITED)
    expect((await getKey(service, ALEX)).status).toBe(200)
    expect((await login(service, 'root', 'root-password')).status).toBe(200)
    for (let count = 0; count < 12; count += 1) {
      await getKey(service, WRONG)
      await login(service, 'root', 'wrong-password')
    }
    expect((await getKey(service, ALEX)).status).toBe(200)
    expect((await getKey(service, ROOT, '?name=Alex')).status).toBe(200)
    expect((await login(service, 'root', 'root-password')).status).toBe(200)
    await expectError(await getKey(service, WRONG), 'rate_limited')
  })

  it('do not include requests with correct credentials or without credentials', async () => {
    const service = await createMemoryService(UNLIMITED)
    for (let count = 0; count < 15; count += 1) {
      expect((await getKey(service, ALEX)).status).toBe(200)
      await expectError(await getKey(service, undefined), 'invalid_credentials')
      await expectError(await getKey(service, ALEX, '?name=Bob'), 'forbidden')
    }
    expect((await getKey(service, ALEX)).status).toBe(200)
  })

  it('cannot exceed the limit through concurrent requests: only 10 of 30 wrong passwords are checked', async () => {
    const service = await createCountingService()
    const responses = await Promise.all(Array.from({ length: 30 }, () => getKey(service, WRONG)))
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(20)
    // Each password is compared with the passwords of a player and of an administrator.
    expect(service.checks()).toBe(20)
  })

  it('are counted together for a whole /64 network', async () => {
    const service = await createMemoryService(UNLIMITED)
    for (let count = 0; count < 10; count += 1) await getKey(service, WRONG, '', `2001:db8::${count}`)
    await expectError(await getKey(service, ALEX, '', '2001:db8::ffff'), 'rate_limited')
  })
})
