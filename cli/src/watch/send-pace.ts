import type { RateLimitState } from '@fish-crab/sdk'
import { LIMITS } from '@fish-crab/sdk/constants'

const USUAL_MS = 2000
/** The part of a window that is left to whatever else the player does. */
const RESERVE = 0.4

/**
 * Milliseconds that a catch waits for others to be sent with it: the usual while at least half of what may be used of
 * the window is left, then so long that the rest lasts until its end, and until that end where only the reserve is left.
 *
 * @param state What the service said last; nothing where the limit does not hold, as with an API key.
 */
export function sendPauseMs(state: RateLimitState | undefined, now: number): number {
  if (!state) return USUAL_MS
  const { limit, remaining, resetAt } = state
  // However wrong this clock is, no window is longer.
  const restMs = Math.min(Math.max(resetAt.getTime() - now, 0), LIMITS.windowSeconds * 1000)
  const reserve = Math.ceil(limit * RESERVE)
  const ours = remaining - reserve
  if (ours >= (limit - reserve) / 2) return USUAL_MS
  return Math.max(USUAL_MS, Math.ceil(restMs / Math.max(1, ours + 1)))
}
