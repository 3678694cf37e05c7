import { HEADERS } from '../contract/headers.ts'
import type { ConnectionError } from '../errors/connection-errors.ts'
import { isConnectionError } from '../errors/guards.ts'
import type { ApiRequest } from './api-request.ts'
import { attempt, type RawAnswer } from './attempt.ts'
import type { Gate } from './gate/gate.ts'
import type { Ticket } from './gate/state.ts'
import type { Settings } from './options.ts'
import { gateAnswerOf, readRateLimit } from './rate-limit.ts'
import { createRedaction } from './redaction.ts'
import { createSender } from './send-request.ts'

/** One try of a request. */
interface Try {
  readonly request: ApiRequest
  readonly body: string | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Which try of its call this is, from 1. */
  readonly number: number
}

/** How a try ended: with an answer, refused by the rate limit or not, or without one. */
export type Exchanged =
  | { readonly answer: RawAnswer; readonly isRefused: boolean; readonly lost?: undefined }
  | { readonly answer?: undefined; readonly isRefused: false; readonly lost: ConnectionError }

/**
 * Makes one try and gives its ticket back to the gate.
 * @throws whatever ends a call at once: an abort, an answer that is too large
 */
export type Exchange = (gate: Gate, ticket: Ticket, one: Try) => Promise<Exchanged>

/** Exchanges over connections of their own. */
export function createExchange(settings: Settings): Exchange {
  const { clock, observer, baseUrl, maxResponseBytes } = settings
  const { send, proxyError } = createSender(settings)

  return async (gate, ticket, { request, body, timeoutMs, signal, number }) => {
    const { method, path } = request.route
    const redact = createRedaction(request, settings)
    // Reads without credentials, by any page; the rest only by pages that the service was told of.
    const isOpenToAll = method === 'GET' && request.headers?.authorization === undefined
    const started = clock.now()
    observer.onRequest({ method, path, attempt: number })
    if (signal?.aborted) {
      gate.unsent(ticket)
      throw signal.reason
    }
    try {
      const answer = await attempt(
        (ending) => send(request, body, ending),
        { clock, timeoutMs, maxResponseBytes },
        { origin: baseUrl, isOpenToAll, rateLimit: gate.known(), redact, proxyError },
        signal,
      )
      const { status, headers } = answer
      const isRefused = gate.answered(ticket, gateAnswerOf(answer, clock.now()))
      observer.onResponse({
        method,
        path,
        attempt: number,
        status,
        durationMs: clock.now() - started,
        requestId: redact(headers.get(HEADERS.requestId) ?? undefined),
        rateLimit: readRateLimit(headers),
      })
      return { answer, isRefused }
    } catch (error) {
      gate.lost(ticket)
      if (isConnectionError(error) && !signal?.aborted) return { isRefused: false, lost: error }
      throw error
    }
  }
}
