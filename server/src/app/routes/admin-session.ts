import { loginSchema, ROUTES } from '@fish-crab/sdk/contract'
import type { HTTPResponse } from 'h3'
import type { Admin } from '../auth/admins.ts'
import { json } from '../http/answer.ts'
import { readJson } from '../http/body.ts'
import type { Exchange } from '../http/exchange.ts'
import { Failure } from '../http/failure.ts'
import { validate } from '../http/validate.ts'
import { assertWithinLimit, rateLimitHeaders } from '../limits/rate-limit.ts'
import type { Handler, Services } from '../services.ts'

/** `POST /admin/login`: credentials for a session. */
export function loginHandler({ credentials, sessions, audit }: Services): Handler {
  return async (exchange) => {
    const { username, password } = validate(loginSchema, await readJson(exchange.request), 'invalid_payload')
    const admin = await credentials.authenticateAdmin({ name: username, password }, exchange.client)
    await audit.record(exchange, admin.username, 'login')
    return json(200, await sessions.open(admin), { 'cache-control': 'no-store' })
  }
}

/** What an administrator's handler gets beside the exchange: who is asking. */
export type AdminHandler = (exchange: Exchange, admin: Admin) => Promise<HTTPResponse>

/** A handler that only administrators reach, each within a rate limit of their own. */
export function forAdmins(services: Services, handle: AdminHandler, role?: 'superadmin'): Handler {
  const { sessions, storage, clock, adminRateLimit } = services
  return async (exchange) => {
    const admin = await sessions.require(exchange.request)
    const now = clock()
    const window = { limit: adminRateLimit.requests, durationMs: adminRateLimit.windowMs, now }
    const count = await storage.countInWindow(`${ROUTES.listUsers.audience}:${admin.id}`, window)
    for (const [name, value] of Object.entries(rateLimitHeaders(adminRateLimit, count))) {
      exchange.answerHeaders.set(name, value)
    }
    assertWithinLimit(adminRateLimit, count, now)
    if (role === 'superadmin' && admin.role !== 'superadmin') throw new Failure('forbidden')
    return handle(exchange, admin)
  }
}
