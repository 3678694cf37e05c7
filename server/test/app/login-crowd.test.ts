import { HEADERS, LIMITS } from '@fish-crab/sdk/contract'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { asRoot, login } from './administration.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { ADDRESS_HEADER, basic, UNLIMITED } from './lane.ts'
import { createWorld, plainPasswords } from './world.ts'

const KEY = '/get/user/key'

/** A world in which the check of a password takes until it is told to end. */
async function createSlowWorld() {
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
  const world = await createWorld({ ...UNLIMITED, storage, passwords: { ...plainPasswords, verify }, logger })
  return {
    ...world,
    running: running as readonly { readonly password: string }[],
    /** The passwords of all checks so far, in the order in which they began. */
    started: started as readonly string[],
    logged: logged as readonly Readonly<Record<string, unknown>>[],
    /** Settles when so many attempts in all were found to be allowed, and wait for their turn or had it. */
    async queued(count: number) {
      const looks = () => calls.filter((call) => call.startsWith('peekWindow login-name:')).length
      await expect.poll(looks, { interval: 1 }).toBe(count)
      await new Promise((resolve) => setImmediate(resolve))
    },
    /** Lets the checks that run take so long, and ends them. */
    async end(ms = 0) {
      await expect.poll(() => running.length, { interval: 1 }).toBeGreaterThan(0)
      world.advance(ms)
      for (const check of [...running]) check.end()
    },
    /** Asks for the key of the only account that fits; the password tells the attempt from others. */
    ask(password: string, { name = 'Alex', address = '192.0.2.1', signal = new AbortController().signal } = {}) {
      const headers = { authorization: basic(name, password), [ADDRESS_HEADER]: address }
      return world.request(KEY, { headers, signal })
    },
  }
}

type SlowWorld = Awaited<ReturnType<typeof createSlowWorld>>

