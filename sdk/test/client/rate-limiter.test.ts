import { type Client, type ClientOptions, createClient, type WaitEvent } from '@fish-crab/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { seededNumbers } from '../../../scripts/test-support/seeded-numbers.ts'
import { type NetworkOptions, simulateService } from '../simulation/simulated-service.ts'
import { createVirtualTime } from '../simulation/virtual-time.ts'

const WINDOW_MS = 300_000
const HOUR_MS = 3_600_000
const MASTER_KEY = 'master-key-of-the-service'

/** Creates a service in virtual time. Clients share a rate limiter only if they have the same clock. */
async function simulate() {
  const time = createVirtualTime()
  const service = await simulateService(time, { apiKey: MASTER_KEY })
  const start = time.now()
  const open = (options: ClientOptions = {}, network: NetworkOptions = {}) =>
    createClient({
      baseUrl: 'http://fish.test',
      user: 'Alex',
      fernetKey: service.player.fernetKey,
      gamemode: 'earth',
      maxWaitMs: Number.POSITIVE_INFINITY,
      random: seededNumbers(1),
      clock: time.clock(),
      fetch: service.connect(network),
      env: {},
      ...options,
    })
  const refusedPerWindow = () => {
    const refused = service.served.filter(({ status }) => status === 429)
    const windows = Map.groupBy(refused, ({ resetMs }) => resetMs)
    return Math.max(0, ...[...windows.values()].map((each) => each.length))
  }
  /** The time from the end of the previous window to the last request. */
  const lastAfterResetMs = () => {
    const resets = [...new Set(service.served.map(({ resetMs }) => resetMs))]
    return (service.served.at(-1)?.at ?? Number.NaN) - (resets.at(-2) ?? Number.NaN)
  }
  return { ...service, time, start, open, refusedPerWindow, lastAfterResetMs }
}

const many = <Result>(count: number, call: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

test('100 concurrent calls at a limit of 25 per 300 s send exactly 100 requests, and the service refuses none', async () => {
  const { time, open, served, lastAfterResetMs } = await simulate()
  const client = open()
  await time.run(many(100, () => client.demo.fish()))
  expect(served).toHaveLength(100)
  expect(served.filter(({ status }) => status !== 200)).toEqual([])
  expect(lastAfterResetMs()).toBeLessThan(2000)
})

test('all clients of one address in a process share one rate limiter', async () => {
  const { time, served, open, connect } = await simulate()
  const shared = { clock: time.clock(), fetch: connect() }
  const clients = [open(shared), open(shared), open({ ...shared, baseUrl: 'http://fish.test/' })]
  await time.run(many(60, (index) => clients[index % 3]?.demo.fish() ?? Promise.reject()))
  expect(served.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200))
})

test('a call whose response was lost is retried before the waiting calls are sent', async () => {
  const { time, open } = await simulate()
  let answers = 0
  const client = open({ maxRetries: 3 }, { losesAnswer: () => answers++ === 0 })
  const done: number[] = []
  await time.run(many(60, (index) => client.demo.fish().then(() => done.push(index))))
  expect(done.indexOf(0)).toBeLessThan(25)
})

test.each([
  ['an hour ahead', HOUR_MS],
  ['an hour behind', -HOUR_MS],
])('a client clock that is %s does not affect the rate limiter', async (_, wrongByMs) => {
  const { time, open, served, lastAfterResetMs } = await simulate()
  const client = open({ clock: time.clock(wrongByMs) })
  await time.run(many(100, () => client.demo.fish()))
  expect(served.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200))
  expect(lastAfterResetMs()).toBeLessThan(2000)
})

test('responses that arrive out of order cause no refusals and at most five waits per window', async () => {
  const { time, open, served, lastAfterResetMs } = await simulate()
  const random = seededNumbers(7)
  const longestMs = 4000
  const client = open({}, { latencyMs: () => random() * longestMs })
  await time.run(many(100, () => client.demo.fish()))
  expect(served.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200))
  expect(lastAfterResetMs()).toBeLessThan(5 * longestMs)
})

test.each([1, 2, 3, 4, 5])(
  'a client that joins another client causes at most two refusals per window (seed %i)',
  async (seed) => {
    const { time, open, refusedPerWindow } = await simulate()
    const random = seededNumbers(seed)
    const [first, second] = [1, 2].map(() => open({ random }, { latencyMs: () => 10 + random() * 40 })) as [
      Client,
      Client,
    ]
    const joining = time.sleep(WINDOW_MS + 5000).then(() => many(50, () => second.demo.fish()))
    await time.run(Promise.all([many(100, () => first.demo.fish()), joining]))
    expect(refusedPerWindow()).toBeLessThanOrEqual(2)
  },
)

