import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  afterLoss,
  afterResponse,
  afterUnsent,
  decide,
  expectedWaitMs,
  INITIAL_STATE,
  isRefusal,
  type LimiterState,
  type ObservedResponse,
  type Permit,
} from '../../src/client/rate-limiter/policy.ts'

const DAY_MS = 86_400_000
const WINDOW_MS = 300_000

type Event =
  | { readonly type: 'acquire' }
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'response' | 'loss' | 'unsent'; readonly which: number; readonly response: ObservedResponse }

const reportedWindow = fc.record({
  limit: fc.constant(25),
  remaining: fc.nat(25),
  resetMs: fc.oneof({ arbitrary: fc.nat(5).map((n) => n * WINDOW_MS), weight: 5 }, fc.constantFrom(0, 4e12)),
  waitMs: fc.oneof({ arbitrary: fc.nat(WINDOW_MS), weight: 5 }, fc.constantFrom(0, DAY_MS)),
})

const response: fc.Arbitrary<ObservedResponse> = fc.record({
  status: fc.constantFrom(200, 200, 201, 404, 429, 429, 503, 302),
  isService: fc.boolean(),
  window: fc.option(reportedWindow, { nil: undefined, freq: 4 }),
  retryMs: fc.option(fc.nat(10_000), { nil: undefined }),
})

const event: fc.Arbitrary<Event> = fc.oneof(
  { arbitrary: fc.constant({ type: 'acquire' } as const), weight: 6 },
  {
    arbitrary: fc.record({ type: fc.constantFrom('response', 'loss', 'unsent'), which: fc.nat(), response }),
    weight: 5,
  },
  {
    arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.oneof(fc.nat(100), fc.nat(400_000)) }),
    weight: 1,
  },
)

test('after any sequence of events, the limiter counts requests correctly, pauses after refusals and never blocks forever', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 150 }), fc.boolean(), fc.constantFrom(1, 25), (events, pace, probes) => {
      const rules = { pace, probes }
      const open: Permit[] = []
      let state: LimiterState = INITIAL_STATE
      let now = 1_000_000
      let refusedUntil = 0
      for (const one of events) {
        if (one.type === 'pass') {
          now += one.ms
        } else if (one.type === 'acquire') {
          const admission = decide(state, rules, now)
          state = admission.state
          if (admission.permit) {
            expect(now).toBeGreaterThanOrEqual(refusedUntil)
            if (pace && state.phase === 'counted' && state.window) {
              const { limit, remaining, ours, isAlone } = state.window
              expect(state.inFlight).toBeLessThanOrEqual(Math.max(remaining, isAlone ? limit - ours : 0))
            }
            if (pace && state.phase === 'unknown') expect(state.inFlight).toBeLessThanOrEqual(25)
            open.push(admission.permit)
          } else if (admission.waitMs === undefined) {
            expect(open.some(({ epoch }) => epoch === state.epoch)).toBe(true)
          } else {
            expect(admission.waitMs).toBeGreaterThan(0)
            expect(admission.waitMs).toBeLessThanOrEqual(DAY_MS + 250)
          }
        } else {
          const [permit] = open.splice(one.which % Math.max(open.length, 1), 1)
          if (!permit) continue
          if (one.type === 'loss') state = afterLoss(state, permit)
          else if (one.type === 'unsent') state = afterUnsent(state, permit)
          else {
            state = afterResponse(state, permit, one.response, now, 0.5)
            const { retryMs, window } = one.response
            if (isRefusal(one.response))
              refusedUntil = Math.max(refusedUntil, now + Math.max(retryMs ?? window?.waitMs ?? 0, 1000))
          }
        }
        expect(state.inFlight).toBe(open.filter(({ epoch }) => epoch === state.epoch).length)
      }
    }),
    { numRuns: 2000, seed: 1 },
  )
})

/** Sends one request after another through the policy, and returns the last state. */
function after(responses: readonly Partial<ObservedResponse>[]): {
  readonly state: LimiterState
  readonly now: number
} {
  let state: LimiterState = INITIAL_STATE
  const now = 1_000_000
  for (const each of responses) {
    const admission = decide(state, { pace: true, probes: 1 }, now)
    if (!admission.permit) throw new Error('The request had to wait.')
    state = afterResponse(admission.state, admission.permit, { status: 200, isService: true, ...each }, now, 0)
  }
  return { state, now }
}

const RULES = { pace: true, probes: 1 }

const window = (remaining: number, resetMs = WINDOW_MS, waitMs = WINDOW_MS) => ({
  window: { limit: 25, remaining, resetMs, waitMs },
})

test('a response with a window that ends years later is corrected by the next response', () => {
  const { state, now } = after([window(24), window(23, 4e12, DAY_MS), window(22)])
  expect(state.window).toMatchObject({ remaining: 22, resetMs: WINDOW_MS, endsAt: now + WINDOW_MS })
})

test('without a refusal, the limiter waits at most twice the usual window length', () => {
  const { state, now } = after([window(0, 4e12, DAY_MS)])
  expect(decide(state, { pace: true, probes: 1 }, now)).toMatchObject({ waitMs: 2 * WINDOW_MS })
})

