import { ACCOUNT_LIMITS, HEADERS } from '@fish-crab/sdk/contract'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { asRoot, login } from './administration.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService, plainPasswords } from './memory-service.ts'
import { ADDRESS_HEADER, basic, UNLIMITED } from './test-service.ts'
import { createTimers } from './timers.ts'

const KEY = '/get/user/key'

/** A service whose password checks last until the test ends them. */
async function createSlowService() {
  const running: { readonly password: string; end(): void }[] = []
  const started: string[] = []
  const verify = (password: string, hash: string) => {
    started.push(password)
    return new Promise<boolean>((resolve) => {
      const end = () => {
        running.splice(running.indexOf(check), 1)
        resolve(plainPasswords.verify(password, hash))
      }
      const check = { password, end }
      running.push(check)
    })
  }
  const logged: Readonly<Record<string, unknown>>[] = []
  const logger = {
    info: (fields: Readonly<Record<string, unknown>>, message: string) =>
      void (message === 'request' && logged.push(fields)),
    warn() {},
    error() {},
  }
  const { storage, calls } = createFailingStorage()
  const timers = createTimers()
  const passwords = { ...plainPasswords, verify }
  const service = await createMemoryService({ ...UNLIMITED, storage, passwords, logger, schedule: timers.schedule })
  return {
    ...service,
    timers,
    running: running as readonly { readonly password: string }[],
    /** The passwords of all checks so far, in the order in which the checks started. */
    started: started as readonly string[],
    logged: logged as readonly Readonly<Record<string, unknown>>[],
    /**
     * Settles when this number of attempts have passed the rate limit, whether they wait for a turn or already had a
     * turn.
     */
    async queued(count: number) {
      const looks = () => calls.filter((call) => call.startsWith('peekWindow login-name:')).length
      await expect.poll(looks, { interval: 1 }).toBe(count)
      await new Promise((resolve) => setImmediate(resolve))
    },
    /** Ends the running checks. */
    async end() {
      await expect.poll(() => running.length, { interval: 1 }).toBeGreaterThan(0)
      for (const check of [...running]) check.end()
    },
    /** Requests the key of the matching account. The password identifies the attempt. */
    ask(password: string, { name = 'Alex', address = '192.0.2.1', signal = new AbortController().signal } = {}) {
      const headers = { authorization: basic(name, password), [ADDRESS_HEADER]: address }
      return service.request(KEY, { headers, signal })
    },
  }
}

type SlowService = Awaited<ReturnType<typeof createSlowService>>

