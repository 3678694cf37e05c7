import { TimeoutError } from '../../errors/connection-errors.ts'

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
function startLimitTimer(clock: Clock, limit: 'timeoutMs' | 'deadlineMs', ms: number, onEnd: () => void): () => void {
  if (clock.setTimer) return clock.setTimer(ms, onEnd, limit)
  const timer = startTimer(ms, onEnd)
  return () => clearTimeout(timer)
}

// Timers hold 31 bits; a longer one would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Calls back once, after so many milliseconds; never, for `Infinity`. */
function startTimer(ms: number, onEnd: () => void): ReturnType<typeof setTimeout> | undefined {
  return ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(onEnd, Math.min(ms, LONGEST_TIMER_MS))
}

/**
 * Settles as the work does, but rejects with the signal's reason as soon as that aborts: what is behind the work
 * (a given `fetch`, a given clock) may not listen to signals.
 */
export async function untilAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work()
  signal.throwIfAborted()
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** A limit of time: `signal` aborts with the caller's reason, or with a TimeoutError when the time is over. */
interface TimeLimit {
  readonly signal: AbortSignal
  /** Stops the timer and the listener. */
  cancel(): void
}

/** Starts the time limit of an attempt or a call. */
export function startTimeLimit(
  clock: Clock,
  limit: 'timeoutMs' | 'deadlineMs',
  ms: number,
  signal: AbortSignal | undefined,
  timeoutError: () => TimeoutError,
): TimeLimit {
  const ending = new AbortController()
  const onAbort = () => ending.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const cancelTimer = startLimitTimer(clock, limit, ms, () => ending.abort(timeoutError()))
  return {
    signal: ending.signal,
    cancel() {
      cancelTimer()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** The deadline of a call. */
interface Deadline extends Omit<TimeLimit, 'signal'> {
  readonly signal: AbortSignal | undefined
  leftMs(): number
}

/** Starts the deadline of a call; with `Infinity`, the caller's signal alone ends it. */
export function startDeadline(
  clock: Clock,
  deadlineMs: number,
  signal: AbortSignal | undefined,
  now: () => number,
): Deadline {
  if (deadlineMs === Number.POSITIVE_INFINITY) return { signal, leftMs: () => deadlineMs, cancel() {} }
  const end = now() + deadlineMs
  const limit = startTimeLimit(clock, 'deadlineMs', deadlineMs, signal, () => {
    return new TimeoutError(`The call did not finish within ${deadlineMs} ms.`)
  })
  return { ...limit, leftMs: () => end - now() }
}

/** How long a call may still wait, its waits all together. */
export interface Budget {
  /** Milliseconds. */
  leftMs(): number
  /** Does something that waits, and counts how long it took. */
  wait<Result>(work: () => Promise<Result>): Promise<Result>
}

/** @param deadlineLeftMs What no wait may be longer than in any case. */
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
