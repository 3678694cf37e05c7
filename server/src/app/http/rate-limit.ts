import { type Access, HEADERS, ROUTES, type User } from '@fish-crab/sdk/contract'
import { type FishStorage, WINDOWS_PER_KIND, type WindowCount } from '../../storage/core/types.ts'
import { sha256Hex } from '../core/bytes.ts'
import type { Logger, Metrics } from '../core/host.ts'
import type { RequestContext, StoredKey } from './context.ts'
import { HttpError } from './http-error.ts'

/** Maximum number of requests in a time window. */
export interface RateLimit {
  /** Maximum number of requests in a window. */
  readonly requests: number
  /** Length of a window in milliseconds. */
  readonly windowMs: number
}

interface PublicRateLimitOptions {
  readonly storage: FishStorage
  readonly users: {
    find(name: string): Promise<User | undefined>
    lastKey(name: string): Promise<StoredKey | undefined>
    findByApiKeyHash(hash: string): Promise<User | undefined>
  }
  readonly rateLimit: RateLimit
  readonly masterApiKey: string | undefined
  readonly allowedOrigins: readonly string[]
  readonly clock: () => number
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'observeRateLimit'> | undefined
}

/** Counts a request unless an API key or an allowed origin lifts the limit. Throws `rate_limited` above the limit. */
export type PublicRateLimit = (context: RequestContext) => Promise<void>

/** The access of the routes whose requests are counted before their handlers run. */
export const LIMITED: Access = 'public'
const WINDOWS_PER_SITE = WINDOWS_PER_KIND / 10
/** The owner of the master key. No user has this id. */
const MASTER = 'master'

/**
 * Creates the limit of public requests. While the storage cannot count, only requests to `/status` pass, because this
 * route reports the outage.
 */
export function createPublicRateLimit(options: PublicRateLimitOptions): PublicRateLimit {
  const { storage, users, rateLimit, allowedOrigins, clock, logger, metrics } = options
  const masterHash = options.masterApiKey ? sha256Hex(options.masterApiKey) : undefined

  async function isValid(apiKey: string, context: RequestContext): Promise<boolean> {
    // Compare hashes, so that the time of the comparison reveals nothing about the key.
    const hash = await sha256Hex(apiKey)
    if (masterHash && hash === (await masterHash)) {
      context.keyOwner = MASTER
      return true
    }
    const owner = await users.findByApiKeyHash(hash)
    if (!owner) return false
    context.apiKeyUser = owner
    context.keyOwner = owner.id
    return !owner.suspended
  }

  /**
   * A site may open only a tenth of the windows that a storage holds. Otherwise, one network could exhaust all windows,
   * and new clients would be refused.
   */
  async function countSite({ site }: RequestContext, key: string, now: number): Promise<void> {
    const window = { durationMs: rateLimit.windowMs, limit: WINDOWS_PER_SITE, now }
    const ofSite = await storage.countInWindow(`${LIMITED}-site:${site}`, window)
    if (ofSite.count <= WINDOWS_PER_SITE) return
    await storage.countInWindow(key, { durationMs: rateLimit.windowMs, limit: rateLimit.requests, now, by: -1 })
    throw rateLimited(ofSite, now)
  }

  /** Whether an API key or an allowed origin lifts the limit. */
  async function isUnlimited(context: RequestContext): Promise<boolean> {
    const { headers } = context.request
    const apiKey = headers.get(HEADERS.apiKey)
    if (apiKey && (await isValid(apiKey, context))) return true
    const origin = headers.get('origin')
    return origin !== null && allowedOrigins.includes(origin)
  }

  async function count(context: RequestContext): Promise<void> {
    const name = context.query.get('name')
    // Start both lookups before the count, so that all three share a round trip to Redis.
    if (name) context.namedUser = users.find(name)
    if (name && context.request.method === 'POST') context.namedKey = users.lastKey(name)
    for (const lookup of [context.namedUser, context.namedKey]) lookup?.catch(() => {})
    const now = clock()
    const key = `${LIMITED}:${context.client}`
    const { count } = await countRequest(storage, key, rateLimit, context, now)
    if (count === 1 && context.site !== context.client) await countSite(context, key, now)
  }

  return async (context) => {
    try {
      const isCounted = !(await isUnlimited(context))
      if (isCounted) await count(context)
      metrics?.observeRateLimit(isCounted ? 'allowed' : 'bypassed')
    } catch (error) {
      if (error instanceof HttpError) metrics?.observeRateLimit('refused')
      else if (context.path === ROUTES.status.path) {
        logger.error({ requestId: context.requestId, err: error }, 'a request could not be counted')
        return
      }
      throw error
    }
  }
}

/** Counts a request, and adds the rate-limit headers to the response. Throws `rate_limited` above the limit. */
export async function countRequest(
  storage: FishStorage,
  key: string,
  { requests, windowMs }: RateLimit,
  { responseHeaders }: RequestContext,
  now: number,
): Promise<WindowCount> {
  const { count, resetAt } = await storage.countInWindow(key, { limit: requests, durationMs: windowMs, now })
  responseHeaders[HEADERS.rateLimit] = String(requests)
  responseHeaders[HEADERS.rateRemaining] = String(Math.max(0, requests - count))
  // Round up, so that a request at the given second is in the next window.
  responseHeaders[HEADERS.rateReset] = String(Math.ceil(resetAt / 1000))
  if (count > requests) throw rateLimited({ count, resetAt }, now)
  return { count, resetAt }
}

export function rateLimited({ resetAt }: WindowCount, now: number): HttpError {
  return new HttpError('rate_limited', {
    headers: { [HEADERS.retryAfter]: String(Math.max(1, Math.ceil((resetAt - now) / 1000))) },
  })
}