test('a refusal pauses the limiter until the latest of the reported times', () => {
  const { state, now } = after([
    window(20, 2 * WINDOW_MS, 10_000),
    { status: 429, retryMs: 100_000, ...window(0, WINDOW_MS, 10_000) },
  ])
  expect(decide(state, { pace: true, probes: 1 }, now)).toMatchObject({ waitMs: 100_000 })
})

test('a response from a server other than the service counts as a lost response', () => {
  for (const status of [200, 302, 403, 503]) {
    const { state } = after([window(24), { status, isService: false }])
    expect(state).toMatchObject({ phase: 'counted', uncertain: [2] })
  }
})

/** Acquires permits until a request has to wait. */
function sendAll({ state, now }: { readonly state: LimiterState; readonly now: number }) {
  const permits: Permit[] = []
  for (let sent = state; ; ) {
    const admission = decide(sent, RULES, now)
    if (!admission.permit) return { state: sent, permits, now }
    permits.push(admission.permit)
    sent = admission.state
  }
}

test('half of the remaining requests start immediately, and fewer if other clients have used up a part of the limit', () => {
  const goesAtOnce = (responses: readonly Partial<ObservedResponse>[]) => sendAll(after(responses)).permits.length
  expect(goesAtOnce([window(24)])).toBe(12)
  expect(goesAtOnce([window(23)])).toBe(1)
  expect(goesAtOnce([window(12)])).toBe(1)
})

/** Uses up a window, and sends the first request of a later window. */
function afterOwnWindow(probe: Partial<ObservedResponse>) {
  const { state, now } = after(Array.from({ length: 25 }, (_, index) => window(24 - index)))
  const later = now + 2 * WINDOW_MS
  const { permit, state: sent } = decide(state, RULES, later)
  if (!permit) throw new Error('The request had to wait.')
  return { state: afterResponse(sent, permit, { status: 200, isService: true, ...probe }, later, 0), now: later }
}

test('after a window without other clients, all requests except the last start immediately, and the last waits for all responses', () => {
  const burst = sendAll(afterOwnWindow(window(24, 2 * WINDOW_MS)))
  expect(burst.permits).toHaveLength(23)
  const { now } = burst
  let { state } = burst
  for (const [index, permit] of burst.permits.entries()) {
    expect(decide(state, RULES, now)).toMatchObject({ waitMs: undefined })
    const remaining = index === 0 ? 1 : 24 - index
    state = afterResponse(state, permit, { status: 200, isService: true, ...window(remaining, 2 * WINDOW_MS) }, now, 0)
    expect(expectedWaitMs(state, RULES, 0, now)).toBe(0)
  }
  expect(sendAll({ state, now }).permits).toHaveLength(1)
})

test('other clients in a window, and an unknown window in between, limit the requests that start immediately', () => {
  expect(sendAll(afterOwnWindow(window(23, 2 * WINDOW_MS))).permits).toHaveLength(1)
  expect(sendAll(afterOwnWindow(window(24, 3 * WINDOW_MS))).permits).toHaveLength(12)
})

test('a late response of an earlier window does not change the open window', () => {
  const rules = { pace: true, probes: 25 }
  const first = decide(INITIAL_STATE, rules, 0)
  const second = decide(first.state, rules, 0)
  if (!first.permit || !second.permit) throw new Error('The request had to wait.')
  const success = { status: 200, isService: true }
  const open = afterResponse(second.state, second.permit, { ...success, ...window(20, 2 * WINDOW_MS) }, 0, 0)
  const late = afterResponse(open, first.permit, { ...success, ...window(0, WINDOW_MS) }, 0, 0)
  expect(late.window).toMatchObject({ remaining: 20, resetMs: 2 * WINDOW_MS })
})

/** Sends a request that gets no response. */
function lose(state: LimiterState, now: number): LimiterState {
  const { permit, state: sent } = decide(state, RULES, now)
  if (!permit) throw new Error('The request had to wait.')
  return afterLoss(sent, permit)
}

test('a request with a lost response counts against the limit, unless a later response shows otherwise', () => {
  const last = after([window(1)])
  const lostLast = lose(last.state, last.now)
  expect(decide(lostLast, RULES, last.now)).toMatchObject({ waitMs: WINDOW_MS })
  expect(expectedWaitMs(lostLast, RULES, 0, last.now)).toBe(WINDOW_MS)

  const { state, now } = after([window(2)])
  const later = decide(lose(state, now), RULES, now)
  if (!later.permit) throw new Error('The request had to wait.')
  const settled = afterResponse(later.state, later.permit, { status: 200, isService: true, ...window(1) }, now, 0)
  expect(decide(settled, RULES, now).permit).toBeDefined()
})

test('after many consecutive lost responses, the limiter allows a probe, because the connection is probably down', () => {
  let { state, now } = after([window(6)])
  for (let loss = 0; loss < 6; loss++) state = lose(state, now)
  expect(decide(state, RULES, now).permit).toBeDefined()
})

test('an outage does not delay requests once the service responds', () => {
  let state = INITIAL_STATE
  for (let loss = 0; loss < 100; loss++) state = lose(state, 0)
  const probe = decide(state, RULES, 0)
  if (!probe.permit) throw new Error('The request had to wait.')
  state = afterResponse(probe.state, probe.permit, { status: 200, isService: true, ...window(24) }, 0, 0)
  expect(decide(state, RULES, 0).permit).toBeDefined()
})
