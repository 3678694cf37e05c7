import type { RateLimitState } from '@fish-crab/sdk'

/** What the service said of its rate limit. */
export interface Allowance {
  /** Requests a window. */
  readonly limit: number
  /** Requests that are left in this window. */
  readonly remaining: number
  /** Milliseconds until the window ends. */
  readonly resetInMs: number
}

/** What says when to look again. All times are milliseconds since 1970. */
export interface Looked {
  readonly startedAt: number
  readonly answeredAt: number
  readonly intervalMs: number
  /** Nothing where the limit does not hold, as with an API key. */
  readonly allowance?: Allowance | undefined
}

/** The part of a window that is left to other commands of the same person. */
const LEFT_TO_OTHERS = 0.2
/** However wrong clocks are. */
const LONGEST_PAUSE_MS = 3_600_000

/**
 * When to look again: after the interval, or later, so that what is left of the window lasts until its end and a fifth
 * of it stays for others.
 * @example nextLookAt({ startedAt: 0, answeredAt: 100, intervalMs: 15_000 }) // 15_000
 */
export function nextLookAt({ startedAt, answeredAt, intervalMs, allowance }: Looked): number {
  const usual = Math.max(startedAt + intervalMs, answeredAt)
  if (!allowance) return usual
  const { limit, remaining, resetInMs } = allowance
  const ours = Math.max(0, remaining - Math.ceil(limit * LEFT_TO_OTHERS))
  // One pause more than requests: behind the last one begins the next window.
  const pauseMs = Math.min(Math.ceil(resetInMs / (ours + 1)), LONGEST_PAUSE_MS)
  return Math.max(usual, answeredAt + pauseMs)
}

/** When to look again after a look that failed. @param resetAt When the rate limit ends, where it was that */
export function nextTryAt({ startedAt, answeredAt, intervalMs }: Looked, resetAt: number | undefined): number {
  const usual = Math.max(startedAt + intervalMs, answeredAt)
  return resetAt === undefined ? usual : Math.max(usual, Math.min(resetAt, answeredAt + LONGEST_PAUSE_MS))
}

/**
 * Reads what an answer says. Times are held against its own `Date`: a wrong clock of this machine does no harm.
 * @param date The `Date` header. @param now This machine's time, for answers without
 */
export function allowanceOf(
  state: RateLimitState | undefined,
  date: string | null,
  now: number,
): Allowance | undefined {
  if (!state) return undefined
  const serverNow = date === null ? Number.NaN : Date.parse(date)
  const { limit, remaining, resetAt } = state
  return {
    limit,
    remaining,
    resetInMs: Math.max(0, resetAt.getTime() - (Number.isNaN(serverNow) ? now : serverNow)),
  }
}
