import type { RateLimitState } from '../../errors/fish-crab-error.ts'
import { type Clock, steadyTime } from '../core/timing.ts'
import {
  afterLoss,
  afterResponse,
  afterUnsent,
  afterWait,
  decide,
  expectedWaitMs,
  INITIAL_STATE,
  isRefusal,
  type LimiterRules,
  type LimiterState,
  type ObservedResponse,
  type Permit,
} from './policy.ts'

interface AcquireOptions {
  readonly signal?: AbortSignal | undefined
  /** Longest wait, in milliseconds. */
  readonly budgetMs: number
  /** Whether to wait before the server would reject a request. */
  readonly pace: boolean
  /** Whether the request was sent before. Retries get permits first. */
  readonly isRetry: boolean
  /**
   * Called with the expected wait in milliseconds when the request has to wait for the next window, and again when the
   * expected end changes.
   */
  readonly onWait: (waitMs: number) => void
}

/** A permit, or the wait that exceeds the budget. */
type Acquisition =
  | { readonly permit: Permit; readonly waitMs?: undefined }
  | { readonly permit?: undefined; readonly waitMs: number }

/** A rate limiter for all requests that the server counts together. The caller must release every permit. */
export interface RateLimiter {
  /**
   * Resolves when the policy permits the request, or when the wait would exceed the budget. @throws the signal's reason
   */
  acquire(options: AcquireOptions): Promise<Acquisition>
  /**
   * Releases a permit after a response. @returns whether the response is a rejection by this limit, so that the caller
   * can send the request again later
   */
  release(permit: Permit, response: ObservedResponse): boolean
  /** Releases a permit after an attempt without a response. */
  releaseLost(permit: Permit): void
  /** Releases a permit whose request was not sent. */
  releaseUnsent(permit: Permit): void
  /** The latest known window. */
  state(): RateLimitState | undefined
  /** Whether the limiter can be discarded: no request waits or is in flight, and no window is open. */
  isIdle(): boolean
}

interface Waiter {
  readonly options: AcquireOptions
  readonly since: number
  readonly settle: (acquisition: Acquisition) => void
  /** The end of the wait that `onWait` reported last. */
  reportedUntil: number
}

// `onWait` does not report smaller changes of the end of a wait.
const REPORTABLE_MS = 500

/** @param probes Number of requests that may be in flight while the state is unknown. */
export function createRateLimiter(clock: Clock, random: () => number, probes: number): RateLimiter {
  const now = steadyTime(clock)
  let state = INITIAL_STATE
  // Sets keep the order of insertion and delete in constant time.
  const again = new Set<Waiter>()
  const waiting = new Set<Waiter>()
  let alarm: { readonly at: number; readonly cancel: AbortController } | undefined

  const rulesOf = ({ pace }: AcquireOptions): LimiterRules => ({ pace, probes })
  const first = (): Waiter | undefined => again.values().next().value ?? waiting.values().next().value
  const leave = (waiter: Waiter) => again.delete(waiter) || waiting.delete(waiter)

  function change(next: LimiterState): void {
    const isNews = next.window !== state.window || next.pausedUntil !== state.pausedUntil
    state = next
    if (isNews) notifyWaiters()
    grantPermits()
  }

  /** Grants permits in order, and sets the alarm for the next permit. */
  function grantPermits(): void {
    for (let waiter = first(); waiter; waiter = first()) {
      const decision = decide(state, rulesOf(waiter.options), now())
      state = decision.state
      if (!decision.permit) {
        setAlarm(decision.waitMs)
        return
      }
      leave(waiter)
      waiter.settle({ permit: decision.permit })
    }
    setAlarm(undefined)
  }

  function setAlarm(waitMs: number | undefined): void {
    const at = waitMs === undefined ? undefined : now() + waitMs
    if (alarm?.at === at) return
    alarm?.cancel.abort()
    alarm = undefined
    if (at === undefined || waitMs === undefined) return
    const set = { at, cancel: new AbortController() }
    alarm = set
    clock.sleep(waitMs, set.cancel.signal).then(
      () => {
        if (alarm !== set) return
        alarm = undefined
        // End the wait without reading the clock, which may have been changed meanwhile.
        change(afterWait(state))
      },
      () => {},
    )
  }

  /** Rejects waiters whose budget no longer covers the wait, and notifies the rest. */
  function notifyWaiters(): void {
    const time = now()
    let ahead = 0
    for (const waiter of [...again, ...waiting]) {
      const waitMs = expectedWaitMs(state, rulesOf(waiter.options), ahead, time)
      // Only a known wait counts against the budget. A wait for another request's response (`waitMs` 0) ends with that
      // response.
      if (waitMs > 0 && waitMs > waiter.options.budgetMs - (time - waiter.since)) {
        leave(waiter)
        waiter.settle({ waitMs })
      } else {
        ahead += 1
        notify(waiter, waitMs, time)
      }
    }
  }

  function notify(waiter: Waiter, waitMs: number, time: number): void {
    if (waitMs === 0 || Math.abs(time + waitMs - waiter.reportedUntil) < REPORTABLE_MS) return
    waiter.reportedUntil = time + waitMs
    waiter.options.onWait(waitMs)
  }

  function wait(options: AcquireOptions, ahead: number): Promise<Acquisition> {
    const since = now()
    const waitMs = expectedWaitMs(state, rulesOf(options), ahead, since)
    if (waitMs > 0 && waitMs > options.budgetMs) return Promise.resolve({ waitMs })
    const { signal } = options
    return new Promise((resolve, reject) => {
      const settle = (acquisition: Acquisition) => {
        signal?.removeEventListener('abort', onAbort)
        resolve(acquisition)
      }
      const waiter: Waiter = { options, since, settle, reportedUntil: 0 }
      const onAbort = () => {
        leave(waiter)
        reject(signal?.reason)
        grantPermits()
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      const queue = options.isRetry ? again : waiting
      queue.add(waiter)
      notify(waiter, waitMs, since)
      grantPermits()
    })
  }

  return {
    async acquire(options) {
      options.signal?.throwIfAborted()
      if (first()) return wait(options, again.size + (options.isRetry ? 0 : waiting.size))
      const decision = decide(state, rulesOf(options), now())
      state = decision.state
      return decision.permit ? { permit: decision.permit } : wait(options, 0)
    },
    release(permit, response) {
      change(afterResponse(state, permit, response, now(), random()))
      return isRefusal(response)
    },
    releaseLost: (permit) => change(afterLoss(state, permit)),
    releaseUnsent: (permit) => change(afterUnsent(state, permit)),
    state: () => {
      const { window } = state
      return window && { limit: window.limit, remaining: window.remaining, resetAt: new Date(window.resetMs) }
    },
    isIdle: () => !first() && state.inFlight === 0 && now() >= Math.max(state.window?.endsAt ?? 0, state.pausedUntil),
  }
}

/** A limiter for requests that are not counted. */
export const UNLIMITED: RateLimiter = {
  acquire: async () => ({ permit: { number: 0, epoch: 0 } }),
  // A rejection cannot come from this limit, so the caller must not wait for this limit and send the request again.
  release: () => false,
  releaseLost() {},
  releaseUnsent() {},
  state: () => undefined,
  isIdle: () => true,
}
