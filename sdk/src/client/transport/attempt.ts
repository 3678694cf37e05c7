import { ConnectionError, causes, InvalidResponseError, TimeoutError } from '../../errors/connection-errors.ts'
import { FishCrabError, type RateLimitState } from '../../errors/fish-crab-error.ts'
import { readBytes } from '../../internal/body.ts'
import type { Settings } from '../core/options.ts'
import { withTimeLimit } from '../core/timing.ts'
import type { Permit } from '../rate-limiter/policy.ts'
import type { RateLimiter } from '../rate-limiter/rate-limiter.ts'
import { createFetch, createRedactor, isNetworkMessage } from './fetch.ts'
import type { ApiRequest, Redactor } from './request.ts'
import { type ApiResponse, observedResponse, readRequestId, readResponse } from './response.ts'

interface Attempt {
  readonly request: ApiRequest
  readonly body: string | undefined
  /** Number of the attempt within its call, from 1. */
  readonly attempt: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** The result of an attempt: a response, which may be a rejection by the rate limit, or a connection error. */
export type AttemptResult =
  | { readonly response: ApiResponse; readonly isRefused: boolean; readonly error?: undefined }
  | { readonly response?: undefined; readonly isRefused: false; readonly error: ConnectionError }

/**
 * Creates the function that sends a request once and releases its permit. The function throws errors that must not be
 * retried: an abort, a response that is too large, or a programming error in the option `fetch`.
 */
export function createAttempts(settings: Settings) {
  const { clock, observer, baseUrl, maxResponseBytes } = settings
  const { send, usesProxy } = createFetch(settings)

  return async (
    limiter: RateLimiter,
    permit: Permit,
    { request, body, attempt, timeoutMs, signal }: Attempt,
  ): Promise<AttemptResult> => {
    const { method, path } = request.route
    const redact = createRedactor(request, settings)
    const startedAt = clock.now()
    observer.onRequest({ method, path, attempt })
    if (signal?.aborted) {
      limiter.releaseUnsent(permit)
      throw signal.reason
    }

    const known = limiter.state()
    const timeoutError = () => {
      return new TimeoutError(`No complete response from ${baseUrl} within ${timeoutMs} ms.`, { rateLimit: known })
    }
    let response: ApiResponse
    try {
      response = await withTimeLimit({ clock, ms: timeoutMs, signal }, timeoutError, async (ending) => {
        const raw = await send(request, body, ending)
        const isStream = request.onStream !== undefined && raw.ok
        if (isStream) request.onStream?.(raw.body)
        const text = isStream ? '' : await readBody(raw, maxResponseBytes, redact)
        return readResponse(raw, text, redact, clock.now())
      })
    } catch (thrown) {
      limiter.releaseLost(permit)
      const error = signal?.aborted ? signal.reason : errorOf(thrown, request, redact, known)
      if (error instanceof FishCrabError) observer.onFailure({ method, path, attempt, code: error.code })
      if (error instanceof ConnectionError && !signal?.aborted) return { isRefused: false, error }
      throw error
    }

    const { status, requestId, rateLimit } = response
    const isRefused = limiter.release(permit, observedResponse(response))
    const durationMs = clock.now() - startedAt
    observer.onResponse({ method, path, attempt, status, durationMs, requestId, rateLimit })
    return { response, isRefused }
  }

  function errorOf(thrown: unknown, request: ApiRequest, redact: Redactor, rateLimit: RateLimitState | undefined) {
    if (thrown instanceof FishCrabError) return thrown
    return unhandledError(thrown) ?? connectionError(thrown, request, { baseUrl, usesProxy, rateLimit, redact })
  }
}

/** A mock blocked the request because no handler matches it: nothing was sent, so a retry would not help. */
function unhandledError(cause: unknown): FishCrabError | undefined {
  for (const { name, message, code } of causes(cause) as Iterable<Error & { code?: unknown }>) {
    const isOfMsw = name === 'InternalError' && message.startsWith('[MSW]')
    if (code === 'ERR_UNHANDLED_REQUEST' || isOfMsw) {
      return new FishCrabError(message, { code: 'unhandled_request', cause })
    }
  }
  return undefined
}

const MAX_MESSAGE_LENGTH = 500

interface ConnectionErrorContext {
  readonly baseUrl: string
  readonly usesProxy: boolean
  readonly rateLimit: RateLimitState | undefined
  readonly redact: Redactor
}

function connectionError(
  cause: unknown,
  request: ApiRequest,
  { baseUrl, usesProxy, rateLimit, redact }: ConnectionErrorContext,
): ConnectionError {
  // `fetch` reports the system error code, such as `ECONNREFUSED`, only in a nested cause.
  const codes = Array.from(causes(cause), (error) => (error as { code?: unknown }).code)
  const systemCode = codes.find((code) => typeof code === 'string')
  const message = [...causes(cause)].at(-1)?.message ?? ''
  const hasReason = !isSystemName(systemCode) && message !== '' && !isNetworkMessage(message)
  const reason = hasReason ? `: ${redact(message).slice(0, MAX_MESSAGE_LENGTH).replace(/\.$/, '')}` : ''
  const page = blockedPage(cause, request, baseUrl)
  return new ConnectionError(`No response from ${baseUrl}${reason || (systemCode ? ` (${systemCode})` : '')}.`, {
    hint: page
      ? `Check that the service is running and that its FISH_ALLOWED_ORIGINS includes ${page}.`
      : `Check that the service is running and that baseUrl is right${usesProxy ? ', or HTTP_PROXY and HTTPS_PROXY' : ''}.`,
    systemCode,
    rateLimit,
    cause,
  })
}

/** undici's own codes are less helpful than its messages. */
function isSystemName(code: string | undefined): boolean {
  return code !== undefined && !code.startsWith('UND_')
}

/**
 * Returns the origin of this page if CORS may have blocked the request. Scripts cannot read why a request failed.
 */
function blockedPage(cause: unknown, { route, headers }: ApiRequest, baseUrl: string): string | undefined {
  const page = (globalThis as { location?: { origin?: string } }).location?.origin
  const { name, cause: reason } = (cause ?? {}) as Partial<Error>
  const isUnexplained = name === 'TypeError' && reason === undefined
  // Reads without credentials are open to every origin.
  const isOpenToAll = route.method === 'GET' && headers?.authorization === undefined
  return !isOpenToAll && isUnexplained && page !== new URL(baseUrl).origin ? page : undefined
}

/** Reads the text of a response, and stops after `maxBytes`. */
async function readBody(response: Response, maxBytes: number, redact: Redactor): Promise<string> {
  const { body } = response
  if (body === null) return ''
  const tooLarge = () =>
    new InvalidResponseError(`The response is larger than maxResponseBytes (${maxBytes}).`, {
      status: response.status,
      requestId: readRequestId(response.headers, redact),
      hint: 'Read pages (limit, iterate), or raise maxResponseBytes.',
    })
  // The option `fetch` may return a body that is not a web stream, or a response that has only a `text` method.
  if (typeof body?.getReader !== 'function') {
    const text = await response.text()
    if (text.length > maxBytes) throw tooLarge()
    return text
  }
  try {
    return new TextDecoder().decode(await readBytes(body, maxBytes, tooLarge))
  } catch (error) {
    // Closes the connection. An error while closing is irrelevant.
    body.cancel().catch(() => {})
    throw error
  }
}
