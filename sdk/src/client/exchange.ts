import { HEADERS } from '../contract/headers.ts'
import { ConnectionError } from '../errors/connection-errors.ts'
import type { ApiRequest, RawResponse } from './api-request.ts'
import { attempt } from './attempt.ts'
import { createRedaction, createSender } from './fetch.ts'
import type { Settings } from './options.ts'
import { observedResponse, readRateLimit } from './rate-limit.ts'
import type { Permit } from './rate-limiter/policy.ts'
import type { RateLimiter } from './rate-limiter/rate-limiter.ts'

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
export type RunAttempt = (limiter: RateLimiter, permit: Permit, one: Attempt) => Promise<AttemptResult>

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
