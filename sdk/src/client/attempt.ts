import { ConnectionError, TimeoutError } from '../errors/connection-errors.ts'
import { isFishCrabError } from '../errors/guards.ts'
import type { RateLimitState } from '../errors/rate-limit-state.ts'
import { untilAborted } from './abort.ts'
import { type Clock, startLimit } from './clock.ts'
import type { ProxyErrorFields } from './platform.ts'
import { readBody } from './read-body.ts'

/** An answer, read to its end. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** What bounds one try. */
export interface AttemptLimits {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly maxResponseBytes: number
}

/** What a try that fails says of itself. */
export interface AttemptContext {
  /** Where it goes to. */
  readonly origin: string
  readonly rateLimit: RateLimitState | undefined
  /** The error for what was thrown, where a proxy is to blame for it. */
  readonly proxyError: (cause: unknown, fields: ProxyErrorFields) => ConnectionError | undefined
}

/**
 * Runs one request to the end of its answer.
 *
 * @param open Sends the request. It is given a signal that aborts on the caller's abort and on the timeout.
 * @throws ConnectionError or TimeoutError when no whole answer came; the signal's reason when that aborted.
 */
export async function attempt(
  open: (signal: AbortSignal) => Promise<Response>,
  limits: AttemptLimits,
  context: AttemptContext,
  signal: AbortSignal | undefined,
): Promise<RawAnswer> {
  signal?.throwIfAborted()
  const { clock, timeoutMs, maxResponseBytes } = limits
  const ending = new AbortController()
  const onAbort = () => ending.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const cancel = startLimit(clock, 'timeoutMs', timeoutMs, () => {
    const { origin, rateLimit } = context
    ending.abort(new TimeoutError(`No whole answer from ${origin} within ${timeoutMs} ms.`, { rateLimit }))
  })
  try {
    return await untilAborted(async () => {
      const response = await open(ending.signal)
      const text = await readBody(response, maxResponseBytes)
      return { status: response.status, headers: response.headers, text }
    }, ending.signal)
  } catch (error) {
    if (ending.signal.aborted) throw ending.signal.reason
    if (isFishCrabError(error)) throw error
    throw connectionError(error, context)
  } finally {
    cancel()
    signal?.removeEventListener('abort', onAbort)
  }
}

function connectionError(cause: unknown, { origin, rateLimit, proxyError }: AttemptContext): ConnectionError {
  const code = systemCode(cause)
  const atProxy = proxyError(cause, { systemCode: code, rateLimit })
  if (atProxy) return atProxy
  return new ConnectionError(`No answer from ${origin}${code ? ` (${code})` : ''}.`, {
    hint: 'Is the service running, and is baseUrl right?',
    systemCode: code,
    rateLimit,
    cause,
  })
}

/** The code of what broke the connection, such as `ECONNREFUSED`; fetch hides it in a cause. */
function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : systemCode(error.cause)
}
