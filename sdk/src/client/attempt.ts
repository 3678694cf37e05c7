import { ConnectionError, TimeoutError } from '../errors/connection-errors.ts'
import { FishCrabError, type RateLimitState } from '../errors/fish-crab-error.ts'
import type { RawResponse } from './api-request.ts'
import { causes } from './causes.ts'
import { type Clock, startLimit, untilAborted } from './clock.ts'
import { isNetworkMessage } from './fetch.ts'
import type { ProxyErrorFields } from './platform.ts'
import { readBody } from './read-body.ts'

const LONGEST_MESSAGE = 500

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
  /** Whether pages of every origin may send it (Fetch standard, "CORS protocol"). */
  readonly isOpenToAll: boolean
  readonly rateLimit: RateLimitState | undefined
  /** Takes what the request kept secret out of a text. */
  readonly redact: (text: string) => string
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
): Promise<RawResponse> {
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
    if (error instanceof FishCrabError) throw error
    throw unhandledError(error) ?? connectionError(error, context)
  } finally {
    cancel()
    signal?.removeEventListener('abort', onAbort)
  }
}

/** A test stopped the request, since no mock answers it: nothing was lost, and trying again changes nothing. */
function unhandledError(error: unknown): FishCrabError | undefined {
  for (const { name, message, code } of causes(error) as Iterable<Error & { code?: unknown }>) {
    const isOfMsw = name === 'InternalError' && message.startsWith('[MSW]')
    if (code === 'ERR_UNHANDLED_REQUEST' || isOfMsw) {
      return new FishCrabError(message, { code: 'unhandled_request', cause: error })
    }
  }
  return undefined
}

function connectionError(cause: unknown, context: AttemptContext): ConnectionError {
  const { origin, rateLimit, proxyError, redact } = context
  const all = [...causes(cause)]
  // The code of what broke the connection, such as `ECONNREFUSED`; fetch hides it in a cause.
  const systemCode = all.map((error) => (error as { code?: unknown }).code).find((code) => typeof code === 'string')
  const atProxy = proxyError(cause, { systemCode, rateLimit })
  if (atProxy) return atProxy
  const message = all.at(-1)?.message ?? ''
  const isTelling = systemCode === undefined && message !== '' && !isNetworkMessage(message)
  const why = isTelling ? `: ${redact(message).slice(0, LONGEST_MESSAGE).replace(/\.$/, '')}` : ''
  const page = blockedPage(cause, context)
  return new ConnectionError(`No answer from ${origin}${systemCode ? ` (${systemCode})` : why}.`, {
    hint: page
      ? `Is the service running? If so, it may not allow ${page}: its operator names allowed origins in FISH_ALLOWED_ORIGINS.`
      : 'Is the service running, and is baseUrl right?',
    systemCode,
    rateLimit,
    cause,
  })
}

/** The origin of this page, where its browser may have stopped a request for it: a page is not told why one failed. */
function blockedPage(cause: unknown, { origin, isOpenToAll }: AttemptContext): string | undefined {
  const page = (globalThis as { location?: { origin?: string } }).location?.origin
  const { name, cause: reason } = (cause ?? {}) as Partial<Error>
  const isUnexplained = name === 'TypeError' && reason === undefined
  return !isOpenToAll && isUnexplained && page !== new URL(origin).origin ? page : undefined
}