test.each([1, 2, 3, 4, 5])(
  'if every tenth response is lost, each catch is stored once, with at most one refusal per window (seed %i)',
  async (seed) => {
    const { time, open, refusedPerWindow } = await simulate()
    const random = seededNumbers(seed)
    const lossy = { losesRequest: () => random() < 0.05, losesAnswer: () => random() < 0.05 }
    const client = open({ maxRetries: 20 }, lossy)
    await time.run(many(100, (index) => client.fish.add({ name: `Fish ${index}`, rarity: 1 })))
    expect(refusedPerWindow()).toBeLessThanOrEqual(1)
    const { fish } = await time.run(open().fish.list())
    expect(new Set(fish.map(({ name }) => name)).size).toBe(100)
    expect(fish).toHaveLength(100)
  },
)

test.each([1, 2, 3, 4, 5, 6])(
  'if every tenth response is lost after the request was counted, no request is refused (seed %i)',
  async (seed) => {
    const { time, open, served } = await simulate()
    const random = seededNumbers(seed)
    const client = open({ maxRetries: 20 }, { losesAnswer: () => random() < 0.1 })
    await time.run(many(100, () => client.demo.fish()))
    expect(served.filter(({ status }) => status === 429)).toEqual([])
  },
)

test.each([1, 2, 3, 4, 5])(
  'if a second process shares the limit of a client, each window has at most one refusal (seed %i)',
  async (seed) => {
    const { time, open, refusedPerWindow } = await simulate()
    const random = seededNumbers(seed)
    const latencyMs = () => 10 + random() * 40
    const one = open({ random }, { latencyMs })
    const other = open({ random }, { latencyMs })
    const eating = async () => {
      for (let call = 0; call < 50; call++) {
        await time.sleep(random() * 20_000)
        await other.demo.crabs()
      }
    }
    await time.run(Promise.all([many(100, () => one.demo.fish()), eating()]))
    expect(refusedPerWindow()).toBeLessThanOrEqual(1)
  },
)

test('an aborted call immediately stops waiting, and the next waiting call takes the turn of the aborted call', async () => {
  const { time, open, served } = await simulate()
  const client = open()
  await time.run(many(25, () => client.demo.fish()))
  const abort = new AbortController()
  const reason = new Error('The player left.')
  const impatient = client.demo.fish({ signal: abort.signal })
  const patient = many(25, () => client.demo.crabs())
  const settled = impatient.catch((thrown) => thrown)
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve, 'still waiting'))
  await nextTurn()
  abort.abort(reason)
  expect(await Promise.race([settled, nextTurn()])).toBe(reason)
  await time.run(patient)
  expect(served.filter(({ path }) => path === '/demo/fish')).toHaveLength(25)
  expect(served.filter(({ status }) => status === 429)).toEqual([])
})

test('a call that would wait longer than maxWaitMs fails immediately and sends nothing', async () => {
  const { time, open, served } = await simulate()
  const client = open()
  await time.run(many(25, () => client.demo.fish()))
  await expect(client.demo.fish({ maxWaitMs: 1000 })).rejects.toMatchObject({
    name: 'RateLimitError',
    code: 'rate_limited',
    rateLimit: { limit: 25, remaining: 0 },
  })
  expect(served).toHaveLength(25)
})

test('concurrent calls with a maxWaitMs of 0 still wait for the first response, but not beyond this response', async () => {
  const { time, start, open, served } = await simulate()
  const client = open({ maxWaitMs: 0 })
  await time.run(many(25, () => client.demo.fish()))
  expect(served).toHaveLength(25)
  expect(time.now() - start).toBeLessThan(1000)
})

test('calls that cannot start within maxWaitMs fail after the first responses instead of waiting', async () => {
  const { time, start, open } = await simulate()
  const client = open({ maxWaitMs: WINDOW_MS + 5000 })
  const calls = await time.run(
    Promise.all(
      Array.from({ length: 60 }, () =>
        client.demo.fish().then(
          () => ({ ok: true, at: time.now() - start }),
          (error) => ({ ok: false, at: time.now() - start, name: error.name }),
        ),
      ),
    ),
  )
  const failed = calls.filter(({ ok }) => !ok)
  expect(failed).toHaveLength(10)
  expect(Math.max(...failed.map(({ at }) => at))).toBeLessThan(1000)
})

test('a client whose API key lifts the limit is not delayed', async () => {
  const { time, start, open, served } = await simulate()
  const client = open({ apiKey: MASTER_KEY })
  await time.run(many(200, () => client.demo.fish()))
  expect(served).toHaveLength(200)
  expect(time.now() - start).toBeLessThan(150)
})

test('a client with an unknown API key stays within the rate limit', async () => {
  const { time, open, served } = await simulate()
  const client = open({ apiKey: 'unknown' })
  await time.run(many(60, () => client.demo.fish()))
  expect(served.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200))
})

