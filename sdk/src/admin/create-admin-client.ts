import type { CallOptions } from '../client/core/call-options.ts'
import { limitsOf } from '../client/core/call-options.ts'
import { steadyTime } from '../client/core/timing.ts'
import { type ApiPromise, apiPromise, call, type ResponseMeta } from '../client/transport/call.ts'
import { createTransport, type Transport } from '../client/transport/transport.ts'
import { userNameKey } from '../contract/names.ts'
import { ADMIN_ROUTES } from '../contract/routes.ts'
import type { Session } from '../contract/schemas/admin.ts'
import { type AdminClientOptions, type Credentials, readAdminOptions, requireCredentials } from './admin-options.ts'
import { type AdminsResource, createAdmins } from './admins.ts'
import { type AdminCrabsResource, type AdminFishResource, createAdminCrabs, createAdminFish } from './catches.ts'
import { type AuditResource, createAudit, createReports, type Reports } from './reports.ts'
import { type Doubt, jsonBody, once, untilGone } from './requests.ts'
import { authorized, createSessionKeeper, type Login } from './session.ts'
import { sessionShape } from './shapes.generated.ts'
import { type AdminKeysResource, createAdminKeys, createUsers, type UsersResource } from './users.ts'

/** An administrator's client. Holds its secrets where neither `JSON.stringify` nor a log of the object finds them. */
export interface AdminClient extends Reports {
  /**
   * Logs in now. Calls do so by themselves when no session is open or the open one is about to end; this finds out
   * early whether name and password are right, or tries them again after they were refused. Who calls at the same time
   * shares one login. `token` is a secret: it opens everything that the password does, until `expiresAt`.
   *
   * @throws AuthenticationError for a wrong name or password, which is not tried again; RateLimitError after too many
   *   of those, at once; ValidationError when the client has a `token` alone; ApiError, ConnectionError.
   * @example
   * const { expiresAt } = await admin.login()
   */
  login(options?: Pick<CallOptions, 'signal'>): ApiPromise<Session & ResponseMeta>
  readonly users: UsersResource
  readonly fish: AdminFishResource
  readonly crabs: AdminCrabsResource
  readonly admins: AdminsResource
  readonly audit: AuditResource
  readonly keys: AdminKeysResource
}

/**
 * A client for the administrators of a Fish and Crab Collection Service. It logs in at the first call, shares one
 * session among all calls and renews it before it ends; how long it lives is read by the server's clock. A call that
 * finds the session over logs in and is sent once more.
 *
 * Credentials that the server refused are not sent again unasked for 300 s: it counts 10 failed logins per address and
 * 300 s. Calls fail with the same AuthenticationError meanwhile, and `login` tries again.
 *
 * Reads and deletions are tried again after lost answers as with `createClient`; writes that would happen twice are
 * not, and their errors say what to look at.
 *
 * @throws ValidationError with every invalid option.
 * @example
 * const admin = createAdminClient({ baseUrl: 'https://fish.example', username: 'admin', password })
 * const { fernetKey } = await admin.users.create({ name: 'Alex' })
 * const { leaderboard } = await admin.leaderboard({ type: 'fish', gamemode: 'earth' })
 */
export function createAdminClient(options: AdminClientOptions): AdminClient {
  const { settings, credentials, token } = readAdminOptions(options)
  const transport = createTransport(settings)
  const session = createSessionKeeper({
    logIn: (signal) => logIn(transport, credentials, signal),
    canLogIn: credentials !== undefined,
    given: token,
    now: steadyTime(settings.clock),
  })
  const login = async (options: Pick<CallOptions, 'signal'>) => {
    limitsOf(options, settings)
    return session.login(options.signal)
  }
  const limiter = `admin:${userNameKey(credentials?.username ?? '')}`
  const withSession = (inner: Transport) => authorized(inner, { session, settings, limiter })
  const context = {
    read: withSession(transport),
    remove: withSession(untilGone(transport)),
    once: (doubt: Doubt) => withSession(once(transport, doubt)),
  }
  return Object.freeze({
    login: (options = {}) => apiPromise(login(options)),
    ...createReports(context),
    users: createUsers(context),
    fish: createAdminFish(context),
    crabs: createAdminCrabs(context),
    admins: createAdmins(context),
    audit: createAudit(context),
    keys: createAdminKeys(transport, credentials),
  } satisfies AdminClient)
}

function logIn(transport: Transport, credentials: Credentials | undefined, signal: AbortSignal): Promise<Login> {
  return call(
    transport,
    () => ({
      route: ADMIN_ROUTES.adminLogin,
      ...jsonBody(requireCredentials(credentials)),
      options: { signal },
      limiter: false,
    }),
    sessionShape,
  ).withResponse()
}
