import type { ResponseMeta, WithResponse } from '../client/transport/call.ts'
import type { Transport } from '../client/transport/response.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { ACCOUNT_LIMITS } from '../contract/limits.ts'
import type { Session } from '../contract/schemas.ts'
import { AuthenticationError, RateLimitError } from '../errors/api-errors.ts'
import { FishCrabError } from '../errors/fish-crab-error.ts'
import { untilAborted } from '../internal/wait.ts'

const SESSION_OVER: ErrorCode = 'invalid_session'

export function isSessionOver(error: unknown): boolean {
  return error instanceof AuthenticationError && error.code === SESSION_OVER
}

interface AuthorizedContext {
  readonly session: ReturnType<typeof createSessionCache>
  /** Name of the administrator's own rate limiter. */
  readonly limiter: string
}

/**
 * A transport that sends each request with the session token. If the session has expired, the transport opens a new
 * session and sends the request again. Sending a write again is safe too, because the rejected request had no effect.
 */
export function authorized(transport: Transport, { session, limiter }: AuthorizedContext): Transport {
  return async (request) => {
    const { signal } = request.options
    const send = (token: string) =>
      transport({ ...request, limiter, headers: { ...request.headers, authorization: `Bearer ${token}` } })
    const token = await session.token(signal)
    return await send(token).catch(async (error: unknown) => {
      if (!isSessionOver(error)) throw error
      const next = await session.replace(token, signal)
      if (next === undefined) throw error
      return send(next).catch((latest: unknown) => {
        // An attempt before the rejected one may have got no response.
        const mayHaveChanged = (error as FishCrabError).mayHaveChanged
        throw mayHaveChanged && latest instanceof FishCrabError ? Object.assign(latest, { mayHaveChanged }) : latest
      })
    })
  }
}

export type Login = WithResponse<Session & ResponseMeta>

interface SessionContext {
  readonly logIn: (signal: AbortSignal) => Promise<Login>
  readonly canLogIn: boolean
  readonly given: string | undefined
  readonly now: () => number
}

/** Caches one session and renews it. Concurrent calls share one login. */
export function createSessionCache({ logIn, canLogIn, given, now }: SessionContext) {
  let held: CachedSession | undefined = given === undefined ? undefined : { token: given, renewAt: undefined }
  let refused: { readonly error: unknown; readonly until: number } | undefined

  const login = singleFlight(async (signal) => {
    const sentAt = now()
    try {
      const opened = await logIn(signal)
      held = toCachedSession(opened.data, opened.response.headers.get('date'), sentAt)
      refused = undefined
      return opened
    } catch (error) {
      const until = blockedUntil(error, now())
      if (until !== undefined) refused = { error, until }
      throw error
    }
  })

  async function open(signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted()
    if (refused && now() < refused.until) throw refused.error
    return (await login(signal)).data.token
  }

  return {
    login,
    /** Forgets the open session and returns its token, or `undefined` if no session is open. */
    drop(): string | undefined {
      const token = held?.token
      held = undefined
      return token
    },
    /** Returns the token of the open session, or opens a session first. */
    async token(signal: AbortSignal | undefined): Promise<string> {
      const needsRenewal = canLogIn && held?.renewAt !== undefined && now() >= held.renewAt
      return held && !needsRenewal ? held.token : open(signal)
    },
    /** Returns a new token after `token` has expired, or `undefined` if the client has no credentials. */
    async replace(token: string, signal: AbortSignal | undefined): Promise<string | undefined> {
      // Another call may have replaced the token meanwhile.
      if (held && held.token !== token) return held.token
      return canLogIn ? open(signal) : undefined
    },
  }
}

interface CachedSession {
  readonly token: string
  /**
   * Time at which to renew the session, in milliseconds of this client's clock; `undefined` if the lifetime is unknown.
   */
  readonly renewAt: number | undefined
}

const MARGIN_MS = 60_000
const LARGEST_MARGIN_SHARE = 0.1

/**
 * Plans the renewal of a session. The lifetime runs from the response's `Date` to `expiresAt`. Both times are from the
 * server's clock, so a wrong client clock does no harm. The session is renewed one minute or a tenth of its lifetime
 * before its end, whichever is shorter. If `expiresAt` is not after `Date`, the response is invalid and no renewal is
 * planned: otherwise every call would log in.
 */
function toCachedSession({ token, expiresAt }: Session, date: string | null, now: number): CachedSession {
  const serverNow = Date.parse(date ?? '')
  const lifeMs = Date.parse(expiresAt) - (Number.isNaN(serverNow) ? now : serverNow)
  if (!(lifeMs > 0)) return { token, renewAt: undefined }
  return { token, renewAt: now + lifeMs - Math.min(MARGIN_MS, lifeMs * LARGEST_MARGIN_SHARE) }
}

/**
 * Returns the time until which a failed login is not retried automatically, or `undefined` if the login may be retried.
 * The server counts failed logins by address and name: retries of a wrong password would lock out the administrator,
 * and later the whole address.
 */
function blockedUntil(error: unknown, now: number): number | undefined {
  if (error instanceof RateLimitError) return now + error.retryAfterMs
  if (error instanceof AuthenticationError) return now + ACCOUNT_LIMITS.failedLoginWindowSeconds * 1000
  return undefined
}

interface Flight<Result> {
  readonly work: Promise<Result>
  readonly ending: AbortController
  waiting: number
}

/**
 * Shares work among concurrent callers. Each caller may cancel with its own signal. When all callers have cancelled,
 * the work is aborted, and the next caller starts the work again.
 */
function singleFlight<Result>(
  start: (signal: AbortSignal) => Promise<Result>,
): (signal: AbortSignal | undefined) => Promise<Result> {
  let current: Flight<Result> | undefined

  function begin(): Flight<Result> {
    const ending = new AbortController()
    const flight: Flight<Result> = { work: start(ending.signal), ending, waiting: 0 }
    const land = () => {
      if (current === flight) current = undefined
    }
    flight.work.then(land, land)
    return flight
  }

  return async (signal) => {
    signal?.throwIfAborted()
    current ??= begin()
    const flight = current
    flight.waiting += 1
    try {
      return await untilAborted(() => flight.work, signal)
    } finally {
      flight.waiting -= 1
      if (flight.waiting === 0) {
        if (current === flight) current = undefined
        flight.ending.abort()
      }
    }
  }
}
