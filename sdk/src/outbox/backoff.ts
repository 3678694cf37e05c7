const FIRST_MS = 1000
const MAX_MS = 5 * 60_000
const MIN_LIMIT_WAIT_MS = 1000
const MAX_JITTER_MS = 1000

/** Poll interval while idle: other processes may add to a shared store. */
const IDLE_MS = 30_000

/** Not before the rate limit allows requests again, and at least 1 s, even if the response says less. */
export function rateLimitWaitMs(until: number, now: number, random: number): number {
  return Math.max(until - now, MIN_LIMIT_WAIT_MS) + random * MAX_JITTER_MS
}

export interface FlushOutcome {
  /** Consecutive flushes with failures, this one included. */
  readonly failures: number
  /** End of the rate-limit window in milliseconds since 1970, if the flush was limited. */
  readonly limitedUntil?: number | undefined
  /** End of the first lease of another process in milliseconds since 1970, if there is one. */
  readonly leasedUntil?: number | undefined
}

/**
 * Milliseconds until the background flushes again: at the end of the limit or the lease, else with a backoff of 1 s
 * that doubles with each failure up to 5 minutes; 30 s without failures.
 *
 * @param random A number from 0 up to 1. It lengthens waits by up to 1 s, and after failures by up to half.
 */
export function nextFlushDelayMs(
  { failures, limitedUntil, leasedUntil }: FlushOutcome,
  now: number,
  random: number,
): number {
  if (limitedUntil !== undefined) return rateLimitWaitMs(limitedUntil, now, random)
  if (failures > 0) return Math.min(FIRST_MS * 2 ** (failures - 1), MAX_MS) * (1 + random / 2)
  if (leasedUntil !== undefined) return Math.min(Math.max(leasedUntil - now, 0) + random * MAX_JITTER_MS, IDLE_MS)
  return IDLE_MS
}