/** Ends checks until all of these requests are answered. */
async function answersOf(world: SlowWorld, asked: readonly Promise<Response>[], ms = 0): Promise<Response[]> {
  let left = asked.length
  for (const one of asked) void one.then(() => (left -= 1))
  while (left > 0) {
    if (world.running.length > 0) await world.end(ms)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return Promise.all(asked)
}

const begun = (world: SlowWorld, count: number) => expect.poll(() => world.started, { interval: 1 }).toHaveLength(count)

describe('a crowd of logins', () => {
  it('has two passwords checked at once, also of one client, and no more', async () => {
    const world = await createSlowWorld()
    const asked = Array.from({ length: 6 }, (_, index) => world.ask(`wrong ${index}`))
    await begun(world, 2)
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, world.running.length)
    }, 0)
    const answers = await answersOf(world, asked)
    clearInterval(watch)
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(401))
    expect(most).toBeLessThanOrEqual(2)
  })

  it('with the same name and password has it checked once', async () => {
    const world = await createSlowWorld()
    const asked = Array.from({ length: 80 }, () => world.ask('alex-password'))
    const answers = await answersOf(world, asked, 700)
    expect(answers.map(({ status }) => status)).toEqual(Array(80).fill(200))
    expect(world.started).toHaveLength(1)
  })

  it('is let in as fast as it can be, and the rest is told at once to come back: 503 with Retry-After', async () => {
    const world = await createSlowWorld()
    for (let count = 0; count < 20; count += 1) {
      await answersOf(world, [world.ask('x', { name: `early-${count}` })], 500)
    }
    const crowd = Array.from({ length: 60 }, (_, index) =>
      world.ask('x', { name: `player-${index}`, address: `192.0.2.${index}` }),
    )
    const [answered, waiting] = [[] as Response[], new Set(crowd)]
    for (const one of crowd) {
      void one.then((answer) => {
        answered.push(answer)
        waiting.delete(one)
      })
    }
    await world.queued(80)
    const refused = [...answered]
    for (const answer of refused) {
      expect(answer.headers.get(HEADERS.retryAfter)).toBe('10')
      await expectError(answer, 'unavailable')
    }
    // Each takes a second at least, two run at once: more than 20 can never be served in 10 s.
    expect(waiting.size).toBeGreaterThan(0)
    expect(waiting.size).toBeLessThanOrEqual(20)
    const before = world.now()
    for (const answer of await answersOf(world, [...waiting], 500)) expect([401, 503]).toContain(answer.status)
    expect(answered).toHaveLength(60)
    expect(answered.some(({ status }) => status === 401)).toBe(true)
    expect(world.now() - before).toBeLessThanOrEqual(10_000)
  })

  it('is not kept waiting for more than 10 s when checks take longer than they did', async () => {
    const world = await createSlowWorld()
    const first = [world.ask('wrong 1'), world.ask('wrong 2')]
    await begun(world, 2)
    const late = world.ask('alex-password')
    await world.queued(3)
    await answersOf(world, [...first, late], 5001)
    await expectError(await late, 'unavailable')
    expect(world.started).not.toContain('alex-password')
  })

  it('of one client does not keep others waiting', async () => {
    const world = await createSlowWorld()
    const flood = Array.from({ length: 9 }, (_, index) => world.ask(`flood ${index}`, { name: `guess-${index}` }))
    await world.queued(9)
    const other = world.ask('alex-password', { address: '198.51.100.1' })
    await world.queued(10)
    await answersOf(world, [...flood, other])
    expect((await other).status).toBe(200)
    // Two of the flood ran when it came, and one more was on its turn before it.
    expect(new Set(world.started.slice(0, world.started.indexOf('alex-password'))).size).toBe(3)
  })

  it('of one client that fills the queue leaves room for others, and gets 503 for the rest', async () => {
    const world = await createSlowWorld()
    const flood = Array.from({ length: 600 }, (_, index) => world.ask(`flood ${index}`, { name: `guess-${index}` }))
    await world.queued(600)
    const other = world.ask('alex-password', { address: '198.51.100.1' })
    await world.queued(601)
    const answers = await answersOf(world, [...flood, other])
    expect(answers.at(-1)?.status).toBe(200)
    // 100 were checked and found wrong. What was not checked did not fail.
    const statuses = Object.groupBy(answers.slice(0, -1), ({ status }) => status)
    expect(statuses[401]).toHaveLength(100)
    expect(statuses[503]?.length).toBe(600 - 2 - 512 + 1)
    expect(statuses[429]).toHaveLength(600 - 100 - (600 - 2 - 512 + 1))
  })

  it('does not use up the failures of its address while its passwords are right', async () => {
    const world = await createSlowWorld()
    const names = Array.from({ length: 120 }, (_, index) => `player-${index}`)
    await Promise.all(names.map((name) => world.app.users.create({ name, password: `password of ${name}` })))
    const asked = names.map((name) => world.ask(`password of ${name}`, { name }))
    const answers = await answersOf(world, asked)
    expect(answers.map(({ status }) => status)).toEqual(Array(120).fill(200))
  })
})

const WINDOW = { durationMs: LIMITS.failedLoginWindowSeconds * 1000, limit: 100, now: 0 }

