import {
  ACCOUNT_LIMITS,
  KINDS,
  newUserSchema,
  type ResetType,
  resetSchema,
  type User,
  type UserDetails,
  userListQuerySchema,
} from '@fish-crab/sdk/contract'
import { HttpError } from '../http/http-error.ts'
import { queryReader, validate } from '../http/request.ts'
import { empty, json } from '../http/response.ts'
import type { Users } from '../users/users.ts'
import { readAdminJson } from './parameters.ts'
import type { AdminHandlers, Services } from './services.ts'

type Reset = (users: Users, user: User) => Promise<Record<string, string>>

const RESETS: Readonly<Record<ResetType, Reset>> = {
  password: async (users, user) => ({ password: await users.resetPassword(user) }),
  fernet: async (users, user) => ({ fernetKey: await users.resetFernetKey(user) }),
  'api-key': async (users, user) => ({ apiKey: await users.resetApiKey(user) }),
}

const readListQuery = queryReader(userListQuerySchema)

export function userHandlers(services: Services): AdminHandlers {
  const { users, audit } = services
  return {
    async listUsers({ query }) {
      const { limit = ACCOUNT_LIMITS.defaultPageSize, ...rest } = readListQuery(query)
      return json(200, await users.list({ limit, ...rest }))
    },

    async createUser(context, admin) {
      const newUser = validate(newUserSchema, await readAdminJson(services, context), 'invalid_payload')
      const record = () => audit.record(context, admin.username, 'user.create', newUser.name)
      return json(201, await users.create(newUser, record))
    },

    async showUser({ params }) {
      const user = await users.require(params.name ?? '')
      const [lastCatchAt, lastKeyReadAt] = await Promise.all([lastCatch(services, user), users.lastKeyRead(user)])
      const known = { ...(lastCatchAt ? { lastCatchAt } : {}), ...(lastKeyReadAt ? { lastKeyReadAt } : {}) }
      return json(200, { ...user, ...known } satisfies UserDetails)
    },

    async deleteUser(context, admin) {
      const user = await users.require(context.params.name ?? '')
      await audit.record(context, admin.username, 'user.delete', user.name)
      if (!(await users.remove(user))) throw new HttpError('user_not_found')
      return empty(204)
    },

    async resetUser(context, admin) {
      const { type } = validate(resetSchema, await readAdminJson(services, context), 'invalid_payload')
      const user = await users.require(context.params.name ?? '')
      await audit.record(context, admin.username, `user.reset.${type}`, user.name)
      return json(200, await RESETS[type](users, user))
    },
  }
}

/** By the times of catches, from what is counted by species; collections with too many species are left out. */
async function lastCatch({ storage, gamemodes }: Services, { id: owner }: User): Promise<string | undefined> {
  const collections = KINDS.flatMap((kind) => gamemodes.names.map((gamemode) => ({ owner, kind, gamemode })))
  const tallies = await Promise.all(collections.map((collection) => storage.collectionTallies(collection)))
  const species = tallies.flatMap((one) => one.species ?? [])
  const last = species.reduce((latest, one) => Math.max(latest, one.last), Number.NEGATIVE_INFINITY)
  return Number.isFinite(last) ? new Date(last).toISOString() : undefined
}
