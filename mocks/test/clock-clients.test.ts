import { createMock, type Mock, type MockOptions } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

const START = Date.UTC(2026, 0, 1)
const seed = { users: [{ name: 'Alex' }] }
const SALMON = { name: 'Salmon', rarity: 'gold' } as const

type Client = ReturnType<typeof createClient>

const WAYS: Readonly<Record<string, (mock: Mock) => Promise<Client>>> = {
  direct: async (mock) => createClient({ ...mock.client('Alex'), gamemode: 'earth' }),
  async handlers(mock) {
    const network = setupServer(...mock.handlers())
    network.listen({ onUnhandledFrame: 'error' })
    onTestFinished(() => network.close())
    return createClient({ ...mock.client('Alex', { transport: 'network' }), gamemode: 'earth' })
  },
  async intercepted(mock) {
    await mock.listen()
    return createClient({ ...mock.client('Alex', { transport: 'network' }), gamemode: 'earth' })
  },
  async served(mock) {
    const { url } = await mock.serve()
    return createClient({ ...mock.client('Alex', { transport: 'network' }), baseUrl: url, gamemode: 'earth' })
  },
}

async function open(way: string, options: MockOptions = {}) {
  const mock = await createMock({ seed, startAt: START, ...options })
  onTestFinished(() => mock[Symbol.asyncDispose]())
  const client = await (WAYS[way] as (mock: Mock) => Promise<Client>)(mock)
  return { mock, client, clock: mock.clock }
}

function outcomeOf(call: Promise<unknown>): () => string {
  let outcome = 'pending'
  call.then(
    () => {
      outcome = 'resolved'
    },
    (error: Error) => {
      outcome = error.name
    },
  )
  return () => outcome
}

describe.each(Object.keys(WAYS))('a client on a stopped clock (%s)', (way) => {
  it('retries after a lost response, even if the test advanced the clock before the retry delay began', async () => {
    const { mock, client, clock } = await open(way)
    mock.fail('lost-response', { on: 'postFish' })
    const outcome = outcomeOf(client.fish.add(SALMON))
    await clock.advance(500)
    expect(outcome()).toBe('resolved')
    expect(clock.now()).toBe(START + 500)
    expect(mock.requests.map(({ at }) => at.getTime() - START)).toEqual([0, 500])
  })

  it('retries at the exact times of the retry delays', async () => {
    const { mock, client, clock } = await open(way)
    mock.fail('reset', { times: 2 })
    const outcome = outcomeOf(client.fish.list())
    await clock.advance(1499)
    expect(outcome()).toBe('pending')
    await clock.advance(1)
    expect(outcome()).toBe('resolved')
    expect(mock.requests.map(({ at }) => at.getTime() - START)).toEqual([0, 500, 1500])
  })

  it('continues at the exact millisecond in which the rate limit window ends', async () => {
    const { client, clock } = await open(way, { limits: { requests: 1 } })
    await client.fish.list()
    const outcome = outcomeOf(client.fish.list())
    await clock.advance(299_999)
    expect(outcome()).toBe('pending')
    await clock.advance(1)
    expect(outcome()).toBe('resolved')
  })

  it('applies timeoutMs to the stopped clock', async () => {
    const { mock, client, clock } = await open(way)
    mock.fail('silence')
    const timeout = outcomeOf(client.fish.list({ timeoutMs: 60_000, maxRetries: 0 }))
    await clock.advance(59_999)
    expect(timeout()).toBe('pending')
    await clock.advance(1)
    expect(timeout()).toBe('TimeoutError')
  })

  it('needs no calls of advance() if autoAdvance is set, since the clock jumps over windows, retry delays, latency and silence', async () => {
    const { mock, client, clock } = await open(way, { autoAdvance: true, limits: { requests: 3 } })
    await Promise.all(Array.from({ length: 10 }, () => client.fish.list()))
    expect(mock.requests.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(clock.now()).toBe(START + 900_000)
    mock.fail('silence', { on: 'postFish' })
    mock.fail({ latencyMs: 5000 }, { on: 'postFish' })
    await client.fish.add(SALMON, { timeoutMs: 30_000 })
    expect(clock.now()).toBe(START + 900_000 + 30_000 + 500 + 5000)
  })
})

describe('the clock of a mock', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('lists its sleepers with their reasons and wake-up times', async () => {
    const { mock, client, clock } = await open('direct')
    expect(clock.sleepers).toEqual([])
    mock.fail({ latencyMs: 9000 })
    const listing = client.fish.list()
    await clock.advance(0)
    expect(clock.sleepers).toEqual([
      { reason: 'a response is delayed by a fault', until: new Date(START + 9000) },
      { reason: 'a client waits for a response (timeoutMs)', until: new Date(START + 10_000) },
    ])
    await clock.advance(9000)
    await listing
    expect(clock.sleepers).toEqual([])
  })

  it('warns if a test waits for the rate limit on a running clock', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const mock = await createMock({ seed: { users: [{ name: 'Alex' }] }, limits: { requests: 1 } })
    const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
    const stop = new AbortController()
    await client.fish.list()
    const second = client.fish.list({ signal: stop.signal }).catch(() => {})
    await vi.waitUntil(() => mock.clock.sleepers.length > 0)
    await vi.advanceTimersByTimeAsync(3000)
    expect(warn.mock.calls.flat()).toEqual([
      expect.stringMatching(/^The clock of a mock runs; these wait for it:\n- a client sleeps, until /),
    ])
    stop.abort()
    await second
  })

  it('warns if a test hangs on a stopped clock, and lists the sleepers and their wake-up times', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { mock, client, clock } = await open('direct')
    mock.fail({ status: 503 })
    const listing = client.fish.list()
    await clock.advance(0)
    vi.advanceTimersByTime(3000)
    expect(warn.mock.calls.flat()).toEqual([
      'The clock of a mock is stopped at 2026-01-01T00:00:00.000Z; these wait for it:\n' +
        '- a client sleeps, until 2026-01-01T00:00:00.500Z, 500 ms from now\n' +
        'Use mock.clock.advance(ms) or createMock({ autoAdvance: true }).',
    ])
    await clock.advance(500)
    await listing
    vi.advanceTimersByTime(10_000)
    expect(warn).toHaveBeenCalledOnce()
  })

  it('can be advanced again after a reset cancels an advance', async () => {
    const { mock, client, clock } = await open('direct', { autoAdvance: true })
    mock.fail({ status: 503 })
    const first = client.fish.list()
    await mock.reset()
    mock.fail({ status: 503 })
    await Promise.all([first, client.fish.list()])
    expect(clock.sleepers).toEqual([])
  })

  it('can be advanced even if a request waits forever for a promise outside the mock', async () => {
    const { mock, clock } = await open('direct')
    const client = createClient({ ...mock.client('Alex'), gamemode: 'earth', fetch: () => new Promise(() => {}) })
    const outcome = outcomeOf(client.fish.list({ maxRetries: 0 }))
    await clock.advance(10_000)
    expect(outcome()).toBe('TimeoutError')
  })
})

it('a client on a running clock wakes earlier by the time that the test advanced the clock', async () => {
  await using mock = await createMock({ seed })
  const woken = mock.clock.sleep(60_000)
  await mock.clock.advance(59_990)
  await woken
  expect(mock.clock.sleepers).toEqual([])
})

it('advancing a running clock also expires the timeouts of clients', async () => {
  const mock = await createMock({ seed })
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
  mock.fail('silence')
  const outcome = outcomeOf(client.fish.list({ maxRetries: 0 }))
  await mock.clock.advance(10_000)
  expect(outcome()).toBe('TimeoutError')
})
