import { limitsOf } from '../client/core/call-options.ts'
import type { Settings } from '../client/core/options.ts'
import { startDeadline, steadyTime, untilAborted } from '../client/core/timing.ts'
import type { ResponseMeta, WithResponse } from '../client/transport/call.ts'
import type { Transport } from '../client/transport/transport.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Session } from '../contract/schemas/admin.ts'
import { AuthenticationError, RateLimitError } from '../errors/api-errors.ts'

const SESSION_OVER: ErrorCode = 'invalid_session'

/** What {@link authorized} builds on. */
interface AuthorizedContext {
  readonly session: SessionKeeper
  readonly settings: Settings
  /** Where requests wait for the administrator's own rate limit. */
  readonly limiter: string
}

/**
 * A transport that sends each request with the session's token. When the server takes the session for over, it sends
 * the request once more with another: a refused request did nothing, so that is safe for writes too. The call's
 * deadline spans the login as well.
 */
export function authorized(transport: Transport, { session, settings, limiter }: AuthorizedContext): Transport {
  const now = steadyTime(settings.clock)
  return async (request) => {
    const { signal, ...options } = request.options
    const deadline = startDeadline(settings.clock, limitsOf(options, settings).deadlineMs, signal, now)
    const send = (token: string) =>
      transport({
        ...request,
        limiter,
        headers: { ...request.headers, authorization: `Bearer ${token}` },
        options: { ...options, signal: deadline.signal, deadlineMs: Math.max(deadline.leftMs(), 1) },
      })
    try {
      const token = await session.token(deadline.signal)
      return await send(token).catch(async (error: unknown) => {
        if (!(error instanceof AuthenticationError) || error.code !== SESSION_OVER) throw error
        const next = await session.replace(token, deadline.signal)
        if (next === undefined) throw error
        return send(next)
      })
    } finally {
      deadline.cancel()
    }
  }
}

/** What a login answers. */
export type Login = WithResponse<Session & ResponseMeta>

/** Keeps one session open. */
interface SessionKeeper {
  /** The token to send: of the session that is open, or of one that is opened now. */
  token(signal: AbortSignal | undefined): Promise<string>
  /** The token to send instead of one that the server took for over; `undefined` when no other can be had. */
  replace(token: string, signal: AbortSignal | undefined): Promise<string | undefined>
  /** Opens a session, whether or not one is open. */
  login(signal: AbortSignal | undefined): Promise<Login>
}

/** What {@link createSessionKeeper} builds on. */
interface SessionContext {
  /** Sends the credentials. */
  readonly logIn: (signal: AbortSignal) => Promise<Login>
  /** Whether there are credentials to send. */
  readonly canLogIn: boolean
  /** A token from elsewhere, to begin with. */
  readonly given: string | undefined
  readonly now: () => number
}

/** Makes a keeper. However many ask at once, one login is sent. */
export function createSessionKeeper({ logIn, canLogIn, given, now }: SessionContext): SessionKeeper {
  let held: HeldSession | undefined = given === undefined ? undefined : { token: given, renewAt: undefined }
  let refused: { readonly error: unknown; readonly until: number } | undefined

  const login = singleFlight(async (signal) => {
    const sentAt = now()
    try {
      const answer = await logIn(signal)
      held = holdSession(answer.data, answer.response.headers.get('date'), sentAt)
      refused = undefined
      return answer
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
    async token(signal) {
      return held && !(canLogIn && isDue(held, now())) ? held.token : open(signal)
    },
    async replace(token, signal) {
      // Somebody else may have replaced it while this call's answer was on its way.
      if (held && held.token !== token) return held.token
      return canLogIn ? open(signal) : undefined
    },
  }
}

/** A session as the client holds it. */
interface HeldSession {
  readonly token: string
  /** When to open the next one, in this client's milliseconds; `undefined` when only the server knows. */
  readonly renewAt: number | undefined
}

const MARGIN_MS = 60_000
const LARGEST_MARGIN_SHARE = 0.1

/**
 * When a session is to be renewed. Its life is the time from the answer's own `Date` to `expiresAt`, two moments of the
 * same clock; a wrong clock here does no harm. It is renewed a minute before its end, or a tenth of its life if that is
 * less. An answer that makes no sense (over before it began) leaves it to the server to say when it is over: anything
 * else would log in before each call.
 *
 * @param date The answer's `Date` header.
 * @param now Milliseconds here when the login was sent; since 1970, which counts when the answer has no `Date`.
 */
function holdSession({ token, expiresAt }: Session, date: string | null, now: number): HeldSession {
  const serverNow = Date.parse(date ?? '')
  const lifeMs = Date.parse(expiresAt) - (Number.isNaN(serverNow) ? now : serverNow)
  if (!(lifeMs > 0)) return { token, renewAt: undefined }
  return { token, renewAt: now + lifeMs - Math.min(MARGIN_MS, lifeMs * LARGEST_MARGIN_SHARE) }
}

/** Whether another session is to be opened before this one is used again. */
function isDue({ renewAt }: HeldSession, now: number): boolean {
  return renewAt !== undefined && now >= renewAt
}

/**
 * Until when a login that failed so is not tried again unasked. The server counts failed logins by address and name, so
 * one wrong password in a loop would lock out the administrator, and in the end everybody who shares the address.
 * `undefined`: try again.
 */
function blockedUntil(error: unknown, now: number): number | undefined {
  if (error instanceof RateLimitError) return now + error.retryAfterMs
  if (error instanceof AuthenticationError) return now + LIMITS.failedLoginWindowSeconds * 1000
  return undefined
}

interface Flight<Result> {
  readonly work: Promise<Result>
  readonly ending: AbortController
  waiting: number
}

/**
 * Work that all who ask for it at the same time share. Each may leave by its own signal; the work is aborted when all
 * have left, and who asks after that begins anew.
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
