import {
  LIMITS,
  newUserSchema,
  type ResetType,
  resetSchema,
  type User,
  userListQuerySchema,
} from '@fish-crab/sdk/contract'
import { HttpError } from '../http/http-error.ts'
import { validate, validateQuery } from '../http/request.ts'
import { empty, json } from '../http/response.ts'
import type { Users } from '../users/users.ts'
import { readAdminJson } from './parameters.ts'
import type { AdminHandler, Services } from './services.ts'

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
  return async (context, admin) => {
    const newUser = validate(newUserSchema, await readAdminJson(services, context), 'invalid_payload')
    if (await services.users.find(newUser.name)) throw new HttpError('user_exists')
    await services.audit.record(context, admin.username, 'user.create', newUser.name)
    return json(201, await services.users.create(newUser), SECRET)
  }
}

/** `GET /admin/users/:name`. */
export function showUserHandler(services: Services): AdminHandler {
  return async ({ params }) => json(200, await services.users.require(params.name ?? ''))
}

/** `DELETE /admin/users/:name`. */
export function deleteUserHandler(services: Services): AdminHandler {
  return async (context, admin) => {
    const user = await services.users.require(context.params.name ?? '')
    await services.audit.record(context, admin.username, 'user.delete', user.name)
    if (!(await services.users.remove(user))) throw new HttpError('user_not_found')
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
  return async (context, admin) => {
    const { type } = validate(resetSchema, await readAdminJson(services, context), 'invalid_payload')
    const user = await services.users.require(context.params.name ?? '')
    await services.audit.record(context, admin.username, `user.reset.${type}`, user.name)
    return json(200, await RESETS[type](services.users, user), SECRET)
  }
}
