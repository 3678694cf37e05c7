import { loginSchema } from '@fish-crab/sdk/contract'
import { json } from '../http/answer.ts'
import { readJson } from '../http/body.ts'
import { validate } from '../http/validate.ts'
import type { Handler, Services } from '../services.ts'

/** `POST /admin/login`: credentials for a session. */
export function loginHandler({ credentials, sessions, audit }: Services): Handler {
  return async (exchange) => {
    const { username, password } = validate(loginSchema, await readJson(exchange.request), 'invalid_payload')
    const admin = await credentials.authenticateAdmin({ name: username, password }, exchange)
    await audit.record(exchange, admin.username, 'login')
    return json(200, await sessions.open(admin), { 'cache-control': 'no-store' })
  }
}
