import type { ErrorCode } from '../../contract/error-codes.ts'
import { backoffMs } from '../../internal/backoff.ts'
import type { ApiRequest } from './request.ts'
import type { ApiResponse } from './response.ts'

// 408 and 425 ask for a retry (RFC 9110, 15.5.9; RFC 8470, 5.2); 501 and 505 are final (RFC 9110, 15.6).
const TRANSIENT_STATUS = [408, 425, 500, 502, 503, 504]
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000
const MAX_JITTER_MS = 1000

/**
 * Milliseconds to wait before a failed attempt is retried; `undefined` to give up, also if the server asks for a longer
 * wait than any backoff. The rate limiter decides about refusals by the rate limit.
 *
 * @param response `undefined` when no response came.
 * @param failures Failed attempts of this call before this one.
 */
export function retryWaitMs(response: ApiResponse | undefined, failures: number, random: number): number | undefined {
  if (response && !TRANSIENT_STATUS.includes(response.status)) return undefined
  const { retryAfterMs = 0 } = response ?? {}
  if (retryAfterMs > MAX_BACKOFF_MS) return undefined
  const backoff = backoffMs(failures, random, FIRST_BACKOFF_MS, MAX_BACKOFF_MS)
  return retryAfterMs > backoff ? retryAfterMs + random * MAX_JITTER_MS : backoff
}

const GONE: readonly ErrorCode[] = ['user_not_found', 'record_not_found', 'admin_not_found']

/** A deletion that finds nothing left after a lost response: the earlier attempt succeeded. */
export function isGoneOnRetry({ route }: ApiRequest, { status, text }: ApiResponse, failures: number): boolean {
  const mayBeGone = route.method === 'DELETE' && failures > 0 && status === 404
  return mayBeGone && GONE.some((code) => text.includes(`"${code}"`))
}
