import { type Audience, HEADERS, ROUTES } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../storage/types.ts'
import type { Exchange } from './http/exchange.ts'
import { Failure } from './http/failure.ts'
import { countRequest, type RateLimit } from './limits/rate-limit.ts'
import type { Metrics } from './metrics.ts'
import type { Logger } from './options.ts'
import { sha256Hex } from './users/digest.ts'
import type { Users } from './users/users.ts'

/** What {@link createAdmission} builds on. */
export interface AdmissionContext {
  readonly storage: FishStorage
  readonly users: Users
  readonly rateLimit: RateLimit
  readonly masterApiKey: string | undefined
  readonly allowedOrigins: readonly string[]
  readonly clock: () => number
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'observeAdmission'> | undefined
}

/** Lets a request in, or fails with `rate_limited`. */
export type Admission = (exchange: Exchange) => Promise<void>

const COUNTED: Audience = 'public'

/**
 * Counts a public request before anything else is done with it, unless something lifts the limit. While the storage
 * cannot count, only `/status` is let in, which says so.
 */
export function createAdmission(context: AdmissionContext): Admission {
  const { storage, users, rateLimit, allowedOrigins, clock, logger, metrics } = context
  const masterHash = context.masterApiKey ? sha256Hex(context.masterApiKey) : undefined

  async function isValid(apiKey: string, exchange: Exchange): Promise<boolean> {
    // Hashes are compared, not keys: how long that takes tells nothing of the key.
    if (masterHash && (await sha256Hex(apiKey)) === (await masterHash)) return true
    const owner = await users.findByApiKey(apiKey)
    if (owner) exchange.apiKeyUser = owner
    return owner !== undefined
  }

  async function count(exchange: Exchange): Promise<void> {
    const origin = exchange.request.headers.get('origin')
    const fromAllowedOrigin = origin !== null && allowedOrigins.includes(origin)
    const apiKey = exchange.request.headers.get(HEADERS.apiKey)
    if ((apiKey && (await isValid(apiKey, exchange))) || fromAllowedOrigin) {
      metrics?.observeAdmission('bypassed')
      return
    }
    try {
      await countRequest(storage, `${COUNTED}:${exchange.client}`, rateLimit, exchange, clock())
      metrics?.observeAdmission('allowed')
    } catch (error) {
      if (error instanceof Failure) metrics?.observeAdmission('refused')
      throw error
    }
  }

  return async (exchange) => {
    if (exchange.audience !== COUNTED) return
    try {
      await count(exchange)
    } catch (error) {
      if (error instanceof Failure || exchange.path !== ROUTES.status.path) throw error
      logger.error({ requestId: exchange.requestId, err: error }, 'a request could not be counted')
    }
  }
}
