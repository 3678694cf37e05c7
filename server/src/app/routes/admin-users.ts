import {
  LIMITS,
  newUserSchema,
  type ResetType,
  resetSchema,
  type User,
  userListQuerySchema,
} from '@fish-crab/sdk/contract'
import type { AdminHandler } from '../auth/admin-access.ts'
import { empty, json } from '../http/answer.ts'
import { readJson } from '../http/body.ts'
import { Failure } from '../http/failure.ts'
import { validate, validateQuery } from '../http/validate.ts'
import type { Services } from '../services.ts'
import type { Users } from '../users/users.ts'

const SECRET = { 'cache-control': 'no-store' }

/** `GET /admin/users`. */
export function listUsersHandler(services: Services): AdminHandler {
  return async ({ query }) => {
    const { limit = LIMITS.defaultPageSize, ...rest } = validateQuery(userListQuerySchema, query)
    return json(200, await services.users.list({ limit, ...rest }))
  }
}

/** `POST /admin/users`. */
export function createUserHandler(services: Services): AdminHandler {
  return async (exchange, admin) => {
    const newUser = validate(newUserSchema, await readJson(exchange.request), 'invalid_payload')
    if (await services.users.find(newUser.name)) throw new Failure('user_exists')
    await services.audit.record(exchange, admin.username, 'user.create', newUser.name)
    return json(201, await services.users.create(newUser), SECRET)
  }
}

/** `GET /admin/users/:name`. */
export function showUserHandler(services: Services): AdminHandler {
  return async ({ params }) => json(200, await services.users.require(params.name ?? ''))
}

/** `DELETE /admin/users/:name`. */
export function deleteUserHandler(services: Services): AdminHandler {
  return async (exchange, admin) => {
    const user = await services.users.require(exchange.params.name ?? '')
    await services.audit.record(exchange, admin.username, 'user.delete', user.name)
    if (!(await services.users.remove(user))) throw new Failure('user_not_found')
    return empty(204)
  }
}

const RESETS: Readonly<Record<ResetType, (users: Users, user: User) => Promise<Record<string, string>>>> = {
  password: async (users, user) => ({ password: await users.resetPassword(user) }),
  fernet: async (users, user) => ({ fernetKey: await users.resetFernetKey(user) }),
  'api-key': async (users, user) => ({ apiKey: await users.resetApiKey(user) }),
}

/** `POST /admin/users/:name/reset`. */
export function resetUserHandler(services: Services): AdminHandler {
  return async (exchange, admin) => {
    const { type } = validate(resetSchema, await readJson(exchange.request), 'invalid_payload')
    const user = await services.users.require(exchange.params.name ?? '')
    await services.audit.record(exchange, admin.username, `user.reset.${type}`, user.name)
    return json(200, await RESETS[type](services.users, user), SECRET)
  }
}
