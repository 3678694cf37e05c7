import type { Authentication } from '@fish-crab/sdk/contract'
import type { Answer } from '../http/answer.ts'
import type { Exchange } from '../http/exchange.ts'
import { Failure } from '../http/failure.ts'
import { countRequest } from '../limits/rate-limit.ts'
import type { Handler, Services } from '../services.ts'
import type { Admin } from './admins.ts'

/** Answers one request of an administrator who has been let in. */
export type AdminHandler = (exchange: Exchange, admin: Admin) => Promise<Answer> | Answer

/**
 * Puts what the contract says of a route's authentication in front of its handler: administrators alone, each within
 * a rate limit of their own, and where it says so superadmins alone. All other routes let everybody through to their
 * handler.
 */
export function guarded(services: Services, auth: Authentication, handle: AdminHandler | Handler): Handler {
  if (auth !== 'admin' && auth !== 'superadmin') return handle as Handler
  const { sessions, storage, clock, adminRateLimit } = services
  return async (exchange) => {
    const admin = await sessions.require(exchange.request)
    await countRequest(storage, `admin:${admin.id}`, adminRateLimit, exchange, clock())
    if (auth === 'superadmin' && admin.role !== 'superadmin') throw new Failure('forbidden')
    return handle(exchange, admin)
  }
}
