import type { TimeoutError } from '../../errors/connection-errors.ts'
import { sleep, startTimer } from '../../internal/wait.ts'

/**
 * A source of time. Pass a fake clock to test code that waits. A client with a fake clock shares rate limiters only
 * with clients that have the same clock.
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Calls `onEnd` once after `ms` milliseconds (may be `Infinity`), and returns a function that cancels the timer. Used
   * to limit the time of each attempt.
   * @default setTimeout
   */
  setTimer?(ms: number, onEnd: () => void): () => void
}

/** The system's clock. */
export const systemClock: Clock = { now: () => Date.now(), sleep }

/** The system's clock, with sleeps that do not keep a process alive. */
export const idleClock: Clock = { ...systemClock, sleep: (ms, signal) => sleep(ms, signal, { ref: false }) }

/**
 * Creates a clock in milliseconds that never goes backwards and includes the time during which the system was
 * suspended. The clock compares the system's wall clock and monotonic clock, and uses the larger advance.
 */
export function steadyTime(clock: Clock): () => number {
  const monotonic = () => (clock === systemClock ? performance : clock).now()
  let steady = clock.now()
  let before = [steady, monotonic()] as const
  return () => {
    const now = [clock.now(), monotonic()] as const
    steady += Math.max(now[0] - before[0], now[1] - before[1], 0)
    before = now
    return steady
  }
}

/** Starts the time limit of an attempt: `signal` aborts with the caller's reason, or when the time is over. */
export function startTimeLimit(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  timeoutError: () => TimeoutError,
) {
  const ending = new AbortController()
  const onAbort = () => ending.abort(signal?.reason)
  const onEnd = () => ending.abort(timeoutError())
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer = clock.setTimer ? undefined : startTimer(ms, onEnd)
  const cancelTimer = clock.setTimer?.(ms, onEnd)
  return {
    signal: ending.signal,
    /** Stops the timer and the listener. */
    cancel() {
      clearTimeout(timer)
      cancelTimer?.()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}
