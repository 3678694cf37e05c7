import { TimeoutError } from '../errors/connection-errors.ts'
import { type Clock, startLimit } from './clock.ts'

/** What ends a call from outside: its caller's signal, or its deadline. */
export interface Deadline {
  /** Aborts with the caller's reason, or with a TimeoutError. */
  readonly signal: AbortSignal | undefined
  /** Milliseconds that are left. */
  leftMs(): number
  /** Lets go of timer and listeners. */
  close(): void
}

/** Starts a deadline; without one, the caller's signal is all there is. */
export function startDeadline(
  signal: AbortSignal | undefined,
  deadlineMs: number,
  clock: Clock,
  now: () => number,
): Deadline {
  if (deadlineMs === Number.POSITIVE_INFINITY) return { signal, leftMs: () => deadlineMs, close() {} }
  const ending = new AbortController()
  const end = now() + deadlineMs
  const onAbort = () => ending.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const cancel = startLimit(clock, 'deadlineMs', deadlineMs, () => {
    ending.abort(new TimeoutError(`The call did not come to its end within ${deadlineMs} ms.`))
  })
  return {
    signal: ending.signal,
    leftMs: () => end - now(),
    close() {
      cancel()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}