describe('a login whose client went away', () => {
  it('does not take those with it who sent the same name and password', async () => {
    const world = await createSlowWorld()
    const leaving = new AbortController()
    const running = [world.ask('wrong 1'), world.ask('wrong 2')]
    await begun(world, 2)
    const gone = world.ask('alex-password', { signal: leaving.signal })
    await world.queued(3)
    const staying = Array.from({ length: 10 }, () => world.ask('alex-password'))
    await world.queued(13)
    leaving.abort()
    expect((await gone).status).toBe(499)
    const answers = await answersOf(world, [...running, ...staying])
    expect(answers.map(({ status }) => status)).toEqual([401, 401, ...Array(10).fill(200)])
    expect(world.started.filter((password) => password === 'alex-password').length).toBeLessThanOrEqual(2)
  })

  it('leaves the queue: it is not checked, not counted, and logged as 499', async () => {
    const world = await createSlowWorld()
    const running = [world.ask('wrong 1'), world.ask('wrong 2')]
    await begun(world, 2)
    const leaving = new AbortController()
    const gone = Array.from({ length: 20 }, (_, index) => world.ask(`gone ${index}`, { signal: leaving.signal }))
    await world.queued(22)
    leaving.abort()
    expect((await Promise.all(gone)).map(({ status }) => status)).toEqual(Array(20).fill(499))
    expect((await answersOf(world, running)).map(({ status }) => status)).toEqual([401, 401])
    expect(world.started.some((password) => password.startsWith('gone'))).toBe(false)
    const failures = await world.storage.peekWindow('login:192.0.2.1', { ...WINDOW, now: world.now() })
    expect(failures.count).toBe(2)
    const statuses = world.logged.map(({ status }) => status)
    expect(statuses.filter((status) => status === 499)).toHaveLength(20)
  })

  it('while its password is checked is logged as 499 too, never as a key that was sent', async () => {
    const world = await createSlowWorld()
    const leaving = new AbortController()
    const gone = world.ask('alex-password', { signal: leaving.signal })
    await begun(world, 1)
    leaving.abort()
    await answersOf(world, [gone])
    expect(world.logged.map(({ status }) => status)).toEqual([499])
  })
})

describe('a user who is created in a crowd', () => {
  it('is refused whole: nothing is stored of one whose password found no turn', async () => {
    const world = await createSlowWorld()
    const session = asRoot(world)
    await world.end()
    const admin = await session
    const stored = async () => (await world.storage.items.getKeys('')).filter((key) => !key.startsWith('audit:')).sort()
    const before = await stored()
    const crowd = [world.ask('one'), world.ask('two', { address: '192.0.2.2' })]
    await begun(world, 3)
    const created = admin('POST', '/admin/users', { name: 'Bea' })
    const audited = async () => (await world.storage.items.getKeys('audit:')).length
    await expect.poll(audited, { interval: 1 }).toBe(2)
    await new Promise((resolve) => setImmediate(resolve))
    world.advance(11_000)
    await answersOf(world, crowd)
    await expectError(await created, 'unavailable')
    expect(await stored()).toEqual(before)
  })
})

describe('the guard of logins', () => {
  it('does little for each of a thousand logins at once, also when all say the same', async () => {
    const { storage, calls } = createFailingStorage()
    const world = await createWorld({ ...UNLIMITED, storage })
    const before = calls.length
    const answers = await Promise.all(Array.from({ length: 1000 }, () => login(world, 'root', 'wrong')))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(calls.length - before).toBeLessThan(20_000)
  })

  it('refuses everybody it cannot count, and only while it has no room', async () => {
    const world = await createWorld({ ...UNLIMITED, storage: createMemoryStorage({ windows: 3 }) })
    // Three clients that failed as often as a client may, under one name each.
    for (const client of ['192.0.2.10', '192.0.2.11', '192.0.2.12']) {
      for (let count = 0; count < 10; count += 1) await login(world, 'root', 'wrong', client)
    }
    for (let count = 0; count < 30; count += 1) {
      await expectError(await login(world, 'root', 'wrong', '192.0.2.99'), 'rate_limited')
    }
    world.advance(LIMITS.failedLoginWindowSeconds * 1000)
    expect((await login(world, 'root', 'root-password', '192.0.2.99')).status).toBe(200)
  })

  it('and the limit of administrators have room of their own, whatever floods the public endpoints', async () => {
    const storage = createMemoryStorage({ windows: 3 })
    const world = await createWorld({ rateLimit: { requests: 1, windowMs: 300_000 }, storage })
    for (let client = 10; client < 20; client += 1) {
      await world.request('/status', { headers: { [ADDRESS_HEADER]: `192.0.2.${client}` } })
    }
    await expectError(await world.request('/status', { headers: { [ADDRESS_HEADER]: '192.0.2.99' } }), 'rate_limited')
    const session = await login(world, 'root', 'root-password', '192.0.2.99')
    expect(session.status).toBe(200)
    const { token } = (await session.json()) as { token: string }
    const me = await world.request('/admin/me', { headers: { authorization: `Bearer ${token}` } })
    expect(me.status).toBe(200)
  })
})