/** Ends password checks until all of these requests have a response. */
async function responsesOf(service: SlowService, asked: readonly Promise<Response>[]): Promise<Response[]> {
  let left = asked.length
  for (const one of asked) void one.then(() => (left -= 1))
  while (left > 0) {
    if (service.running.length > 0) await service.end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return Promise.all(asked)
}

const begun = (service: SlowService, count: number) =>
  expect.poll(() => service.started, { interval: 1 }).toHaveLength(count)

describe('concurrent logins', () => {
  it('are refused immediately if their client has used up its attempts', async () => {
    const service = await createSlowService()
    const wrong = Array.from({ length: ACCOUNT_LIMITS.failedLogins }, (_, index) => service.ask(`wrong ${index}`))
    await responsesOf(service, wrong)
    const others = [1, 2].map((index) => service.ask(`other ${index}`, { address: '198.51.100.1' }))
    // Each wrong password is compared with the passwords of a player and of an administrator.
    await begun(service, 2 * ACCOUNT_LIMITS.failedLogins + 2)
    await expectError(await service.ask('one more'), 'rate_limited')
    await responsesOf(service, others)
  })

  it('run at most two password checks at the same time, even for one client', async () => {
    const service = await createSlowService()
    const asked = Array.from({ length: 6 }, (_, index) => service.ask(`wrong ${index}`))
    await begun(service, 2)
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, service.running.length)
    }, 0)
    const responses = await responsesOf(service, asked)
    clearInterval(watch)
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(401))
    expect(most).toBeLessThanOrEqual(2)
  })

  it('that share a name and a password need only one password check', async () => {
    const service = await createSlowService()
    const asked = Array.from({ length: 80 }, () => service.ask('alex-password'))
    const responses = await responsesOf(service, asked)
    expect(responses.map(({ status }) => status)).toEqual(Array(80).fill(200))
    expect(service.started).toHaveLength(1)
  })

  it('get 503 with Retry-After after they wait 10 s for a turn', async () => {
    const service = await createSlowService()
    const running = [service.ask('wrong 1'), service.ask('wrong 2', { address: '192.0.2.2' })]
    await begun(service, 2)
    const waiting = [3, 4, 5].map((client) => service.ask('alex-password', { address: `192.0.2.${client}` }))
    await service.queued(5)
    // Later attempts still get their turns, however long earlier checks took.
    await service.end()
    await begun(service, 4)
    const late = service.ask('wrong 6', { address: '192.0.2.6' })
    await service.queued(6)
    service.timers.run(10_000)
    const refused = await late
    expect(refused.headers.get(HEADERS.retryAfter)).toBe('10')
    await expectError(refused, 'unavailable')
    await responsesOf(service, [...running, ...waiting])
    expect(service.started).not.toContain('wrong 6')
  })

  it('from all networks of one site share the turns of one client', async () => {
    const service = await createSlowService()
    const flood = Array.from({ length: 24 }, (_, index) =>
      service.ask(`flood ${index}`, { name: `guess-${index}`, address: `2001:db8:1:${index.toString(16)}::1` }),
    )
    await service.queued(24)
    const other = service.ask('alex-password', { address: '2001:db8:2::1' })
    await service.queued(25)
    await responsesOf(service, [...flood, other])
    expect((await other).status).toBe(200)
    expect([...new Set(service.started)].slice(0, 4)).toContain('alex-password')
  })

  it('of one client do not delay the logins of other clients', async () => {
    const service = await createSlowService()
    const flood = Array.from({ length: 9 }, (_, index) => service.ask(`flood ${index}`, { name: `guess-${index}` }))
    await service.queued(9)
    const other = service.ask('alex-password', { address: '198.51.100.1' })
    await service.queued(10)
    await responsesOf(service, [...flood, other])
    expect((await other).status).toBe(200)
    // Two checks of the flood run when the login of the other client arrives. That login is checked in the next pair.
    expect([...new Set(service.started)].slice(0, 4)).toContain('alex-password')
  })

  it('with correct passwords do not count as failed logins of their address', async () => {
    const service = await createSlowService()
    const names = Array.from({ length: 120 }, (_, index) => `player-${index}`)
    await Promise.all(names.map((name) => service.app.users.create({ name, password: `password of ${name}` })))
    const asked = names.map((name) => service.ask(`password of ${name}`, { name }))
    const responses = await responsesOf(service, asked)
    expect(responses.map(({ status }) => status)).toEqual(Array(120).fill(200))
  })
})

const WINDOW = { durationMs: ACCOUNT_LIMITS.failedLoginWindowSeconds * 1000, limit: 100, now: 0 }

describe('a login whose client disconnects', () => {
  it('does not abort the logins of other clients with the same name and password', async () => {
    const service = await createSlowService()
    const leaving = new AbortController()
    const running = [service.ask('wrong 1'), service.ask('wrong 2')]
    await begun(service, 2)
    const gone = service.ask('alex-password', { signal: leaving.signal })
    await service.queued(3)
    const staying = Array.from({ length: 10 }, () => service.ask('alex-password'))
    await service.queued(13)
    leaving.abort()
    expect((await gone).status).toBe(499)
    const responses = await responsesOf(service, [...running, ...staying])
    expect(responses.map(({ status }) => status)).toEqual([401, 401, ...Array(10).fill(200)])
    expect(service.started.filter((password) => password === 'alex-password').length).toBeLessThanOrEqual(2)
  })

  it('leaves the queue, is not checked or counted, and is logged as 499', async () => {
    const service = await createSlowService()
    const running = [service.ask('wrong 1'), service.ask('wrong 2')]
    await begun(service, 2)
    const leaving = new AbortController()
    const gone = Array.from({ length: 20 }, (_, index) => service.ask(`gone ${index}`, { signal: leaving.signal }))
    await service.queued(22)
    leaving.abort()
    expect((await Promise.all(gone)).map(({ status }) => status)).toEqual(Array(20).fill(499))
    expect((await responsesOf(service, running)).map(({ status }) => status)).toEqual([401, 401])
    expect(service.started.some((password) => password.startsWith('gone'))).toBe(false)
    const failures = await service.storage.peekWindow('login:192.0.2.1', { ...WINDOW, now: service.now() })
    expect(failures.count).toBe(2)
    const statuses = service.logged.map(({ status }) => status)
    expect(statuses.filter((status) => status === 499)).toHaveLength(20)
  })

  it('is also logged as 499 if its check has started, and gets no key', async () => {
    const service = await createSlowService()
    const leaving = new AbortController()
    const gone = service.ask('alex-password', { signal: leaving.signal })
    await begun(service, 1)
    leaving.abort()
    await responsesOf(service, [gone])
    expect(service.logged.map(({ status }) => status)).toEqual([499])
  })
})

