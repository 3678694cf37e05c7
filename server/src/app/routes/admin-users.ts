import {
  ACCOUNT_LIMITS,
  KINDS,
  MEDIA_TYPES,
  newUserSchema,
  newUsersSchema,
  type ResetType,
  renameSchema,
  resetSchema,
  type Suspension,
  suspensionSchema,
  type User,
  type UserDetails,
  type UserLine,
  type UserList,
  userListQuerySchema,
} from '@fish-crab/sdk/contract'
import type { Admin } from '../auth/admins.ts'
import { yieldToEvents } from '../core/schedule.ts'
import { createSlices } from '../core/slices.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError, toHttpError } from '../http/http-error.ts'
import { queryReader, validate } from '../http/request.ts'
import { empty, json, textStream } from '../http/response.ts'
import type { Users } from '../users/users.ts'
import { rename } from './accounts.ts'
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
      return json(201, await users.create(newUser, { record }))
    },

    async createUsers(context, admin) {
      const body = await readAdminJson(services, context, ACCOUNT_LIMITS.usersBodyBytes)
      const { users: newUsers } = validate(newUsersSchema, body, 'invalid_payload')
      const lines = createLines(services, context, { admin, newUsers })
      return { status: 200, body: textStream(lines), headers: { 'content-type': MEDIA_TYPES.ndjson } }
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

    async renameUser(context, admin) {
      const { name } = validate(renameSchema, await readAdminJson(services, context), 'invalid_payload')
      const user = await users.require(context.params.name ?? '')
      return rename(services, context, { actor: admin.username, user, name })
    },

    async suspendUser(context, admin) {
      const { hide = false } = validate(suspensionSchema, await readAdminJson(services, context), 'invalid_payload')
      const user = await users.require(context.params.name ?? '')
      await audit.record(context, admin.username, 'user.suspend', { subject: user.name })
      await users.setFlags(user, { suspended: true, hidden: hide })
      await users.endLink(user)
      return json(200, { name: user.name, suspended: true, hidden: hide } satisfies Suspension)
    },

    async unsuspendUser(context, admin) {
      const user = await users.require(context.params.name ?? '')
      await audit.record(context, admin.username, 'user.unsuspend', { subject: user.name })
      await users.setFlags(user, { suspended: false, hidden: false })
      return json(200, { name: user.name, suspended: false, hidden: false } satisfies Suspension)
    },
  }
}

interface NewUsers {
  readonly admin: Admin
  readonly newUsers: readonly { readonly name: string; readonly password?: string | undefined }[]
}

/**
 * Creates users one after the other, each when its line is read. After an error of the service, the remaining users get
 * the same error, because each of them would wait for the service in vain.
 */
async function* createLines(
  { users, audit, sessions, logger }: Services,
  context: RequestContext,
  { admin, newUsers }: NewUsers,
): AsyncGenerator<string, void> {
  const line = (user: UserLine) => `${JSON.stringify(user)}\n`
  let failure: HttpError | undefined
  for (const { name, password } of newUsers) {
    try {
      if (failure) throw failure
      // Many users take a while, and the administrator may be deleted meanwhile.
      await sessions.require(context.request)
      const user = validate(newUserSchema, { name, password }, 'invalid_payload')
      const record = () => audit.record(context, admin.username, 'user.create', { subject: name })
      yield line({ status: 'created', ...(await users.create(user, { record })) })
    } catch (cause) {
      const error = toHttpError(cause, logger, context)
      if (error.status >= 500 || error.code === 'invalid_session') failure = error
      const { code, message, details } = error
      const reason = details?.map((one) => `${one.path}: ${one.message}`).join('. ')
      yield line({ status: 'error', name, code, error: reason || message })
    }
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
