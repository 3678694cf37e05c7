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

/** What a request that wants to pass may be told. */
interface AcquireOptions {
  readonly signal?: AbortSignal | undefined
  /** Longest wait, in milliseconds. */
  readonly budgetMs: number
  /** Whether to hold back before the server refuses. */
  readonly pace: boolean
  /** Whether it was sent before: then it goes before those that were not. */
  readonly isRetry: boolean
  /** Called when it has to wait for a window to end, and again when that end moves; with milliseconds. */
  readonly onWait: (waitMs: number) => void
}

/** A request may go, or the wait would be longer than its budget. */
type Acquisition =
  | { readonly permit: Permit; readonly waitMs?: undefined }
  | { readonly permit?: undefined; readonly waitMs: number }

/**
 * Shared by all requests that the server counts together. Every permit must be given back, by `answered`, `lost` or
 * `unsent`.
 */
export interface RateLimiter {
  /** Lets a request go as soon as the policy does. @throws the signal's reason */
  acquire(options: AcquireOptions): Promise<Acquisition>
  /** Answers whether this budget is used up: then the gate is closed, and the request may pass again later. */
  release(permit: Permit, answer: ObservedResponse): boolean
  releaseLost(permit: Permit): void
  releaseUnsent(permit: Permit): void
  /** The latest that is known of the window. */
  state(): RateLimitState | undefined
  /** Whether it can be forgotten: nobody waits or is under way, and no window is open. */
  isIdle(): boolean
}

interface Waiter {
  readonly options: AcquireOptions
  readonly since: number
  readonly settle: (acquisition: Acquisition) => void
  /** The end of its wait that it was told last. */
  reportedUntil: number
}

// Smaller moves of the end of a wait are not worth telling.
const REPORTABLE_MS = 500

/** @param probes How many requests may go at once while nothing is known. */
export function createRateLimiter(clock: Clock, random: () => number, probes: number): RateLimiter {
  const now = steadyTime(clock)
  let state = INITIAL_STATE
  // Sets keep their order, and whoever aborts leaves in constant time.
  const again = new Set<Waiter>()
  const waiting = new Set<Waiter>()
  let alarm: { readonly at: number; readonly cancel: AbortController } | undefined

  const rulesOf = ({ pace }: AcquireOptions): LimiterRules => ({ pace, probes })
  const first = (): Waiter | undefined => again.values().next().value ?? waiting.values().next().value
  const leave = (waiter: Waiter) => again.delete(waiter) || waiting.delete(waiter)

  function change(next: LimiterState): void {
    const isNews = next.window !== state.window || next.pausedUntil !== state.pausedUntil
    state = next
    if (isNews) tellWaiters()
    letGo()
  }

  /** Lets everyone go who may, and sets the alarm for the next. */
  function letGo(): void {
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
        // The wait is over, whatever the clock says: it may have been set meanwhile.
        change(afterWait(state))
      },
      () => {},
    )
  }

  /** Sends away whose budget the wait no longer fits; the others are told of it. */
  function tellWaiters(): void {
    const moment = now()
    let ahead = 0
    for (const waiter of [...again, ...waiting]) {
      const waitMs = expectedWaitMs(state, rulesOf(waiter.options), ahead, moment)
      // Who only waits for the answer to another request stays: that wait has its own end.
      if (waitMs > 0 && waitMs > waiter.options.budgetMs - (moment - waiter.since)) {
        leave(waiter)
        waiter.settle({ waitMs })
      } else {
        ahead += 1
        tell(waiter, waitMs, moment)
      }
    }
  }

  function tell(waiter: Waiter, waitMs: number, moment: number): void {
    if (waitMs === 0 || Math.abs(moment + waitMs - waiter.reportedUntil) < REPORTABLE_MS) return
    waiter.reportedUntil = moment + waitMs
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
        letGo()
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      const queue = options.isRetry ? again : waiting
      queue.add(waiter)
      tell(waiter, waitMs, since)
      letGo()
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
    release(permit, answer) {
      change(afterResponse(state, permit, answer, now(), random()))
      return isRefusal(answer)
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

/** For requests that nothing counts. */
export const UNLIMITED: RateLimiter = {
  acquire: async () => ({ permit: { number: 0, epoch: 0 } }),
  // What is refused all the same is not a matter of waiting.
  release: () => false,
  releaseLost() {},
  releaseUnsent() {},
  state: () => undefined,
  isIdle: () => true,
}
