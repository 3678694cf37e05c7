/** How one try ended without success. */
export interface FailedTry {
  /** HTTP status; `undefined` when no answer came. */
  readonly status: number | undefined
  /** Milliseconds the answer asked to wait, if it did. */
  readonly askedWaitMs: number | undefined
}

/** What happened to a call before. Part of the state of one call, never shared. */
export interface CallHistory {
  /** Tries that failed for another reason than the rate limit. */
  readonly failures: number
  /** Tries the rate limit refused. */
  readonly refusals: number
  /** Milliseconds waited so far. */
  readonly waitedMs: number
}

/** How patient a call is. */
export interface Patience {
  readonly maxRetries: number
  readonly maxWaitMs: number
}

/** Wait and send again, or give up; `waitMs` is how long the wait is, or would have been. */
export interface RetryDecision {
  readonly retry: boolean
  readonly waitMs: number
}

/** Failures that another try may heal. 501 and 505 are final by their meaning (RFC 9110, 15.6). */
const TRANSIENT_STATUS = [500, 502, 503, 504]
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 30_000
// A server that says "now" together with 429 must not be asked in a tight loop.
const SHORTEST_REFUSAL_WAIT_MS = 1000
const LONGEST_JITTER_MS = 1000

/**
 * What to do after a failed try. Jitter only adds to a wait, and never more than `maxWaitMs` leaves room for.
 *
 * @param random A number from 0 up to 1.
 */
export function decideRetry(
  failed: FailedTry,
  history: CallHistory,
  patience: Patience,
  random: number,
): RetryDecision {
  const refused = failed.status === 429
  const transient = failed.status === undefined || TRANSIENT_STATUS.includes(failed.status)
  if (!refused && (!transient || history.failures >= patience.maxRetries)) return { retry: false, waitMs: 0 }

  const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (refused ? history.refusals : history.failures), LONGEST_BACKOFF_MS)
  const asked = failed.askedWaitMs ?? backoff
  const needed = refused ? Math.max(asked, SHORTEST_REFUSAL_WAIT_MS) : Math.max(asked, backoff)
  const room = patience.maxWaitMs - history.waitedMs - needed
  if (room < 0) return { retry: false, waitMs: needed }
  return { retry: true, waitMs: needed + Math.min(random * Math.min(LONGEST_JITTER_MS, needed), room) }
}
