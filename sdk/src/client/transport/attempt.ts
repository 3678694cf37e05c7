import { HEADERS } from '../../contract/headers.ts'
import { ConnectionError, causes, InvalidResponseError, TimeoutError } from '../../errors/connection-errors.ts'
import { FishCrabError, type RateLimitState } from '../../errors/fish-crab-error.ts'
import type { Settings } from '../core/options.ts'
import { type Clock, startLimit, untilAborted } from '../core/timing.ts'
import type { Permit } from '../rate-limiter/policy.ts'
import type { RateLimiter } from '../rate-limiter/rate-limiter.ts'
import { createRedaction, createSender, isNetworkMessage } from './fetch.ts'
import type { ProxyErrorFields } from './platform.ts'
import type { ApiRequest, RawResponse } from './request.ts'
import { observedResponse, readRateLimit } from './response.ts'

/** One try of a request. */
interface Attempt {
  readonly request: ApiRequest
  readonly body: string | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Which try of its call this is, from 1. */
  readonly number: number
}

/** How a try ended: with an response, refused by the rate limit or not, or without one. */
export type AttemptResult =
  | { readonly response: RawResponse; readonly isRefused: boolean; readonly lost?: undefined }
  | { readonly response?: undefined; readonly isRefused: false; readonly lost: ConnectionError }

/**
 * Makes one try and gives its permit back to the limiter.
 * @throws whatever ends a call at once: an abort, an response that is too large
 */
type RunAttempt = (limiter: RateLimiter, permit: Permit, one: Attempt) => Promise<AttemptResult>

/** Exchanges over connections of their own. */
export function createAttempts(settings: Settings): RunAttempt {
  const { clock, observer, baseUrl, maxResponseBytes } = settings
  const { send, proxyError } = createSender(settings)

  return async (limiter, permit, { request, body, timeoutMs, signal, number }) => {
    const { method, path } = request.route
    const redact = createRedaction(request, settings)
    // Reads without credentials, by any page; the rest only by pages that the service was told of.
    const isOpenToAll = method === 'GET' && request.headers?.authorization === undefined
    const started = clock.now()
    observer.onRequest({ method, path, attempt: number })
    if (signal?.aborted) {
      limiter.releaseUnsent(permit)
      throw signal.reason
    }
    try {
      const response = await attempt(
        (ending) => send(request, body, ending),
        { clock, timeoutMs, maxResponseBytes },
        { origin: baseUrl, isOpenToAll, rateLimit: limiter.state(), redact, proxyError },
        signal,
      )
      const { status, headers } = response
      const isRefused = limiter.release(permit, observedResponse(response, clock.now()))
      observer.onResponse({
        method,
        path,
        attempt: number,
        status,
        durationMs: clock.now() - started,
        requestId: redact(headers.get(HEADERS.requestId) ?? undefined),
        rateLimit: readRateLimit(headers),
      })
      return { response, isRefused }
    } catch (error) {
      limiter.releaseLost(permit)
      if (error instanceof ConnectionError && !signal?.aborted) return { isRefused: false, lost: error }
      throw error
    }
  }
}

const LONGEST_MESSAGE = 500

/** What bounds one try. */
interface AttemptLimits {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly maxResponseBytes: number
}

/** What a try that fails says of itself. */
interface AttemptContext {
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
async function attempt(
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

/** The text of a response, read no further than `maxBytes`. */
async function readBody(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return ''
  // A fetch of other makers may give a body of another kind, or none beside its text.
  if (typeof response.body?.getReader !== 'function') {
    const text = await response.text()
    if (text.length > maxBytes) throw tooLarge(response, maxBytes)
    return text
  }
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      size += value.byteLength
      if (size > maxBytes) throw tooLarge(response, maxBytes)
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    // Lets the connection go; that it may fail as well adds nothing.
    reader.cancel().catch(() => {})
    throw error
  }
}

function tooLarge(response: Response, maxBytes: number): InvalidResponseError {
  return new InvalidResponseError(`The answer is larger than maxResponseBytes (${maxBytes}).`, {
    status: response.status,
    requestId: response.headers.get(HEADERS.requestId) ?? undefined,
    hint: 'Read in pages with limit or iterate, or raise maxResponseBytes.',
  })
}
