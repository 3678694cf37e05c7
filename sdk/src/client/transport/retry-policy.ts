/** How one try ended without success. */
export interface FailedTry {
  /** HTTP status; `undefined` when no answer came. */
  readonly status: number | undefined
  /** Milliseconds the answer asked to wait, if it did. */
  readonly askedWaitMs: number | undefined
}

/** How patient a call still is. */
export interface Patience {
  /** Further tries. */
  readonly retries: number
  /** Milliseconds of waiting. */
  readonly waitMs: number
}

/**
 * Failures that another try may heal: 408 and 425 ask for one (RFC 9110, 15.5.9; RFC 8470, 5.2), 501 and 505 are final by
 * their meaning (RFC 9110, 15.6).
 */
const TRANSIENT_STATUS: readonly (number | undefined)[] = [undefined, 408, 425, 500, 502, 503, 504]
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 30_000
const LONGEST_JITTER_MS = 1000

/**
 * How many milliseconds to wait before a failed try is made again; `undefined` to give up. Refusals by the rate limit
 * are not decided here but by the gate. Jitter only adds to a wait, and never more than there is patience for.
 *
 * @param failures Failed tries of this call, this one not counted.
 * @param random A number from 0 up to 1.
 */
export function retryWaitMs(
  failed: FailedTry,
  failures: number,
  patience: Patience,
  random: number,
): number | undefined {
  if (!TRANSIENT_STATUS.includes(failed.status) || patience.retries <= 0) return undefined
  const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** failures, LONGEST_BACKOFF_MS)
  const needed = Math.max(failed.askedWaitMs ?? 0, backoff)
  const room = patience.waitMs - needed
  return room < 0 ? undefined : needed + Math.min(random * Math.min(LONGEST_JITTER_MS, needed), room)
}
