const FIRST_MS = 1000
const LONGEST_MS = 5 * 60_000
const SHORTEST_REFUSAL_WAIT_MS = 1000
const LONGEST_JITTER_MS = 1000

/** How long the background looks away while nothing is to be done; others may add to a shared store meanwhile. */
const IDLE_MS = 30_000

/**
 * Milliseconds until the rate limit lets something through: never before, and never at once, whatever the answer said.
 *
 * @param random A number from 0 up to 1.
 */
export function limitWaitMs(until: number, now: number, random: number): number {
  return Math.max(until - now, SHORTEST_REFUSAL_WAIT_MS) + random * LONGEST_JITTER_MS
}

/** What is known after a flush in the background. */
export interface FlushOutcome {
  /** Flushes in a row that left something behind for a failure, this one included. */
  readonly failures: number
  /** Milliseconds since 1970: when the rate limit ends, if it was in the way. */
  readonly limitedUntil?: number | undefined
  /** Milliseconds since 1970: when the first lease of another process ends, if one was in the way. */
  readonly leasedUntil?: number | undefined
}

/**
 * Milliseconds until the background flushes again: after the limit or the lease that was in the way, else 1 s after
 * the first failure and twice as long after each further one, up to 5 minutes; 30 s when all is well.
 *
 * @param random A number from 0 up to 1. It lengthens waits by up to 1 s, and after failures by up to half.
 */
export function nextFlushMs(
  { failures, limitedUntil, leasedUntil }: FlushOutcome,
  now: number,
  random: number,
): number {
  if (limitedUntil !== undefined) return limitWaitMs(limitedUntil, now, random)
  if (failures > 0) return Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS) * (1 + random / 2)
  if (leasedUntil !== undefined) return Math.min(Math.max(leasedUntil - now, 0) + random * LONGEST_JITTER_MS, IDLE_MS)
  return IDLE_MS
}
