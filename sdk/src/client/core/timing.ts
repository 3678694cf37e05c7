import { TimeoutError } from '../../errors/connection-errors.ts'
import { sleep, startTimer } from '../../internal/wait.ts'

/** A source of time. Pass your own to test code that waits; its clients share no rate limiter with others. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds since any fixed time, unaffected by changes of the system's clock. @default now */
  monotonic?(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Calls back once after `ms` milliseconds (may be `Infinity`), and returns a function that cancels that. Times attempts
   * and calls. @default setTimeout
   */
  setTimer?(ms: number, onEnd: () => void, limit: 'timeoutMs' | 'deadlineMs'): () => void
}

/** The system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
}

/** The system's clock, with sleeps that do not keep a process alive. */
export const idleClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, signal, { ref: false }),
}

/**
 * Milliseconds that never go backwards and include the time that the system was suspended: of the wall clock and the
 * monotonic clock, the one that advanced further counts.
 */
export function steadyTime(clock: Clock): () => number {
  const monotonic = () => clock.monotonic?.() ?? clock.now()
  let steady = clock.now()
  let [wall, elapsed] = [steady, monotonic()]
  return () => {
    const [wallNow, elapsedNow] = [clock.now(), monotonic()]
    steady += Math.max(wallNow - wall, elapsedNow - elapsed, 0)
    wall = wallNow
    elapsed = elapsedNow
    return steady
  }
}

function startLimitTimer(clock: Clock, limit: 'timeoutMs' | 'deadlineMs', ms: number, onEnd: () => void): () => void {
  if (clock.setTimer) return clock.setTimer(ms, onEnd, limit)
  const timer = startTimer(ms, onEnd)
  return () => clearTimeout(timer)
}

/** Starts the time limit of an attempt or a call: `signal` aborts with the caller's reason, or when the time is over. */
export function startTimeLimit(
  clock: Clock,
  limit: 'timeoutMs' | 'deadlineMs',
  ms: number,
  signal: AbortSignal | undefined,
  timeoutError: () => TimeoutError,
) {
  const ending = new AbortController()
  const onAbort = () => ending.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const cancelTimer = startLimitTimer(clock, limit, ms, () => ending.abort(timeoutError()))
  return {
    signal: ending.signal,
    /** Stops the timer and the listener. */
    cancel() {
      cancelTimer()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Starts the deadline of a call; with `Infinity`, the caller's signal alone ends it. */
export function startDeadline(clock: Clock, deadlineMs: number, signal: AbortSignal | undefined, now: () => number) {
  if (deadlineMs === Number.POSITIVE_INFINITY) return { signal, leftMs: () => deadlineMs, cancel() {} }
  const end = now() + deadlineMs
  const limit = startTimeLimit(clock, 'deadlineMs', deadlineMs, signal, () => {
    return new TimeoutError(`The call did not finish within ${deadlineMs} ms.`)
  })
  return { ...limit, leftMs: () => end - now() }
}

export interface Budget {
  /** Milliseconds. */
  leftMs(): number
  /** Runs work that waits, and subtracts its duration. */
  wait<Result>(work: () => Promise<Result>): Promise<Result>
}

/** @param deadlineLeftMs Milliseconds until the deadline of the call. */
export function startBudget(maxWaitMs: number, deadlineLeftMs: () => number, now: () => number): Budget {
  let waitedMs = 0
  return {
    leftMs: () => Math.min(maxWaitMs - waitedMs, deadlineLeftMs()),
    async wait(work) {
      const since = now()
      try {
        return await work()
      } finally {
        waitedMs += now() - since
      }
    },
  }
}
