import { type Access, HEADERS, ROUTES } from '@fish-crab/sdk/contract'
import type { FishStorage, WindowCount } from '../../storage/types.ts'
import { sha256Hex } from '../core/bytes.ts'
import type { Logger, Metrics } from '../core/host.ts'
import type { Users } from '../users/users.ts'
import type { RequestContext } from './context.ts'
import { HttpError } from './http-error.ts'

/** What {@link createRateLimitMiddleware} builds on. */
interface RateLimitMiddlewareOptions {
  readonly storage: FishStorage
  readonly users: Users
  readonly rateLimit: RateLimit
  readonly masterApiKey: string | undefined
  readonly allowedOrigins: readonly string[]
  readonly clock: () => number
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'observeRateLimit'> | undefined
}

/** Lets a request in, or fails with `rate_limited`. */
export type RateLimitMiddleware = (context: RequestContext) => Promise<void>

const COUNTED: Access = 'public'

/**
 * Counts a public request before anything else is done with it, unless something lifts the limit. While the storage
 * cannot count, only `/status` is let in, which says so.
 */
export function createRateLimitMiddleware(options: RateLimitMiddlewareOptions): RateLimitMiddleware {
  const { storage, users, rateLimit, allowedOrigins, clock, logger, metrics } = options
  const masterHash = options.masterApiKey ? sha256Hex(options.masterApiKey) : undefined

  async function isValid(apiKey: string, context: RequestContext): Promise<boolean> {
    // Hashes are compared, not keys: how long that takes tells nothing of the key.
    if (masterHash && (await sha256Hex(apiKey)) === (await masterHash)) return true
    const owner = await users.findByApiKey(apiKey)
    if (owner) context.apiKeyUser = owner
    return owner !== undefined
  }

  async function count(context: RequestContext): Promise<void> {
    const origin = context.request.headers.get('origin')
    const fromAllowedOrigin = origin !== null && allowedOrigins.includes(origin)
    const apiKey = context.request.headers.get(HEADERS.apiKey)
    if ((apiKey && (await isValid(apiKey, context))) || fromAllowedOrigin) {
      metrics?.observeRateLimit('bypassed')
      return
    }
    try {
      await countRequest(storage, `${COUNTED}:${context.client}`, rateLimit, context, clock())
      metrics?.observeRateLimit('allowed')
    } catch (error) {
      if (error instanceof HttpError) metrics?.observeRateLimit('refused')
      throw error
    }
  }

  return async (context) => {
    if (context.access !== COUNTED) return
    try {
      await count(context)
    } catch (error) {
      if (error instanceof HttpError || context.path !== ROUTES.status.path) throw error
      logger.error({ requestId: context.requestId, err: error }, 'a request could not be counted')
    }
  }
}

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
  { responseHeaders }: RequestContext,
  now: number,
): Promise<void> {
  const { count, resetAt } = await storage.countInWindow(key, { limit: requests, durationMs: windowMs, now })
  responseHeaders[HEADERS.rateLimit] = String(requests)
  responseHeaders[HEADERS.rateRemaining] = String(Math.max(0, requests - count))
  // Never earlier than the window's end: a client that comes back at the second it reads here is let in.
  responseHeaders[HEADERS.rateReset] = String(Math.ceil(resetAt / 1000))
  if (count > requests) throw rateLimited({ count, resetAt }, now)
}

/** The failure of a request that is one too many. `Retry-After` is in whole seconds and never too short. */
export function rateLimited({ resetAt }: WindowCount, now: number): HttpError {
  return new HttpError('rate_limited', {
    headers: { [HEADERS.retryAfter]: String(Math.max(1, Math.ceil((resetAt - now) / 1000))) },
  })
}
