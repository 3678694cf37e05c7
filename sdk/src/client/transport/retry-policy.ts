/** A failed attempt, and what is left of its call. */
interface FailedAttempt {
  /** HTTP status; `undefined` when no response came. */
  readonly status: number | undefined
  /** Milliseconds to wait by `Retry-After`. */
  readonly retryAfterMs: number | undefined
  /** Failed attempts of this call before this one. */
  readonly failures: number
  readonly retriesLeft: number
  /** Milliseconds that the call may still wait. */
  readonly waitLeftMs: number
}

// 408 and 425 ask for a retry (RFC 9110, 15.5.9; RFC 8470, 5.2); 501 and 505 are final (RFC 9110, 15.6).
const TRANSIENT_STATUS: readonly (number | undefined)[] = [undefined, 408, 425, 500, 502, 503, 504]
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000
const MAX_JITTER_MS = 1000

/**
 * Milliseconds to wait before a failed attempt is retried; `undefined` to give up. The rate limiter, not this, decides
 * about refusals by the rate limit. Jitter lengthens a wait, but never beyond what is left of the call.
 */
export function retryWaitMs(failed: FailedAttempt, random: number): number | undefined {
  const { status, retryAfterMs = 0, failures, retriesLeft, waitLeftMs } = failed
  if (!TRANSIENT_STATUS.includes(status) || retriesLeft <= 0) return undefined
  const needed = Math.max(retryAfterMs, Math.min(FIRST_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS))
  const room = waitLeftMs - needed
  return room < 0 ? undefined : needed + Math.min(random * Math.min(MAX_JITTER_MS, needed), room)
}
