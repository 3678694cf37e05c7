import { ACCOUNT_LIMITS, type AdminRole, HEADERS, LIMITS, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import { type Accounts, type AdminRequest, basic, type OwnUser, sendAs } from './accounts.ts'
import type { Anonymous } from './anonymous.ts'
import * as expect from './expect.ts'
import { CheckSkipped, ConformanceFailure, type ReceivedResponse } from './expect.ts'
import type { Send } from './send.ts'

/**
 * An existing user. If no administrator is given, the run cannot create users and acts as this user. The catches that
 * the checks write stay in the user's collections.
 */
export interface ConformanceUser {
  readonly name: string
  /** 32 bytes in base64. */
  readonly fernetKey: string
  /**
   * The user's personal API key, which bypasses the rate limit.
   * @default none: without a master API key, requests count towards the rate limit, and checks that would exceed the limit are skipped
   */
  readonly apiKey?: string
  /** The user's password. @default none: checks of the key endpoint that need the password are skipped */
  readonly password?: string
}

/** The configuration of the service, as far as the checks need it. */
export interface ServiceConfiguration {
  /**
   * An existing user, for an implementation that has only the public endpoints. If no `admin` is given, the run acts as
   * this user, and skips checks that need an administrator or a new user. @default none
   */
  readonly user?: ConformanceUser
  /** The master API key. @default none: checks of the master key are skipped */
  readonly masterApiKey?: string
  /** A configured allowed origin. @default none: checks of allowed origins are skipped */
  readonly allowedOrigin?: string
  /** The public rate limit. @default 25 requests per 300 s */
  readonly rateLimit?: { readonly requests: number; readonly windowMs: number }
  /** Requests per administrator and window. @default 300 */
  readonly adminRequests?: number
}

export interface Session {
  readonly username: string
  readonly token: string
  readonly role: AdminRole
}

export type TestContext = ReturnType<typeof createTestContext>

interface TestContextOptions {
  readonly configuration: ServiceConfiguration
  readonly send: Send
  readonly anonymous: Anonymous
  readonly accounts: Accounts
  readonly session: Session | undefined
  readonly otherClient: (() => Send) | undefined
  readonly redact: (secret: string) => void
}

export const OTHER_ORIGIN = 'https://conformance.example'
const REQUEST_METHOD = 'access-control-request-method'
const PAST_MS = 10_000
const NO_DETAILS = 'reads with detail=full lack the id of each entry, which other checks need'
/** The service allows 300 requests, some of which are logins and retries. */
const REQUESTS_PER_ADMIN = 200

const RESET_FIELDS = { password: 'password', fernet: 'fernetKey', 'api-key': 'apiKey' } as const

/** Creates the context of a run. Accounts are created on first use. */
export function createTestContext(options: TestContextOptions) {
  const { configuration, send, anonymous, accounts, session, otherClient, redact } = options
  const { masterApiKey, allowedOrigin, rateLimit } = configuration
  let lacksDetails = false

  function superadminToken(): string {
    if (!session) throw new CheckSkipped('requires an administrator, and none is given (admin, FISH_ADMIN_PASSWORD)')
    if (session.role === 'superadmin') return session.token
    throw new CheckSkipped('requires its own users, which only a superadmin can remove')
  }

  const user = once(async () =>
    configuration.user ? asOwnUser(configuration.user) : accounts.newUser(superadminToken()),
  )
  const superadmin = once(() => accounts.newAdmin(superadminToken(), 'superadmin'))
  let routesAdmin: ReturnType<typeof accounts.newAdmin> | undefined
  let requestsOfAdmin = 0
  const ownAdmin = once(() => accounts.newAdmin(superadminToken(), 'admin'))
  const token = async () => (await superadmin()).token

  async function bypassKey(): Promise<string | undefined> {
    if (session?.role === 'superadmin') return (await user()).apiKey
    if (configuration.user?.apiKey) return configuration.user.apiKey
    if (masterApiKey) return masterApiKey
    if (configuration.user) return undefined
    throw new CheckSkipped('requires a bypass of the rate limit: a superadmin, an API key or the master key')
  }

  const request: Send = async (path, init = {}) => {
    const apiKey = await bypassKey()
    if (apiKey !== undefined) return send(path, { ...init, headers: { [HEADERS.apiKey]: apiKey, ...init.headers } })
    await anonymous.ensure(1)
    return anonymous.send(path, init)
  }

  return {
    /** Sends a request without an API key, for requests that the rate limit does not count. */
    send,
    /** Sends a request, if possible with an API key, so that the rate limit does not count the request. */
    request,
    anonymous,
    limits: {
      requests: rateLimit?.requests ?? LIMITS.requests,
      windowMs: rateLimit?.windowMs ?? LIMITS.windowSeconds * 1000,
      adminRequests: configuration.adminRequests ?? ACCOUNT_LIMITS.adminRequests,
    },
    hasOtherClient: otherClient !== undefined,
    /**
     * Sends from another client address, a new address for each call. @throws CheckSkipped when the option is not given
     */
    otherClient(): Send {
      if (otherClient) return otherClient()
      throw new CheckSkipped('requires a second client address (otherClient)')
    },
    /** @throws CheckSkipped when the option is not given */
    masterKey: () => required(masterApiKey, 'requires the master API key (masterApiKey, FISH_MASTER_API_KEY)'),
    /** @throws CheckSkipped when the option is not given */
    allowedOrigin: () => required(allowedOrigin, 'requires an allowed origin (allowedOrigin, --allowed-origin)'),
    prefix: accounts.prefix,
    newName: accounts.newName,
    removeLater: accounts.removeLater,
    /** The user that most checks share. @throws CheckSkipped when the run cannot create users */
    user,
    newUser: async () => accounts.newUser(await token()),
    createUser: async (body: unknown) => accounts.create(await token(), 'createUser', body),
    superadmin,
    /**
     * An administrator for one request of the checks of each route, because the service limits the number of requests
     * from each administrator.
     */
    routesAdmin() {
      if (!routesAdmin || requestsOfAdmin === REQUESTS_PER_ADMIN) {
        routesAdmin = accounts.newAdmin(superadminToken(), 'superadmin')
        requestsOfAdmin = 0
      }
      requestsOfAdmin += 1
      return routesAdmin
    },
    /** An administrator with the role `admin`, which most checks share. */
    admin: async () => (session?.role === 'admin' ? session : ownAdmin()),
    newAdmin: async () => accounts.newAdmin(await token(), 'admin'),
    createAdmin: async (body: unknown, by?: string) => accounts.create(by ?? (await token()), 'createAdmin', body),
    asSuperadmin: async (route: RouteName, adminRequest?: AdminRequest) =>
      sendAs(send, await token(), route, adminRequest),
    /** Resets a secret of a user. @returns the new secret */
    async reset(name: string, type: keyof typeof RESET_FIELDS): Promise<string> {
      const field = RESET_FIELDS[type]
      const response = await sendAs(send, await token(), 'resetUser', { params: { name }, body: { type } })
      const body = expect.json(response)
      expect.same(Object.keys(body), [field], 'the fields', response)
      const secret = expect.text(body[field], `"${field}"`, response)
      redact(secret)
      return secret
    },
    /** Unix milliseconds slightly in the past by the clock of the service, so that tokens are not from the future. */
    now: once(async () => {
      if (!configuration.user) return Date.parse((await user()).createdAt) - PAST_MS
      const response = await request(ROUTES.status.path)
      return expect.dateTime(expect.json(response).timestamp, '"timestamp"', response) - PAST_MS
    }),
    redact,
    /** Reads a Fernet key with a name and a password. */
    readKey: (name: string, password: string, query = '') =>
      request(`${ROUTES.getUserKey.path}${query}`, { headers: { authorization: basic(name, password) } }),
    /** @throws CheckSkipped when an earlier check found that `detail=full` is missing */
    needDetails(): void {
      if (lacksDetails) throw new CheckSkipped(NO_DETAILS)
    },
    /**
     * Fails the check. Later checks that need `detail=full` are skipped, so that the report contains only one failure
     * with this cause.
     */
    lackDetails(actual: string, { to, requestId }: ReceivedResponse): never {
      lacksDetails = true
      throw new ConformanceFailure(`entries with an "id" on ${to}`, actual, requestId, NO_DETAILS)
    },
    /** Sends a request from a page of this origin. @throws CheckSkipped on platforms where programs cannot */
    fromOrigin(path: string, origin: string, method = 'GET'): Promise<ReceivedResponse> {
      needHeader('origin')
      return request(path, { method, headers: { origin } })
    },
    /** Sends a preflight. @throws CheckSkipped on platforms where programs cannot */
    preflight(path: string, origin: string, method: string): Promise<ReceivedResponse> {
      needHeader(REQUEST_METHOD)
      return send(path, { method: 'OPTIONS', headers: { origin, [REQUEST_METHOD]: method } })
    },
    /** Skips the check on platforms where programs cannot set this header, such as browsers. */
    needHeader,
  }
}

/** Converts the given user. Access to a property that was not given skips the check. */
function asOwnUser({ name, fernetKey, apiKey, password }: ConformanceUser): OwnUser {
  const ownOnly = () =>
    required(undefined, 'requires its own user, and no administrator is given (admin, FISH_ADMIN_PASSWORD)')
  return {
    name,
    fernetKey,
    get apiKey() {
      return required(apiKey, 'requires the API key of the user (user.apiKey, FISH_API_KEY)')
    },
    get password() {
      return required(password, 'requires the password of the user (user.password, FISH_PASSWORD)')
    },
    get id() {
      return ownOnly()
    },
    get createdAt() {
      return ownOnly()
    },
  }
}

function required(value: string | undefined, reason: string): string {
  if (value !== undefined && value !== '') return value
  throw new CheckSkipped(reason)
}

function needHeader(name: string): void {
  if (maySetHeader(name)) return
  throw new CheckSkipped(`programs cannot set the header ${name} on this platform`)
}

/** Caches a result. A failure is not cached, so that one failure does not fail all checks. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return async () => {
    result ??= make().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}

/** Whether programs can set this header. Browsers reserve some (Fetch, "forbidden request-header"). */
function maySetHeader(name: string): boolean {
  return new Request('http://localhost', { headers: { [name]: 'x' } }).headers.has(name)
}

export function canStream(): boolean {
  try {
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: new ReadableStream(), duplex: 'half' }
    return !new Request('http://localhost', init).headers.has('content-type')
  } catch {
    return false
  }
}

/**
 * Whether the platform may buffer a streamed body until its end, as browsers do for service workers. Browsers are
 * recognized by their forbidden headers.
 */
export function mayBufferBodies(): boolean {
  return !maySetHeader('origin')
}
