import type { ErrorCode } from '../../contract/error-codes.ts'
import { backoffMs } from '../../internal/backoff.ts'
import { serviceErrorCode } from './api-error.ts'
import type { AttemptResult } from './attempt.ts'
import type { ApiRequest } from './request.ts'
import type { ApiResponse } from './response.ts'

// The statuses 408 and 425 allow a retry (RFC 9110, 15.5.9; RFC 8470, 5.2). A retry cannot help after 501 or 505 (RFC
// 9110, 15.6).
const TRANSIENT_STATUS = [408, 425, 500, 502, 503, 504]
export const TOO_MANY_STREAMS = 'too_many_streams' satisfies ErrorCode
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000
const MAX_JITTER_MS = 1000

/**
 * Returns the milliseconds to wait before the next attempt, or `undefined` if a retry cannot help or `Retry-After`
 * exceeds the longest backoff. The rate limiter handles refusals by the rate limit.
 *
 * @param response `undefined` when no response came.
 * @param failures Number of earlier failed attempts of this call.
 */
export function retryWaitMs(response: ApiResponse | undefined, failures: number, random: number): number | undefined {
  if (response && !TRANSIENT_STATUS.includes(response.status)) return undefined
  // Another stream has to end first. Retries would use up the rate limit of the client.
  if (response && serviceErrorCode(response) === TOO_MANY_STREAMS) return undefined
  const { retryAfterMs = 0 } = response ?? {}
  if (retryAfterMs > MAX_BACKOFF_MS) return undefined
  const backoff = backoffMs(failures, random, FIRST_BACKOFF_MS, MAX_BACKOFF_MS)
  return retryAfterMs > backoff ? retryAfterMs + random * MAX_JITTER_MS : backoff
}

const GONE: readonly ErrorCode[] = ['user_not_found', 'record_not_found', 'entry_not_found', 'admin_not_found']

/** Whether a deletion finds nothing to delete, because an earlier attempt succeeded although it appeared to fail. */
export function isGoneOnRetry({ route }: ApiRequest, response: ApiResponse, mayHaveChanged: boolean): boolean {
  const mayBeGone = route.method === 'DELETE' && mayHaveChanged && response.status === 404
  return mayBeGone && (GONE as readonly (string | undefined)[]).includes(serviceErrorCode(response))
}

// These system errors mean that no connection was opened, so nothing was sent.
const NEVER_OPEN = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
const UNTRUSTED = /CERT|_SIGNATURE|ERR_TLS/
const CONTENT_TOO_LARGE = 413
const INTERNAL_ERROR = 500

/**
 * Whether an attempt certainly changed no data: it was not sent, or this service rejected it. After status 500, the
 * service may have stored the change. A proxy that forwards no body of this size responds with 413.
 */
export function changedNothing({ response, error }: AttemptResult): boolean {
  if (error) return NEVER_OPEN.includes(error.systemCode ?? '') || UNTRUSTED.test(error.systemCode ?? '')
  if (response.status === CONTENT_TOO_LARGE) return true
  return response.status >= 400 && response.status !== INTERNAL_ERROR && serviceErrorCode(response) !== undefined
}
