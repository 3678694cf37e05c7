import {
  LIMITS,
  newUserSchema,
  type ResetType,
  resetSchema,
  type User,
  userListQuerySchema,
} from '@fish-crab/sdk/contract'
import { empty, json } from '../http/answer.ts'
import { readJson } from '../http/body.ts'
import { Failure } from '../http/failure.ts'
import { validate, validateQuery } from '../http/validate.ts'
import type { Handler, Services } from '../services.ts'
import type { Users } from '../users/users.ts'
import { forAdmins } from './admin-session.ts'

const SECRET = { 'cache-control': 'no-store' }

/** `GET /admin/users`. */
export function listUsersHandler(services: Services): Handler {
  return forAdmins(services, async ({ query }) => {
    const { limit = LIMITS.defaultPageSize, ...rest } = validateQuery(userListQuerySchema, query)
    return json(200, await services.users.list({ limit, ...rest }))
  })
}

/** `POST /admin/users`. */
export function createUserHandler(services: Services): Handler {
  return forAdmins(services, async (exchange, admin) => {
    const newUser = validate(newUserSchema, await readJson(exchange.request), 'invalid_payload')
    const user = await services.users.create(newUser)
    await services.audit.record(exchange, admin.username, 'user.create', user.name)
    return json(201, user, SECRET)
  })
}

/** `GET /admin/users/:name`. */
export function showUserHandler(services: Services): Handler {
  return forAdmins(services, async ({ params }) => json(200, await services.users.require(params.name ?? '')))
}

/** `DELETE /admin/users/:name`. */
export function deleteUserHandler(services: Services): Handler {
  return forAdmins(
    services,
    async (exchange, admin) => {
      const user = await services.users.require(exchange.params.name ?? '')
      if (!(await services.users.remove(user))) throw new Failure('user_not_found')
      await services.audit.record(exchange, admin.username, 'user.delete', user.name)
      return empty(204)
    },
    'superadmin',
  )
}

const RESETS: Readonly<Record<ResetType, (users: Users, user: User) => Promise<Record<string, string>>>> = {
  password: async (users, user) => ({ password: await users.resetPassword(user) }),
  fernet: async (users, user) => ({ fernetKey: await users.resetFernetKey(user) }),
  'api-key': async (users, user) => ({ apiKey: await users.resetApiKey(user) }),
}

/** `POST /admin/users/:name/reset`. */
export function resetUserHandler(services: Services): Handler {
  return forAdmins(services, async (exchange, admin) => {
    const { type } = validate(resetSchema, await readJson(exchange.request), 'invalid_payload')
    const user = await services.users.require(exchange.params.name ?? '')
    const secret = await RESETS[type](services.users, user)
    await services.audit.record(exchange, admin.username, `user.reset.${type}`, user.name)
    return json(200, secret, SECRET)
  })
}
