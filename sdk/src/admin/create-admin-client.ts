import { CALL_OPTIONS, type CallOptions, type NonRetriedOptions } from '../client/core/options.ts'
import { steadyTime } from '../client/core/timing.ts'
import { UNLIMITED } from '../client/rate-limiter/rate-limiter.ts'
import { noContentShape } from '../client/shapes/shape.ts'
import { type ApiPromise, apiPromise, call, type ResponseMeta } from '../client/transport/call.ts'
import type { Transport } from '../client/transport/response.ts'
import { createTransport } from '../client/transport/transport.ts'
import { userNameKey } from '../contract/names.ts'
import { ADMIN_ROUTES } from '../contract/routes.ts'
import type { Session } from '../contract/schemas.ts'
import { checkOptions } from '../errors/check-options.ts'
import { type AdminClientOptions, type Credentials, requireCredentials, resolveAdminOptions } from './admin-options.ts'
import { type AdminsResource, changePassword, createAdmins, type PasswordChange } from './admins.ts'
import { type AdminCrabsResource, type AdminFishResource, createAdminCrabs, createAdminFish } from './catches.ts'
import { type ExportOptions, exportCatches } from './export.ts'
import { createInvitations, type InvitationsResource } from './invitations.ts'
import { type AuditResource, createAudit, createReports, type Reports } from './reports.ts'
import { type Send, sendOnceIfUncertain } from './requests.ts'
import { authorized, createSessionCache, isSessionOver, type Login } from './session.ts'
import { sessionShape } from './shapes.generated.ts'
import { type AdminKeysResource, createAdminKeys, createUsers, type UsersResource } from './users.ts'

/**
 * A client for an administrator. The client's secrets do not appear if the client is logged or passed to
 * `JSON.stringify`.
 */
export interface AdminClient extends Reports {
  /**
   * Logs in now. Other calls log in automatically when no session is open or the session is about to expire. Call
   * `login` to check the name and password early, or to retry them after a rejection. Concurrent calls share one login.
   * `token` is a secret: until `expiresAt`, the token grants the same access as the password.
   *
   * @throws AuthenticationError for a wrong name or password, which is not retried; RateLimitError after too many
   *   failed logins; ValidationError when the client has only a `token`; ApiError, ConnectionError.
   * @example
   * const { expiresAt } = await admin.login()
   */
  login(options?: Pick<CallOptions, 'signal'>): ApiPromise<Session & ResponseMeta>
  /**
   * Ends the open session at the service and discards the token. Without an open session, sends nothing. The next call
   * logs in again, or fails with ValidationError if the client has only a `token`. Logging out also succeeds if the
   * session has already ended.
   *
   * @throws RateLimitError, ApiError, ConnectionError. After an error, the session stays valid until it expires.
   * @example
   * await admin.logout()
   */
  logout(options?: CallOptions): Promise<void>
  /**
   * Replaces the administrator's own password, and ends all sessions of the administrator. Then create a client with the
   * new password. The call is never retried: if the response is lost, try the new password.
   *
   * @throws AuthenticationError for a wrong old password; RateLimitError after too many of them; ValidationError,
   *   ApiError, ConnectionError.
   * @example
   * await admin.changePassword({ password, newPassword: 'three quiet rivers' })
   */
  changePassword(change: PasswordChange, options?: NonRetriedOptions): ApiPromise<ResponseMeta>
  /** Creates, lists, resets and deletes players. */
  readonly users: UsersResource
  /** The fish of every player. */
  readonly fish: AdminFishResource
  /** The crabs of every player. */
  readonly crabs: AdminCrabsResource
  /** Lists, creates, resets and deletes administrators. Only superadmins may use these calls. */
  readonly admins: AdminsResource
  /** The audit log: logins, key accesses and changes, newest first. */
  readonly audit: AuditResource
  /** The Fernet keys of players. */
  readonly keys: AdminKeysResource
  /** Creates, lists and ends links with which players create their own accounts. */
  readonly invitations: InvitationsResource
  /**
   * Yields the catches of all players as parts of a CSV or JSON Lines text. Only superadmins may export.
   *
   * @throws PermissionDeniedError; ConnectionError if the response is cut; ValidationError, ApiError.
   * @example
   * for await (const text of admin.export({ format: 'csv' })) console.log(text)
   */
  export(options?: ExportOptions): AsyncGenerator<string, void, undefined>
}

/**
 * Creates a client for administrators of a Fish and Crab Collection Service. The client logs in on the first call. All
 * calls share one session, which is renewed shortly before it expires. If the server reports that the session has
 * expired, the client logs in and sends the request again.
 *
 * After the server rejects the credentials, calls fail with the same AuthenticationError for 300 s and send nothing,
 * since the server allows only 10 failed logins per name in that time. An explicit `login` tries again immediately.
 *
 * Reads and deletions are retried after connection errors, as with `createClient`. Writes that a retry could repeat are
 * not retried; their errors say what to check.
 *
 * @throws ValidationError with every invalid option.
 * @example
 * const admin = createAdminClient({ baseUrl: 'https://fish.example', username: 'admin', password })
 * const { fernetKey } = await admin.users.create({ name: 'Alex' })
 * const { leaderboard } = await admin.leaderboard({ type: 'fish', gamemode: 'earth' })
 */
export function createAdminClient(options: AdminClientOptions): AdminClient {
  const { settings, credentials, token } = resolveAdminOptions(options)
  const transport = createTransport(settings)
  const session = createSessionCache({
    logIn: (signal) => logIn(transport, credentials, signal),
    canLogIn: credentials !== undefined,
    given: token,
    now: steadyTime(settings.clock),
  })
  const limiter = `admin:${userNameKey(credentials?.username ?? '')}`
  const login = async (options: Pick<CallOptions, 'signal'>) => {
    checkOptions(options, { signal: true })
    return session.login(options.signal)
  }
  const logout = async (options: CallOptions) => {
    checkOptions(options, CALL_OPTIONS)
    const opened = session.drop()
    if (opened === undefined) return
    const headers = { authorization: `Bearer ${opened}` }
    await call(transport, {
      options,
      known: CALL_OPTIONS,
      shape: noContentShape,
      prepare: () => ({ route: ADMIN_ROUTES.adminLogout, headers, limiter }),
    }).catch((error: unknown) => {
      if (!isSessionOver(error)) throw error
    })
  }
  const withSession = authorized(sendOnceIfUncertain(transport), { session, limiter })
  const send: Send = (shape, options, known, prepare) => call(withSession, { options, known, shape, prepare })
  return Object.freeze({
    login: (options = {}) => apiPromise(login(options)),
    logout: (options = {}) => logout(options),
    changePassword: (change, options = {}) => changePassword(send, change, options),
    ...createReports(send),
    users: createUsers(send, withSession),
    fish: createAdminFish(send),
    crabs: createAdminCrabs(send),
    admins: createAdmins(send),
    audit: createAudit(send),
    keys: createAdminKeys(transport, credentials),
    invitations: createInvitations(send),
    export: (options = {}) => exportCatches(withSession, options),
  } satisfies AdminClient)
}

function logIn(transport: Transport, credentials: Credentials | undefined, signal: AbortSignal): Promise<Login> {
  return call(transport, {
    options: { signal },
    known: CALL_OPTIONS,
    shape: sessionShape,
    prepare: () => ({ route: ADMIN_ROUTES.adminLogin, json: requireCredentials(credentials), limiter: UNLIMITED }),
  }).withResponse()
}
