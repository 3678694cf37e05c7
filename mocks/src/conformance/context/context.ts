import { HEADERS, LIMITS, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import type { ConformanceOptions, ConformanceUser } from '../runner/options.ts'
import type { GivenSession } from '../runner/start.ts'
import type { Accounts } from './accounts.ts'
import type { Anonymous } from './anonymous.ts'
import type { Answer } from './answer.ts'
import { expectJson, expectMoment } from './expect-answer.ts'
import { CheckSkipped } from './expectation.ts'
import { type AdminRequest, type OwnAdmin, type OwnUser, sendAs } from './own-accounts.ts'
import { maySetHeader } from './platform.ts'
import type { Send } from './transport.ts'

/** What checks act in: an implementation, the accounts of the run, and what is known of the configuration. */
export interface World {
  /** Sends as nobody in particular, to what the rate limit does not count. */
  readonly send: Send
  /** Sends with the API key of the main user, or the master key, so that nothing is counted. */
  readonly request: Send
  /** Sends without a key, counted. */
  readonly anonymous: Anonymous
  readonly limits: { readonly requests: number; readonly windowMs: number; readonly adminRequests: number }
  readonly accounts: Accounts
  readonly hasOtherClient: boolean
  /** A sender of another client address, a new one at each call. @throws CheckSkipped when there is none */
  otherClient(): Send
  /** @throws CheckSkipped when none is given */
  masterKey(): string
  /** @throws CheckSkipped when none is given */
  allowedOrigin(): string
  /** The user that most checks share. @throws CheckSkipped when the given administrator could not remove it */
  user(): Promise<OwnUser>
  /** A user of one check's own. */
  newUser(): Promise<OwnUser>
  /** The run's own superadmin. */
  superadmin(): Promise<OwnAdmin>
  /** An administrator with the role `admin`: the run's own, or the given one. */
  admin(): Promise<{ readonly username: string; readonly token: string }>
  /** Sends as the run's own superadmin. */
  asSuperadmin(route: RouteName, request?: AdminRequest): Promise<Answer>
  /** Unix milliseconds a little in the service's past: no token of that time is from the future. */
  now(): Promise<number>
  /** Remembers secrets, so that no message tells them. */
  keep(...secrets: readonly string[]): void
  /** Skips the check where programs may not set this header, as in browsers. */
  needHeader(name: string): void
}

/** What {@link createWorld} builds on. */
export interface WorldContext {
  readonly options: ConformanceOptions
  readonly send: Send
  readonly anonymous: Anonymous
  readonly accounts: Accounts
  readonly session: GivenSession | undefined
  readonly otherClient: (() => Send) | undefined
  readonly keep: (...secrets: readonly string[]) => void
}

const PAST_MS = 10_000

const NO_ADMINISTRATOR = 'it takes an administrator, and none is given (option admin)'

/** Makes the world of one run. What it holds is made when first needed. */
export function createWorld({ options, send, anonymous, accounts, session, otherClient, keep }: WorldContext): World {
  const { masterApiKey, allowedOrigin, rateLimit, adminRequests } = options

  function givenToken(): string {
    if (!session) throw new CheckSkipped(NO_ADMINISTRATOR)
    if (session.role === 'superadmin') return session.token
    throw new CheckSkipped(
      'it takes users of its own, and the given administrator is no superadmin: none could remove them',
    )
  }

  const user = once(async () => (options.user ? givenUser(options.user) : accounts.newUser(givenToken())))
  const superadmin = once(() => accounts.newAdmin(givenToken(), 'superadmin'))
  const ownAdmin = once(() => accounts.newAdmin(givenToken(), 'admin'))
  const token = async () => (await superadmin()).token

  async function liftingKey(): Promise<string | undefined> {
    if (session?.role === 'superadmin') return (await user()).apiKey
    if (options.user?.apiKey) return options.user.apiKey
    if (masterApiKey) return masterApiKey
    if (options.user) return undefined
    throw new CheckSkipped('nothing lifts the rate limit: neither a user of its own nor a master key')
  }

  const request: Send = async (path, init = {}) => {
    const apiKey = await liftingKey()
    if (apiKey !== undefined) return send(path, { ...init, headers: { [HEADERS.apiKey]: apiKey, ...init.headers } })
    await anonymous.ensure(1)
    return anonymous.send(path, init)
  }

  return {
    send,
    anonymous,
    accounts,
    keep,
    limits: {
      requests: rateLimit?.requests ?? LIMITS.requests,
      windowMs: rateLimit?.windowMs ?? LIMITS.windowSeconds * 1000,
      adminRequests: adminRequests ?? LIMITS.adminRequests,
    },
    request,
    hasOtherClient: otherClient !== undefined,
    otherClient() {
      if (otherClient) return otherClient()
      throw new CheckSkipped('no second client address is given (option otherClient)')
    },
    masterKey: () => given(masterApiKey, 'no master API key is given (option masterApiKey)'),
    allowedOrigin: () => given(allowedOrigin, 'no allowed origin is given (option allowedOrigin)'),
    user,
    newUser: async () => accounts.newUser(await token()),
    superadmin,
    admin: async () => (session?.role === 'admin' ? session : ownAdmin()),
    async asSuperadmin(route, request = {}) {
      return sendAs(send, await token(), route, request.method ?? ROUTES[route].method, request)
    },
    now: once(async () => {
      if (!options.user) return Date.parse((await user()).createdAt) - PAST_MS
      const answer = await request(ROUTES.status.path)
      return expectMoment(expectJson(answer).timestamp, '"timestamp"', answer) - PAST_MS
    }),
    needHeader(name) {
      if (maySetHeader(name)) return
      throw new CheckSkipped(`programs may not set the header ${name} on this platform`)
    },
  }
}

/** The given user. What is not known of it skips the checks that ask for it. */
function givenUser({ name, fernetKey, apiKey, password }: ConformanceUser): OwnUser {
  const ownOnly = () => given(undefined, 'it takes a user of its own, and no administrator is given (option admin)')
  return {
    name,
    fernetKey,
    get apiKey() {
      return given(apiKey, 'no API key of the user is given (option user.apiKey)')
    },
    get password() {
      return given(password, 'no password of the user is given (option user.password)')
    },
    get id() {
      return ownOnly()
    },
    get createdAt() {
      return ownOnly()
    },
  }
}

function given(value: string | undefined, reason: string): string {
  if (value !== undefined && value !== '') return value
  throw new CheckSkipped(reason)
}

/** Runs at the first call; all get its result. What failed once is tried again, so that one check fails and not all. */
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
