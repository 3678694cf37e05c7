import { HEADERS } from '../../contract/headers.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { RateLimitState } from '../../errors/fish-crab-error.ts'
import type { ObservedResponse } from '../rate-limiter/policy.ts'
import type { RawResponse } from './request.ts'

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

/** What an answer tells the gate. */
export function observedResponse({ status, headers }: RawResponse, now: number): ObservedResponse {
  const told = readRateLimit(headers)
  const resetMs = told?.resetAt.getTime()
  return {
    status,
    isService: headers.has(HEADERS.requestId),
    ...(told && resetMs !== undefined
      ? {
          window: {
            limit: told.limit,
            remaining: told.remaining,
            resetMs,
            waitMs: msUntil(resetMs, headers, now),
          },
        }
      : {}),
    ...(status === 429 ? { retryMs: readWaitMs(headers, now) } : {}),
  }
}

/**
 * How many milliseconds a refused request has to wait: as `Retry-After` says, else until `X-RateLimit-Reset`.
 * `undefined` when the answer does not say.
 *
 * @param now This machine's time in milliseconds, for answers without `Date`.
 */
export function readWaitMs(headers: Headers, now: number): number | undefined {
  const resetMs = readResetMs(headers)
  return readRetryAfterMs(headers, now) ?? (resetMs === undefined ? undefined : msUntil(resetMs, headers, now))
}

/** `Retry-After` in milliseconds (RFC 9110, 10.2.3: seconds or a date); `undefined` when it says neither. */
export function readRetryAfterMs(headers: Headers, now: number): number | undefined {
  const retryAfter = headers.get(HEADERS.retryAfter)
  const seconds = wholeNumber(retryAfter)
  if (seconds !== undefined) return Math.min(seconds * 1000, LONGEST_WAIT_MS)
  const until = readDateMs(retryAfter)
  return until === undefined ? undefined : msUntil(until, headers, now)
}

/**
 * Milliseconds until a moment of the server's clock. It is held against the answer's own `Date`, so that a wrong clock
 * here does no harm. Browsers hide that header from other origins: then no wait is believed to be longer than one
 * whole window, for it may only be this clock that is wrong. Never below 0 or above 24 hours.
 */
function msUntil(moment: number, headers: Headers, now: number): number {
  const serverNow = readDateMs(headers.get('date'))
  const wait = moment - (serverNow ?? now)
  return Math.min(Math.max(wait, 0), serverNow === undefined ? LIMITS.windowSeconds * 1000 : LONGEST_WAIT_MS)
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
