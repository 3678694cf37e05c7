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
  let before = { wall: steady, monotonic: monotonic() }
  return () => {
    const now = { wall: clock.now(), monotonic: monotonic() }
    steady += Math.max(now.wall - before.wall, now.monotonic - before.monotonic, 0)
    before = now
    return steady
  }
}

/**
 * Settles with the outcome of the work, but rejects with the caller's reason as soon as `signal` aborts, or with a
 * `TimeoutError` after `ms` milliseconds, even if the work ignores its signal.
 */
export async function withTimeLimit<Result>(
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: number; readonly signal: AbortSignal | undefined },
  timeoutError: () => TimeoutError,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController()
  let cancel = () => {}
  try {
    return await new Promise<Result>((resolve, reject) => {
      const end = (reason: unknown) => {
        ending.abort(reason)
        reject(reason)
      }
      const onAbort = () => end(signal?.reason)
      const onEnd = () => end(timeoutError())
      signal?.addEventListener('abort', onAbort, { once: true })
      const timer = clock.setTimer ? undefined : startTimer(ms, onEnd)
      const cancelTimer = clock.setTimer?.(ms, onEnd)
      cancel = () => {
        clearTimeout(timer)
        cancelTimer?.()
        signal?.removeEventListener('abort', onAbort)
      }
      work(ending.signal).then(resolve, reject)
    })
  } finally {
    cancel()
  }
}
