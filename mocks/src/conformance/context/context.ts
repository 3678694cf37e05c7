import { HEADERS, LIMITS, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import { type Accounts, type AdminRequest, type OwnAdmin, type OwnUser, type Session, sendAs } from './accounts.ts'
import type { Anonymous } from './anonymous.ts'
import { CheckSkipped, expectJson, expectMoment } from './expect.ts'
import type { ReceivedResponse } from './response.ts'
import type { Send } from './send.ts'

/**
 * An existing user that a run acts as when no administrator is given, since it cannot create users. The catches that
 * the checks write stay in its collections.
 */
export interface ConformanceUser {
  readonly name: string
  /** 32 bytes in base64. */
  readonly fernetKey: string
  /**
   * Its personal API key, which bypasses the rate limit.
   * @default none: without a master API key, requests are counted, and checks beyond the limit are skipped
   */
  readonly apiKey?: string
  /** @default none: the checks of the key endpoint that need it are skipped */
  readonly password?: string
}

/** The configuration of the service, as far as the checks need it. */
export interface ServiceConfiguration {
  /**
   * A user to act as when no `admin` is given, for an implementation of the public endpoints alone. Checks that need an
   * administrator or their own user are skipped. @default none
   */
  readonly user?: ConformanceUser
  /** The master API key. @default none: its checks are skipped */
  readonly masterApiKey?: string
  /** A configured allowed origin. @default none: its checks are skipped */
  readonly allowedOrigin?: string
  /** The public rate limit. @default 25 requests per 300 s */
  readonly rateLimit?: { readonly requests: number; readonly windowMs: number }
  /** Requests per administrator and window. @default 300 */
  readonly adminRequests?: number
}

/** What a check can use: the service, the accounts of the run and the configuration. */
export interface TestContext {
  /** Sends a request as it is, for requests that the rate limit does not count. */
  readonly send: Send
  /** Sends a request with an API key, so that it is not counted. */
  readonly request: Send
  /** Sends counted requests, without an API key. */
  readonly anonymous: Anonymous
  readonly limits: { readonly requests: number; readonly windowMs: number; readonly adminRequests: number }
  readonly accounts: Accounts
  readonly hasOtherClient: boolean
  /** Sends from another client address, a new one for each call. @throws CheckSkipped when the option is not given */
  otherClient(): Send
  /** @throws CheckSkipped when the option is not given */
  masterKey(): string
  /** @throws CheckSkipped when the option is not given */
  allowedOrigin(): string
  /** The user that most checks share. @throws CheckSkipped when the run cannot create users */
  user(): Promise<OwnUser>
  /** A new user for one check. */
  newUser(): Promise<OwnUser>
  /** A superadmin that the run created. */
  superadmin(): Promise<OwnAdmin>
  /** An administrator with the role `admin`. */
  admin(): Promise<{ readonly username: string; readonly token: string }>
  /** Sends a request as {@link superadmin}. */
  asSuperadmin(route: RouteName, request?: AdminRequest): Promise<ReceivedResponse>
  /** Unix milliseconds slightly in the past by the clock of the service, so that tokens are not from the future. */
  now(): Promise<number>
  /** Redacts these secrets in all messages. */
  redact(...secrets: readonly string[]): void
  /** Skips the check on platforms where programs cannot set this header, such as browsers. */
  needHeader(name: string): void
}

interface TestContextOptions {
  readonly configuration: ServiceConfiguration
  readonly send: Send
  readonly anonymous: Anonymous
  readonly accounts: Accounts
  readonly session: Session | undefined
  readonly otherClient: (() => Send) | undefined
  readonly redact: (...secrets: readonly string[]) => void
}

const PAST_MS = 10_000

const NO_ADMINISTRATOR = 'requires an administrator, and none is given (option admin)'

/** Creates the context of a run. Accounts are created on first use. */
export function createTestContext({
  configuration,
  send,
  anonymous,
  accounts,
  session,
  otherClient,
  redact,
}: TestContextOptions): TestContext {
  const { masterApiKey, allowedOrigin, rateLimit, adminRequests } = configuration

  function superadminToken(): string {
    if (!session) throw new CheckSkipped(NO_ADMINISTRATOR)
    if (session.role === 'superadmin') return session.token
    throw new CheckSkipped(
      'requires its own users, which the given administrator cannot remove, since it is not a superadmin',
    )
  }

  const user = once(async () =>
    configuration.user ? asOwnUser(configuration.user) : accounts.newUser(superadminToken()),
  )
  const superadmin = once(() => accounts.newAdmin(superadminToken(), 'superadmin'))
  const ownAdmin = once(() => accounts.newAdmin(superadminToken(), 'admin'))
  const token = async () => (await superadmin()).token

  async function bypassKey(): Promise<string | undefined> {
    if (session?.role === 'superadmin') return (await user()).apiKey
    if (configuration.user?.apiKey) return configuration.user.apiKey
    if (masterApiKey) return masterApiKey
    if (configuration.user) return undefined
    throw new CheckSkipped(
      'requires a bypass of the rate limit: a superadmin, an API key of the user or the master key',
    )
  }

  const request: Send = async (path, init = {}) => {
    const apiKey = await bypassKey()
    if (apiKey !== undefined) return send(path, { ...init, headers: { [HEADERS.apiKey]: apiKey, ...init.headers } })
    await anonymous.ensure(1)
    return anonymous.send(path, init)
  }

  return {
    send,
    anonymous,
    accounts,
    redact,
    limits: {
      requests: rateLimit?.requests ?? LIMITS.requests,
      windowMs: rateLimit?.windowMs ?? LIMITS.windowSeconds * 1000,
      adminRequests: adminRequests ?? LIMITS.adminRequests,
    },
    request,
    hasOtherClient: otherClient !== undefined,
    otherClient() {
      if (otherClient) return otherClient()
      throw new CheckSkipped('requires a second client address (option otherClient)')
    },
    masterKey: () => required(masterApiKey, 'requires the master API key (option masterApiKey)'),
    allowedOrigin: () => required(allowedOrigin, 'requires an allowed origin (option allowedOrigin)'),
    user,
    newUser: async () => accounts.newUser(await token()),
    superadmin,
    admin: async () => (session?.role === 'admin' ? session : ownAdmin()),
    async asSuperadmin(route, request = {}) {
      return sendAs(send, await token(), route, request.method ?? ROUTES[route].method, request)
    },
    now: once(async () => {
      if (!configuration.user) return Date.parse((await user()).createdAt) - PAST_MS
      const response = await request(ROUTES.status.path)
      return expectMoment(expectJson(response).timestamp, '"timestamp"', response) - PAST_MS
    }),
    needHeader(name) {
      if (maySetHeader(name)) return
      throw new CheckSkipped(`programs cannot set the header ${name} on this platform`)
    },
  }
}

/** The given user. Access to an unknown property skips the check. */
function asOwnUser({ name, fernetKey, apiKey, password }: ConformanceUser): OwnUser {
  const ownOnly = () => required(undefined, 'requires its own user, and no administrator is given (option admin)')
  return {
    name,
    fernetKey,
    get apiKey() {
      return required(apiKey, 'requires the API key of the user (option user.apiKey)')
    },
    get password() {
      return required(password, 'requires the password of the user (option user.password)')
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

/** Caches a result. A failure is not cached, so that it fails one check and not all. */
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

/** Whether request bodies can be streamed. */
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
