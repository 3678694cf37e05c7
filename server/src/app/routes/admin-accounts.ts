import { auditQuerySchema, LIMITS, loginSchema, newAdminSchema } from '@fish-crab/sdk/contract'
import type { Admin } from '../auth/admins.ts'
import { HttpError } from '../http/http-error.ts'
import { readJson, validate, validateQuery } from '../http/request.ts'
import { empty, json } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { readAdminJson } from './parameters.ts'
import type { AdminHandler, Services } from './services.ts'

/** `GET /admin/me`. */
export function adminMeHandler(): AdminHandler {
  return async (_context, admin) => json(200, toAccount(admin))
}

/** `GET /admin/admins`. */
export function listAdminsHandler(services: Services): AdminHandler {
  return async () => json(200, { admins: (await services.admins.list()).map(toAccount) })
}

/** `POST /admin/admins`. */
export function createAdminHandler(services: Services): AdminHandler {
  return async (context, admin) => {
    const { username, password, role } = validate(
      newAdminSchema,
      await readAdminJson(services, context),
      'invalid_payload',
    )
    if (await services.admins.find(username)) throw new HttpError('admin_exists')
    await services.audit.record(context, admin.username, 'admin.create', username)
    const created = await services.admins.create(username, password, role, admin.id)
    if (!created) {
      await services.sessions.require(context.request)
      throw new HttpError('admin_exists')
    }
    return json(201, toAccount(created))
  }
}

/** `DELETE /admin/admins/:username`. */
export function deleteAdminHandler(services: Services): AdminHandler {
  return async (context, admin) => {
    const existing = await services.admins.find(context.params.username ?? '')
    if (!existing) throw new HttpError('admin_not_found')
    await services.admins.checkRemoval(existing.username)
    await services.audit.record(context, admin.username, 'admin.delete', existing.username)
    await services.admins.remove(existing.username)
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

function toAccount({ username, role, createdAt }: Admin) {
  return { username, role, createdAt }
}

/** `POST /admin/login`: credentials for a session. */
export function loginHandler({ credentials, sessions, audit }: Services): Handler {
  return async (context) => {
    const { username, password } = validate(loginSchema, await readJson(context.request), 'invalid_payload')
    const admin = await credentials.authenticateAdmin({ name: username, password }, context)
    await audit.record(context, admin.username, 'login')
    return json(200, await sessions.open(admin), { 'cache-control': 'no-store' })
  }
}