test('if pace is false, all calls start immediately, and refused calls are retried in the next window', async () => {
  const { time, open, served } = await simulate()
  const client = open({ pace: false })
  await time.run(many(40, () => client.demo.fish()))
  expect(served.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(15)
  expect(served.filter(({ status }) => status === 200)).toHaveLength(40)
})

test('calls finish in the order in which they were made, and onWait reports the length of each wait', async () => {
  const { time, start, open } = await simulate()
  const waits: WaitEvent[] = []
  const client = open({ onWait: (event) => waits.push(event) })
  const done: number[] = []
  await time.run(many(30, (index) => client.demo.fish().then(() => done.push(index))))
  expect(done).toEqual(Array.from({ length: 30 }, (_, index) => index))
  expect(waits.length).toBeGreaterThan(0)
  for (const { method, path, waitMs, resumesAt } of waits) {
    expect([method, path]).toEqual(['GET', '/demo/fish'])
    expect(waitMs).toBeGreaterThan(WINDOW_MS - 5000)
    expect(resumesAt.getTime() - start).toBeGreaterThanOrEqual(WINDOW_MS - 1)
  }
})

test.each([1, 2, 3])(
  'two processes that send many requests at once get at most one refusal per window (seed %i)',
  async (seed) => {
    const { time, open, refusedPerWindow } = await simulate()
    const random = seededNumbers(seed)
    const clients = [1, 2].map(() => open({ random }, { latencyMs: () => 10 + random() * 60 }))
    await time.run(Promise.all(clients.map((client) => many(50, () => client.demo.fish()))))
    expect(refusedPerWindow()).toBeLessThanOrEqual(1)
  },
)

test('when other clients suddenly use up the limit, calls that cannot wait fail within a second', async () => {
  const { time, open, connect } = await simulate()
  const waits: WaitEvent[] = []
  const others = connect({ latencyMs: () => 1 })
  const eat = () => others('http://fish.test/demo/crab').then(() => {})
  const impatient = open({ maxWaitMs: 1000, onWait: (event) => waits.push(event) })
  const start = time.now()
  const calls = many(20, () => impatient.demo.fish().catch((error) => error.name))
  await time.run(Promise.all([calls, time.sleep(30).then(() => many(22, eat))]))
  expect((await calls).filter((name) => name === 'RateLimitError').length).toBeGreaterThan(10)
  expect(time.now() - start).toBeLessThan(1000)
})

test('calls do not wait for one another if their requests get no response', async () => {
  const fetch: typeof globalThis.fetch = () => new Promise(() => {})
  const client = createClient({ fetch, timeoutMs: 20, maxRetries: 0, env: {} })
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const names: string[] = []
  const calls = many(60, () => client.demo.fish().catch((error) => names.push(error.name)))
  // Sequential calls would take twice this time.
  await vi.advanceTimersByTimeAsync(20 * 60 * 0.5)
  expect(names).toEqual(Array.from({ length: 60 }, () => 'TimeoutError'))
  await calls
})

test.each([0, 1, 2, 3, 10])(
  'an abort %i microtasks after a call rejects the call with the reason of the abort',
  async (ticks) => {
    const { open } = await simulate()
    const abort = new AbortController()
    const reason = new Error('The player left.')
    const call = open().demo.fish({ signal: abort.signal })
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
    abort.abort(reason)
    await expect(call).rejects.toBe(reason)
  },
)

test('an abort in a hook rejects the call with the reason of the abort, and nothing is sent', async () => {
  const abort = new AbortController()
  const reason = new Error('The player left.')
  const { open, served } = await simulate()
  const client = open({ onRequest: () => abort.abort(reason) })
  await expect(client.demo.fish({ signal: abort.signal })).rejects.toBe(reason)
  expect(served).toEqual([])
})

test('a clock that jumps ahead during a wait does not use up maxWaitMs', async () => {
  const { time, open } = await simulate()
  let ahead = 0
  const clock = { now: () => time.now() + ahead, sleep: time.sleep }
  const client = open({ clock, maxWaitMs: 2 * WINDOW_MS })
  const calls = many(50, () => client.demo.fish())
  await time.run(
    Promise.all([
      calls,
      time.sleep(10_000).then(() => {
        ahead = 60_000
      }),
    ]),
  )
  expect(await calls).toHaveLength(50)
})

test('a system clock that is set back during a window does not lengthen a wait', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] })
  try {
    const headers = {
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Date.now() + WINDOW_MS),
    }
    const fetch = async () => Response.json({ user: 'Demo', fish: [] }, { headers })
    const client = createClient({ baseUrl: 'http://fish.test', env: {}, fetch, maxWaitMs: 0, random: () => 0 })
    await client.demo.fish()
    vi.setSystemTime(Date.now() - HOUR_MS)
    await vi.advanceTimersByTimeAsync(WINDOW_MS)
    expect(await client.demo.fish()).toMatchObject({ user: 'Demo' })
  } finally {
    vi.useRealTimers()
  }
})
