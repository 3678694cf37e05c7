import { startTimer } from './timer.ts'

/** Time as the client sees it. Give your own to test code that waits: what the rate limit leaves, it then has alone. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds since some moment, which setting the machine's clock does not change. @default now */
  monotonic?(): number
  /** Resolves after `ms` milliseconds; should reject with the signal's reason when that aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Calls back once, when `ms` milliseconds (perhaps `Infinity`) have passed; what it returns cancels that. Requests and
   * calls are timed by it. @default a timer of the machine
   */
  setTimer?(ms: number, onEnd: () => void, limit: 'timeoutMs' | 'deadlineMs'): () => void
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleepOnTimer(ms, signal),
}

/** The machine's own clock, whose waits do not keep a process alive. */
export const idleClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // A number in browsers, which have no process to keep alive.
  sleep: (ms, signal) => sleepOnTimer(ms, signal, (timer) => (timer as Partial<NodeJS.Timeout>).unref?.()),
}

function sleepOnTimer(
  ms: number,
  signal: AbortSignal | undefined,
  onStart?: (timer: NonNullable<ReturnType<typeof startTimer>>) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // A signal that has aborted already tells no listener of it.
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = startTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    if (timer !== undefined) onStart?.(timer)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/**
 * Milliseconds that never go backwards, whatever the clock is set to, and that know of the time a machine slept: of
 * the two times a clock has, the one that went on further counts.
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

/** Starts a timer for one of the limits of a call. @returns cancels it */
export function startLimit(clock: Clock, limit: 'timeoutMs' | 'deadlineMs', ms: number, onEnd: () => void): () => void {
  if (clock.setTimer) return clock.setTimer(ms, onEnd, limit)
  const timer = startTimer(ms, onEnd)
  return () => clearTimeout(timer)
}
