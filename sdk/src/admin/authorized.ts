import { limitsOf } from '../client/call-limits.ts'
import { startDeadline, steadyTime } from '../client/clock.ts'
import type { Settings } from '../client/options.ts'
import type { Transport } from '../client/transport.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { AuthenticationError } from '../errors/api-errors.ts'
import type { SessionKeeper } from './session-keeper.ts'

const SESSION_OVER: ErrorCode = 'invalid_session'

/** What {@link authorized} builds on. */
export interface AuthorizedContext {
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
    const deadline = startDeadline(signal, limitsOf(options, settings).deadlineMs, settings.clock, now)
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
      deadline.close()
    }
  }
}
