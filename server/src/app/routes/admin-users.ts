import {
  ACCOUNT_LIMITS,
  KINDS,
  newUserSchema,
  type ResetType,
  resetSchema,
  type User,
  type UserDetails,
  type UserList,
  userListQuerySchema,
} from '@fish-crab/sdk/contract'
import { yieldToEvents } from '../core/schedule.ts'
import { createSlices } from '../core/slices.ts'
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

/** Maximum number of players on a page with totals, because the totals of each player need one read per gamemode. */
const MAX_TOTALS = 50

const readListQuery = queryReader(userListQuerySchema)

export function userHandlers(services: Services): AdminHandlers {
  const { users, audit } = services
  return {
    async listUsers({ query, site, request: { signal } }) {
      const { limit = ACCOUNT_LIMITS.defaultPageSize, totals, ...rest } = readListQuery(query)
      if (totals !== 'true') return json(200, await users.list({ limit, ...rest }))
      const page = await users.list({ limit: Math.min(limit, MAX_TOTALS), ...rest })
      const withTotals = async () => {
        const listed: UserList['users'] = []
        // Users are read one by one, because a storage refuses operations while too many operations are waiting.
        for (const user of page.users) listed.push({ ...user, ...(await catchesOf(services, user)) })
        return listed
      }
      return json(200, { ...page, users: await services.readQueue.run({ client: site, signal, work: withTotals }) })
    },

    async createUser(context, admin) {
      const newUser = validate(newUserSchema, await readAdminJson(services, context), 'invalid_payload')
      const record = () => audit.record(context, admin.username, 'user.create', { subject: newUser.name })
      return json(201, await users.create(newUser, record))
    },

    async showUser({ params }) {
      const user = await users.require(params.name ?? '')
      const [catches, { at: lastKeyReadAt }] = await Promise.all([catchesOf(services, user), users.lastKeyRead(user)])
      return json(200, { ...user, ...catches, ...(lastKeyReadAt ? { lastKeyReadAt } : {}) } satisfies UserDetails)
    },

    async deleteUser(context, admin) {
      const name = context.params.name ?? ''
      const user = await users.find(name)
      const interrupted = user ? undefined : await users.interruptedRemoval(name)
      const { name: subject } = user ?? interrupted ?? (await users.require(name))
      await audit.record(context, admin.username, 'user.delete', { subject })
      if (interrupted) await users.finishRemoval(interrupted)
      else if (!user || !(await users.remove(user))) throw new HttpError('user_not_found')
      return empty(204)
    },

    async resetUser(context, admin) {
      const { type } = validate(resetSchema, await readAdminJson(services, context), 'invalid_payload')
      const user = await users.require(context.params.name ?? '')
      await audit.record(context, admin.username, `user.reset.${type}`, { subject: user.name })
      return json(200, await RESETS[type](users, user))
    },
  }
}

/**
 * Reads the totals and the last catch of a player. Omits the last catch if a collection has too many species. Collections
 * are read one by one, because all reads at once would be one long step.
 */
async function catchesOf(
  { storage, gamemodes }: Services,
  { id: owner }: User,
): Promise<Pick<UserDetails, 'totals' | 'lastCatch'>> {
  const totals = { fish: 0, crab: 0 }
  const slices = createSlices()
  let isComplete = true
  let at = Number.NEGATIVE_INFINITY
  let last: Pick<NonNullable<UserDetails['lastCatch']>, 'kind' | 'gamemode'> | undefined
  for (const kind of KINDS) {
    for (const gamemode of gamemodes.names) {
      const { count, species } = await storage.collectionTallies({ owner, kind, gamemode })
      totals[kind] += count
      isComplete &&= species !== null
      for await (const slice of slices(species ?? [])) {
        for (const one of slice) if (one.last > at) [at, last] = [one.last, { kind, gamemode }]
      }
      await yieldToEvents()
    }
  }
  return { totals, ...(last && isComplete ? { lastCatch: { at: new Date(at).toISOString(), ...last } } : {}) }
}