describe('a user who is created during many logins', () => {
  it('is not stored at all if the password hash gets no turn', async () => {
    const service = await createSlowService()
    const session = asRoot(service)
    await service.end()
    const admin = await session
    const stored = async () =>
      (await service.storage.items.getKeys('')).filter((key) => !/^(audit|failed-login):/.test(key)).sort()
    const before = await stored()
    const crowd = [service.ask('one'), service.ask('two', { address: '192.0.2.2' })]
    await begun(service, 3)
    const created = admin('POST', '/admin/users', { name: 'Bea' })
    const audited = async () => (await service.storage.items.getKeys('audit:')).length
    await expect.poll(audited, { interval: 1 }).toBe(2)
    await new Promise((resolve) => setImmediate(resolve))
    service.timers.run(10_000)
    await responsesOf(service, crowd)
    await expectError(await created, 'unavailable')
    expect(await stored()).toEqual(before)
  })
})

describe('the limit of failed logins', () => {
  it('needs few storage operations for each of a thousand equal concurrent logins', async () => {
    const { storage, calls } = createFailingStorage()
    const service = await createMemoryService({ ...UNLIMITED, storage })
    const before = calls.length
    const responses = await Promise.all(Array.from({ length: 1000 }, () => login(service, 'root', 'wrong')))
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(calls.length - before).toBeLessThan(20_000)
  })

  it('refuses clients that it cannot count, but only while its capacity is exhausted', async () => {
    const service = await createMemoryService({ ...UNLIMITED, storage: createMemoryStorage({ windows: 3 }) })
    // Each of the three clients uses up its failed logins with one name.
    for (const client of ['192.0.2.10', '192.0.2.11', '192.0.2.12']) {
      for (let count = 0; count < 10; count += 1) await login(service, 'root', 'wrong', client)
    }
    for (let count = 0; count < 30; count += 1) {
      await expectError(await login(service, 'root', 'wrong', '192.0.2.99'), 'rate_limited')
    }
    service.advance(ACCOUNT_LIMITS.failedLoginWindowSeconds * 1000)
    expect((await login(service, 'root', 'root-password', '192.0.2.99')).status).toBe(200)
  })

  it('does not share capacity with the public endpoints, and neither does the rate limit of administrators', async () => {
    const storage = createMemoryStorage({ windows: 3 })
    const service = await createMemoryService({ rateLimit: { requests: 1, windowMs: 300_000 }, storage })
    for (let client = 10; client < 20; client += 1) {
      await service.request('/status', { headers: { [ADDRESS_HEADER]: `192.0.2.${client}` } })
    }
    await expectError(await service.request('/status', { headers: { [ADDRESS_HEADER]: '192.0.2.99' } }), 'rate_limited')
    const session = await login(service, 'root', 'root-password', '192.0.2.99')
    expect(session.status).toBe(200)
    const { token } = (await session.json()) as { token: string }
    const me = await service.request('/admin/me', { headers: { authorization: `Bearer ${token}` } })
    expect(me.status).toBe(200)
  })
})
