/** How an attempt failed. */
interface FailedAttempt {
  /** HTTP status; `undefined` when no response came. */
  readonly status: number | undefined
  /** Milliseconds to wait by `Retry-After`. */
  readonly retryAfterMs: number | undefined
}

/** What is left of a call. */
interface Patience {
  /** Retries. */
  readonly retries: number
  /** Milliseconds of waiting. */
  readonly waitMs: number
}

// 408 and 425 ask for a retry (RFC 9110, 15.5.9; RFC 8470, 5.2); 501 and 505 are final (RFC 9110, 15.6).
const TRANSIENT_STATUS: readonly (number | undefined)[] = [undefined, 408, 425, 500, 502, 503, 504]
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000
const MAX_JITTER_MS = 1000

/**
 * Milliseconds to wait before a failed attempt is retried; `undefined` to give up. The rate limiter, not this, decides
 * about refusals by the rate limit. Jitter lengthens a wait, but never beyond what is left of the call.
 *
 * @param failures Failed attempts of this call before this one.
 * @param random A number from 0 up to 1.
 */
export function retryWaitMs(
  failed: FailedAttempt,
  failures: number,
  patience: Patience,
  random: number,
): number | undefined {
  if (!TRANSIENT_STATUS.includes(failed.status) || patience.retries <= 0) return undefined
  const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS)
  const needed = Math.max(failed.retryAfterMs ?? 0, backoff)
  const room = patience.waitMs - needed
  return room < 0 ? undefined : needed + Math.min(random * Math.min(MAX_JITTER_MS, needed), room)
}
