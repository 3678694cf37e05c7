import { auditQuerySchema, LIMITS, newAdminSchema } from '@fish-crab/sdk/contract'
import type { AdminHandler } from '../auth/admin-access.ts'
import type { Admin } from '../auth/admins.ts'
import { empty, json } from '../http/answer.ts'
import { readJson } from '../http/body.ts'
import { Failure } from '../http/failure.ts'
import { validate, validateQuery } from '../http/validate.ts'
import type { Services } from '../services.ts'

/** `GET /admin/me`. */
export function adminMeHandler(): AdminHandler {
  return async (_exchange, admin) => json(200, shown(admin))
}

/** `GET /admin/admins`. */
export function listAdminsHandler(services: Services): AdminHandler {
  return async () => json(200, { admins: (await services.admins.list()).map(shown) })
}

/** `POST /admin/admins`. */
export function createAdminHandler(services: Services): AdminHandler {
  return async (exchange, admin) => {
    const { username, password, role } = validate(newAdminSchema, await readJson(exchange.request), 'invalid_payload')
    if (await services.admins.find(username)) throw new Failure('admin_exists')
    await services.audit.record(exchange, admin.username, 'admin.create', username)
    const created = await services.admins.create(username, password, role)
    if (!created) throw new Failure('admin_exists')
    return json(201, shown(created))
  }
}

/** `DELETE /admin/admins/:username`. */
export function deleteAdminHandler(services: Services): AdminHandler {
  return async (exchange, admin) => {
    const gone = await services.admins.find(exchange.params.username ?? '')
    if (!gone) throw new Failure('admin_not_found')
    await services.audit.record(exchange, admin.username, 'admin.delete', gone.username)
    await services.admins.remove(gone.username)
    return empty(204)
  }
}

/** `GET /admin/audit`. */
export function auditHandler(services: Services): AdminHandler {
  return async ({ query }) => {
    const { limit = LIMITS.defaultPageSize, cursor } = validateQuery(auditQuerySchema, query)
    return json(200, await services.audit.list({ limit, cursor }))
  }
}

function shown({ username, role, createdAt }: Admin) {
  return { username, role, createdAt }
}
