import {
  createMock,
  type Fault,
  type FaultHandle,
  type FaultOptions,
  type Mock,
  type StatusFault,
} from '@fish-crab/mocks'
import { createFernet } from '@fish-crab/sdk/fernet'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const START = Date.UTC(2026, 0, 1)
const WINDOW_MS = 300_000
const LIMIT = 6
const READ = '/get/fish?name=Alex&gamemode=earth&detail=full'
const TARGETS = [
  { path: '/status', route: 'status', user: undefined },
  { path: READ, route: 'getFish', user: 'Alex' },
  { path: '/get/fish?name=Sam&gamemode=earth', route: 'getFish', user: 'Sam' },
  { path: '/post/fish?name=Alex', route: 'postFish', user: 'Alex' },
] as const
const FAULTS: readonly Fault[] = [
  ...([{ status: 503 }, { status: 500 }, { latencyMs: 1000 }, { latencyMs: 400_000 }] as const),
  ...(['reset', 'lost-response', 'silence', 'cut-body', 'wrong-shape'] as const),
]
const ADDRESSES = ['127.0.0.1', '203.0.113.9']

const step = fc.record({
  operation: fc.constantFrom(
    ...(['request', 'request', 'request', 'fail', 'fail', 'advance', 'advance', 'sleep', 'sleep'] as const),
    ...(['stream', 'cancel fault', 'give up', 'reset', 'close'] as const),
  ),
  target: fc.constantFrom(...TARGETS),
  address: fc.constantFrom(...ADDRESSES),
  fault: fc.constantFrom(...FAULTS),
  times: fc.constantFrom(1, 1, 2, 3, Number.POSITIVE_INFINITY),
  isOfRoute: fc.boolean(),
  isOfUser: fc.boolean(),
  delayMs: fc.constantFrom(0, 0, 500),
  ms: fc.constantFrom(0, 400, 1000, 1500, 299_000, 300_000, 500_000),
  pick: fc.nat(),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface KnownFault {
  readonly handle: FaultHandle
  readonly fault: Fault
  readonly options: FaultOptions
  remaining: number
}

/** A request or a sleep that waits for the clock of the mock. */
interface Waiter {
  readonly wakeAt: number
  readonly settled: Promise<unknown>
  readonly giveUp: () => void
  /** Whether the response body is cut off. The exact time at which the client then reads the error is unknown. */
  readonly isCut: boolean
  /** The time at which the waiter ended, on the clock of the mock. */
  endedAt?: number
}

const requestOf = async (fetch: typeof globalThis.fetch, path: string, init: RequestInit = {}) => {
  const response = await fetch(path, init)
  return { status: response.status, headers: [...response.headers], body: await response.text() }
}

class Play {
  private now = START
  private faults: KnownFault[] = []
  private readonly knownFaults: KnownFault[] = []
  private history: (readonly [path: string, fault: boolean, remaining: number])[] = []
  private windows = new Map<string, { count: number; endsAt: number }>()
  private waiters: Waiter[] = []
  private stored: string[] = []
  private streams: Promise<unknown>[] = []
  private readonly all: Promise<unknown>[] = []
  private count = 0
  private readonly mock: Mock
  private readonly first: unknown

  constructor(mock: Mock, first: unknown) {
    this.mock = mock
    this.first = first
    this.recordRead()
  }

  private recordRead(): void {
    this.windows.set('127.0.0.1', { count: 1, endsAt: this.now + WINDOW_MS })
    this.history.push(['/get/fish', false, LIMIT - 1])
  }

  /** @returns whether the rate limit allows the request */
  private takeFromLimit(address: string): boolean {
    const window = this.windows.get(address)
    if (!window || this.now >= window.endsAt) {
      this.windows.set(address, { count: 1, endsAt: this.now + WINDOW_MS })
      return true
    }
    if (window.count === LIMIT) return false
    window.count += 1
    return true
  }

  private wait(wakeAt: number, settled: Promise<unknown>, giveUp: () => void, isCut = false): void {
    const waiter: Waiter = { wakeAt, settled, giveUp, isCut }
    const end = () => {
      waiter.endedAt = this.mock.clock.now()
    }
    this.all.push(settled.then(end, end))
    this.waiters.push(waiter)
  }

  private async request({ target, address }: Step): Promise<void> {
    const { path, route, user } = target
    const matches = ({ options: { on, user: name } }: KnownFault) =>
      (on === undefined || on === route) && (name === undefined || name === user)
    const fault = this.faults.find(matches)
    const what = fault?.fault
    const isAllowed = this.takeFromLimit(address)
    const window = this.windows.get(address) as { count: number; endsAt: number }
    if (fault) fault.remaining -= 1
    this.faults = this.faults.filter(({ remaining }) => remaining > 0)
    this.history.push([path.replace(/\?.*/, ''), fault !== undefined, LIMIT - window.count])
    const isProcessed = isAllowed && what !== 'reset' && what !== 'silence' && !isStatus(what)
    const abort = new AbortController()
    const init: RequestInit = { signal: abort.signal }
    if (route === 'postFish') {
      const name = `Fish ${this.count++}`
      if (isProcessed) this.stored.push(name)
      const token = createFernet(this.mock.user('Alex').fernetKey).encrypt(JSON.stringify({ fish: name, rarity: 1 }))
      const headers = { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth' }
      Object.assign(init, { method: 'POST', body: await token, headers })
    }
    const settled = requestOf(this.mock.from(address).fetch, path, init)
    const isBroken = what === 'reset' || what === 'lost-response' || what === 'cut-body' || what === 'silence'
    const good = route === 'postFish' ? 201 : 200
    const status = isStatus(what) ? what.status : isAllowed ? good : 429
    const outcome = settled.then(
      (response) => expect([path, response.status, isBroken]).toEqual([path, status, false]),
      (error) => expect(abort.signal.aborted || isBroken, String(error)).toBe(true),
    )
    const latencyMs = typeof what === 'object' && 'latencyMs' in what ? what.latencyMs : 0
    const delayMs = (fault?.options.delayMs ?? 0) + latencyMs
    if (delayMs === 0 && what !== 'silence') return void (await outcome)
    // Let the request start to wait before the next operation. Otherwise a clock change could come before the delay
    // begins.
    await this.mock.clock.advance(0)
    const wakeAt = delayMs === 0 ? Number.POSITIVE_INFINITY : this.now + delayMs
    this.wait(wakeAt, outcome, () => abort.abort(new Error('given up')), what === 'cut-body')
  }

  private fail({ fault, times, isOfRoute, isOfUser, target, delayMs }: Step): void {
    const user = isOfUser ? target.user : undefined
    // Silence gets no delay, since a delay followed by silence would be two waits.
    const delay = fault === 'silence' ? 0 : delayMs
    const options = { times, delayMs: delay, ...(isOfRoute && { on: target.route }), ...(user && { user }) }
    const known = { handle: this.mock.fail(fault, options), fault, options, remaining: times }
    this.faults.push(known)
    this.knownFaults.push(known)
  }

  private sleep({ ms }: Step): void {
    const wakeAt = this.now + ms + 1
    const abort = new AbortController()
    this.wait(wakeAt, this.mock.clock.sleep(ms + 1, abort.signal), () => abort.abort(new Error('given up')))
  }

  /** Checks that all due waiters have ended at the expected times, and that no other waiter has ended. */
  private async wake(isDue: (waiter: Waiter) => boolean, endedAt: (waiter: Waiter) => number): Promise<void> {
    await this.mock.clock.advance(0)
    const due = this.waiters.filter(isDue)
    expect(due.map((waiter) => waiter.endedAt)).toEqual(
      due.map((waiter) => (waiter.isCut ? expect.any(Number) : endedAt(waiter))),
    )
    this.waiters = this.waiters.filter((waiter) => !due.includes(waiter))
    expect(this.waiters.filter((waiter) => waiter.endedAt !== undefined)).toEqual([])
  }

  private async reset(): Promise<void> {
    await this.mock.reset()
    this.now = START
    for (const fault of this.faults) fault.remaining = 0
    Object.assign(this, { faults: [], history: [], windows: new Map(), stored: [] })
    await this.wake(
      ({ wakeAt }) => Number.isFinite(wakeAt),
      () => START,
    )
    await Promise.all(this.streams.splice(0))
    expect(await requestOf(this.mock.fetch, READ)).toEqual(this.first)
    this.recordRead()
  }

  private async openStream(): Promise<void> {
    if (this.faults.some(({ options: { on, user } }) => on === undefined && user !== 'Sam')) return
    this.history.push(['/events', false, 0])
    const isAllowed = this.takeFromLimit('127.0.0.1')
    const { count } = this.windows.get('127.0.0.1') as { count: number }
    this.history[this.history.length - 1] = ['/events', false, LIMIT - count]
    const response = await this.mock.fetch('/events?name=Alex&gamemode=earth')
    expect(response.status).toBe(isAllowed ? 200 : 429)
    const ended = response.text().catch(() => {})
    if (isAllowed) this.streams.push(ended)
  }

  async take(step: Step): Promise<void> {
    const { operation, pick, ms } = step
    const { clock } = this.mock
    if (operation === 'request') await this.request(step)
    else if (operation === 'fail') this.fail(step)
    else if (operation === 'sleep') this.sleep(step)
    else if (operation === 'stream') await this.openStream()
    else if (operation === 'reset') await this.reset()
    else if (operation === 'close') {
      await this.mock.close()
      await Promise.all(this.streams.splice(0))
    } else if (operation === 'cancel fault') {
      const fault = this.knownFaults[pick % Math.max(1, this.knownFaults.length)]
      fault?.handle.cancel()
      if (fault) fault.remaining = 0
      this.faults = this.faults.filter((one) => one !== fault)
    } else if (operation === 'give up') {
      const waiter = this.waiters[pick % Math.max(1, this.waiters.length)]
      waiter?.giveUp()
      const now = this.now
      await this.wake(
        (one) => one === waiter,
        () => now,
      )
    } else {
      this.now += ms
      await clock.advance(ms)
      await this.wake(
        (waiter) => waiter.wakeAt <= this.now,
        (waiter) => waiter.wakeAt,
      )
    }
    this.compare()
  }

  private compare(): void {
    const { clock, requests, faults, sent } = this.mock
    expect(clock.now()).toBe(this.now)
    const wakeAts = this.waiters.map(({ wakeAt }) => wakeAt).sort((one, other) => one - other)
    expect(clock.sleepers.map(({ until }) => until?.getTime() ?? Number.POSITIVE_INFINITY)).toEqual(wakeAts)
    const seen = requests.map(({ path, fault, rateLimit }) => [path, fault !== undefined, rateLimit?.remaining])
    expect(seen).toEqual(this.history)
    expect(faults.map((one) => [one.fault, one.remaining])).toEqual(
      this.faults.map((one) => [one.fault, one.remaining]),
    )
    expect(this.knownFaults.map(({ handle }) => handle.remaining)).toEqual(
      this.knownFaults.map(({ remaining }) => remaining),
    )
    expect(sent.fish().map(({ name }) => name)).toEqual(this.stored)
  }

  async finish(): Promise<void> {
    await this.reset()
    this.compare()
    for (const { giveUp } of this.waiters.splice(0)) giveUp()
    await Promise.all(this.all)
    this.compare()
    this.mock.assertNoPendingFaults()
    await this.mock.close()
  }
}

function isStatus(fault: Fault | undefined): fault is StatusFault {
  return typeof fault === 'object' && 'status' in fault
}

test('after random requests, delays, aborts, closes and resets, a mock matches its model, and no call hangs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 30, size: 'max' }), async (steps) => {
      const mock = await createMock({
        startAt: START,
        seed: { users: [{ name: 'Alex', fish: { earth: [{ name: 'Koi', rarity: 1 }] } }, { name: 'Sam' }] },
        limits: { requests: LIMIT },
      })
      const play = new Play(mock, await requestOf(mock.fetch, READ))
      for (const each of steps) await play.take(each)
      await play.finish()
    }),
    // The time limit makes the test fail if a sequence hangs or takes long to shrink. Even a busy machine needs only a
    // fifth of the limit.
    { numRuns: 25, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true },
  )
}, 120_000)
