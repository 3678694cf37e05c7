import { HEADERS } from '../../contract/headers.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { RateLimitState } from '../../errors/fish-crab-error.ts'
import type { ObservedResponse } from '../rate-limiter/policy.ts'
import type { ApiRequest, Redactor } from './request.ts'

/** Sends the request of one call, and retries until a response is final. */
export type Transport = (request: ApiRequest) => Promise<ApiResponse>

/** A completely read response, with the parsed values of its headers. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly requestId: string | undefined
  /** Absent when the request was not counted. */
  readonly rateLimit: RateLimitState | undefined
  /** Milliseconds to wait, from `Retry-After`. */
  readonly retryAfterMs: number | undefined
  /** Milliseconds until the window ends, from `X-RateLimit-Reset`. */
  readonly resetMs: number | undefined
}

/** @param now This machine's time in milliseconds, for responses without `Date`. */
export function readResponse(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  text: string,
  redact: Redactor,
  now: number,
): ApiResponse {
  const limit = wholeNumber(headers.get(HEADERS.rateLimit))
  const remaining = wholeNumber(headers.get(HEADERS.rateRemaining))
  const resetAtMs = readResetMs(headers)
  const isCounted = limit !== undefined && remaining !== undefined && resetAtMs !== undefined
  return {
    status,
    headers,
    text,
    requestId: readRequestId(headers, redact),
    rateLimit: isCounted ? { limit, remaining, resetAt: new Date(resetAtMs) } : undefined,
    retryAfterMs: readRetryAfterMs(headers, now),
    resetMs: resetAtMs === undefined ? undefined : msUntil(resetAtMs, headers, now),
  }
}

export function readRequestId(headers: Headers, redact: Redactor): string | undefined {
  return redact(headers.get(HEADERS.requestId) ?? undefined)
}

export function isSuccess({ status }: ApiResponse): boolean {
  return status >= 200 && status < 300
}

export function observedResponse(response: ApiResponse): ObservedResponse {
  const { status, requestId, rateLimit, retryAfterMs, resetMs: waitMs = 0 } = response
  return {
    status,
    isService: requestId !== undefined,
    retryMs: status === 429 ? (retryAfterMs ?? response.resetMs) : undefined,
    window: rateLimit && { ...rateLimit, resetMs: rateLimit.resetAt.getTime(), waitMs },
  }
}

/**
 * `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3). Some proxies send decimals. Invalid values are
 * ignored.
 */
function readRetryAfterMs(headers: Headers, now: number): number | undefined {
  const retryAfter = headers.get(HEADERS.retryAfter)
  if (/^\d+(\.\d+)?$/.test(retryAfter ?? '')) return Math.min(Math.ceil(Number(retryAfter)) * 1000, MAX_WAIT_MS)
  const until = readDateMs(retryAfter)
  return until === undefined ? undefined : msUntil(until, headers, now)
}

const MAX_WAIT_MS = 24 * 60 * 60 * 1000

/**
 * Returns the milliseconds until a time by the server's clock, at least 0 and at most 24 hours. The response's `Date`
 * gives the server's current time, so a wrong client clock does no harm. Browsers hide `Date` in cross-origin
 * responses. In that case the client's clock is used, and the wait is limited to one window because this clock may be
 * wrong.
 */
function msUntil(time: number, headers: Headers, now: number): number {
  const serverNow = readDateMs(headers.get('date'))
  const wait = time - (serverNow ?? now)
  return Math.min(Math.max(wait, 0), serverNow === undefined ? LIMITS.windowSeconds * 1000 : MAX_WAIT_MS)
}

// Larger values must be milliseconds: as seconds, they would be thousands of years away.
const MIN_MILLISECONDS = 1e11

function readResetMs(headers: Headers): number | undefined {
  const reset = wholeNumber(headers.get(HEADERS.rateReset))
  if (reset === undefined) return undefined
  const ms = reset >= MIN_MILLISECONDS ? reset : reset * 1000
  return Number.isNaN(new Date(ms).getTime()) ? undefined : ms
}

// `Date.parse` also reads texts such as `-5` and `5, 10` as dates. All forms of HTTP start with a weekday (RFC 9110, 5.6.7).
const HTTP_DATE = /^(Sun|Mon|Tue|Wed|Thu|Fri|Sat)/

function readDateMs(value: string | null): number | undefined {
  if (value === null || !HTTP_DATE.test(value)) return undefined
  // The oldest form has no time zone.
  const ms = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  return Number.isNaN(ms) ? undefined : ms
}

function wholeNumber(value: string | null): number | undefined {
  return value !== null && /^\d+$/.test(value.trim()) ? Number(value) : undefined
}
