import {
  ACCOUNT_LIMITS,
  adminPasswordChangeSchema,
  auditQuerySchema,
  loginSchema,
  type NewPassword,
  newAdminSchema,
  type OwnAccount,
} from '@fish-crab/sdk/contract'
import type { Admin } from '../auth/admins.ts'
import { HttpError } from '../http/http-error.ts'
import { queryReader, readJson, validate } from '../http/request.ts'
import { empty, json } from '../http/response.ts'
import { readAdminJson } from './parameters.ts'
import type { AdminHandlers, Services } from './services.ts'

const readAuditQuery = queryReader(auditQuerySchema)

export function accountHandlers(services: Services): AdminHandlers {
  const { admins, audit, credentials, sessions, gamemodes, publicUrl, clock, version } = services
  return {
    async adminLogin(context) {
      const { username, password } = validate(loginSchema, await readJson(context), 'invalid_payload')
      const admin = await credentials.authenticateAdmin({ name: username, password }, context)
      await audit.record(context, admin.username, 'login')
      return json(200, await sessions.open(admin))
    },

    async adminLogout(context, admin) {
      await audit.record(context, admin.username, 'logout')
      await sessions.end(context.request)
      return empty(204)
    },

    adminMe: (_context, admin) =>
      json(200, {
        ...toAccount(admin),
        timestamp: new Date(clock()).toISOString(),
        version,
        gamemodes: [...gamemodes.names],
        ...(publicUrl && { publicUrl }),
      } satisfies OwnAccount),

    async changeAdminPassword(context, admin) {
      const body = await readAdminJson(services, context)
      const { password, newPassword } = validate(adminPasswordChangeSchema, body, 'invalid_payload')
      await credentials.authenticateAdmin({ name: admin.username, password }, context)
      await audit.record(context, admin.username, 'admin.password', { subject: admin.username })
      if (!(await admins.changePassword(admin, newPassword))) throw new HttpError('invalid_credentials')
      return empty(204)
    },

    listAdmins: async () => json(200, { admins: (await admins.list()).map(toAccount) }),

    async createAdmin(context, admin) {
      const body = await readAdminJson(services, context)
      const { username, password, role } = validate(newAdminSchema, body, 'invalid_payload')
      if (await admins.find(username)) throw new HttpError('admin_exists')
      await audit.record(context, admin.username, 'admin.create', { subject: username })
      const created = await admins.create(username, password, role, admin.id)
      if (!created) {
        await sessions.require(context.request)
        throw new HttpError('admin_exists')
      }
      return json(201, toAccount(created))
    },

    async deleteAdmin(context, admin) {
      const existing = await admins.find(context.params.username ?? '')
      if (!existing) throw new HttpError('admin_not_found')
      await admins.checkRemoval(existing.username)
      await audit.record(context, admin.username, 'admin.delete', { subject: existing.username })
      await admins.remove(existing.username)
      return empty(204)
    },

    async resetAdmin(context, admin) {
      const existing = await admins.find(context.params.username ?? '')
      if (!existing) throw new HttpError('admin_not_found')
      await audit.record(context, admin.username, 'admin.reset.password', { subject: existing.username })
      return json(200, { password: await admins.resetPassword(existing.username) } satisfies NewPassword)
    },

    async audit({ query }) {
      const { limit = ACCOUNT_LIMITS.defaultPageSize, ...wanted } = readAuditQuery(query)
      return json(200, await audit.list({ limit, ...wanted }))
    },
  }
}

function toAccount({ username, role, createdAt }: Admin) {
  return { username, role, createdAt }
}
