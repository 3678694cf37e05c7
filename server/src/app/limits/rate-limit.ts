import { HEADERS } from '@fish-crab/sdk/contract'
import type { WindowCount } from '../../storage/types.ts'
import { Failure } from '../http/failure.ts'

/** How many requests a window allows. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

/** The rate-limit headers of a counted answer. `X-RateLimit-Reset` is in unix seconds, never earlier than the end. */
export function rateLimitHeaders({ requests }: RateLimit, { count, resetAt }: WindowCount): Record<string, string> {
  return {
    [HEADERS.rateLimit]: String(requests),
    [HEADERS.rateRemaining]: String(Math.max(0, requests - count)),
    [HEADERS.rateReset]: String(Math.ceil(resetAt / 1000)),
  }
}

/** Refuses a request that is one too many. `Retry-After` is in whole seconds and never too short. */
export function assertWithinLimit({ requests }: RateLimit, { count, resetAt }: WindowCount, now: number): void {
  if (count <= requests) return
  throw new Failure('rate_limited', {
    headers: { [HEADERS.retryAfter]: String(Math.max(1, Math.ceil((resetAt - now) / 1000))) },
  })
}
