import { HEADERS } from '../contract/headers.ts'

/** Where a client stands in the server's window. Answers that are not counted carry none. */
export interface RateLimitState {
  /** Requests allowed per window. */
  readonly limit: number
  /** Requests left in this window. */
  readonly remaining: number
  /** When the window ends, by the server's clock. */
  readonly resetAt: Date
}

const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000
// Seconds that large are five thousand years away: it is a server that counts in milliseconds.
const SURELY_MILLISECONDS = 1e11

/** The rate-limit state that an answer carries, if it does. */
export function readRateLimit(headers: Headers): RateLimitState | undefined {
  const limit = wholeNumber(headers.get(HEADERS.rateLimit))
  const remaining = wholeNumber(headers.get(HEADERS.rateRemaining))
  const resetMs = readResetMs(headers)
  if (limit === undefined || remaining === undefined || resetMs === undefined) return undefined
  return { limit, remaining, resetAt: new Date(resetMs) }
}

/**
 * How many milliseconds an answer asks to wait: `Retry-After` (RFC 9110, 10.2.3: seconds or a date), else until
 * `X-RateLimit-Reset`. Moments are held against the answer's own `Date`, so a wrong clock here does no harm.
 * Between 0 and 24 hours; `undefined` when the answer does not say.
 *
 * @param now This machine's time in milliseconds, for answers without `Date`.
 */
export function readWaitMs(headers: Headers, now: number): number | undefined {
  const serverNow = readDateMs(headers.get('date')) ?? now
  const retryAfter = headers.get(HEADERS.retryAfter)
  const seconds = wholeNumber(retryAfter)
  const until = readDateMs(retryAfter) ?? readResetMs(headers)
  const wait = seconds !== undefined ? seconds * 1000 : until !== undefined ? until - serverNow : undefined
  return wait === undefined ? undefined : Math.min(Math.max(wait, 0), LONGEST_WAIT_MS)
}

function readResetMs(headers: Headers): number | undefined {
  const reset = wholeNumber(headers.get(HEADERS.rateReset))
  if (reset === undefined) return undefined
  const ms = reset >= SURELY_MILLISECONDS ? reset : reset * 1000
  return Number.isNaN(new Date(ms).getTime()) ? undefined : ms
}

function readDateMs(value: string | null): number | undefined {
  if (value === null || wholeNumber(value) !== undefined) return undefined
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? undefined : ms
}

function wholeNumber(value: string | null): number | undefined {
  return value !== null && /^\d+$/.test(value.trim()) ? Number(value) : undefined
}
