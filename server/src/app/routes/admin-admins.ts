import { auditQuerySchema, LIMITS, newAdminSchema } from '@fish-crab/sdk/contract'
import type { Admin } from '../auth/admins.ts'
import { empty, json } from '../http/answer.ts'
import { readJson } from '../http/body.ts'
import { Failure } from '../http/failure.ts'
import { validate, validateQuery } from '../http/validate.ts'
import type { Handler, Services } from '../services.ts'
import { forAdmins } from './admin-session.ts'

/** `GET /admin/me`. */
export function adminMeHandler(services: Services): Handler {
  return forAdmins(services, async (_exchange, admin) => json(200, shown(admin)))
}

/** `GET /admin/admins`. */
export function listAdminsHandler(services: Services): Handler {
  return forAdmins(services, async () => json(200, { admins: (await services.admins.list()).map(shown) }), 'superadmin')
}

/** `POST /admin/admins`. */
export function createAdminHandler(services: Services): Handler {
  return forAdmins(
    services,
    async (exchange, admin) => {
      const { username, password, role } = validate(newAdminSchema, await readJson(exchange.request), 'invalid_payload')
      const created = await services.admins.create(username, password, role)
      if (!created) throw new Failure('admin_exists')
      await services.audit.record(exchange, admin.username, 'admin.create', created.username)
      return json(201, shown(created))
    },
    'superadmin',
  )
}

/** `DELETE /admin/admins/:username`. */
export function deleteAdminHandler(services: Services): Handler {
  return forAdmins(
    services,
    async (exchange, admin) => {
      const username = exchange.params.username ?? ''
      await services.admins.remove(username)
      await services.audit.record(exchange, admin.username, 'admin.delete', username)
      return empty(204)
    },
    'superadmin',
  )
}

/** `GET /admin/audit`. */
export function auditHandler(services: Services): Handler {
  return forAdmins(services, async ({ query }) => {
    const { limit = LIMITS.defaultPageSize, cursor } = validateQuery(auditQuerySchema, query)
    return json(200, await services.audit.list({ limit, cursor }))
  })
}

function shown({ username, role, createdAt }: Admin) {
  return { username, role, createdAt }
}
