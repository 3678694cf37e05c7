import { HEADERS } from '@fish-crab/sdk/contract'
import type { FishStorage, WindowCount } from '../../storage/types.ts'
import type { Exchange } from '../http/exchange.ts'
import { Failure } from '../http/failure.ts'

/** How many requests a window allows. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

/**
 * Counts a request, puts the rate-limit headers on its answer, and fails with `rate_limited` when it is one too many.
 * @param now unix time in milliseconds
 */
export async function countRequest(
  storage: FishStorage,
  key: string,
  { requests, windowMs }: RateLimit,
  { answerHeaders }: Exchange,
  now: number,
): Promise<void> {
  const { count, resetAt } = await storage.countInWindow(key, { limit: requests, durationMs: windowMs, now })
  answerHeaders[HEADERS.rateLimit] = String(requests)
  answerHeaders[HEADERS.rateRemaining] = String(Math.max(0, requests - count))
  // Never earlier than the window's end: a client that comes back at the second it reads here is let in.
  answerHeaders[HEADERS.rateReset] = String(Math.ceil(resetAt / 1000))
  if (count > requests) throw rateLimited({ count, resetAt }, now)
}

/** The failure of a request that is one too many. `Retry-After` is in whole seconds and never too short. */
export function rateLimited({ resetAt }: WindowCount, now: number): Failure {
  return new Failure('rate_limited', {
    headers: { [HEADERS.retryAfter]: String(Math.max(1, Math.ceil((resetAt - now) / 1000))) },
  })
}
