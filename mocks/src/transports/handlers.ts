import type { HttpHandler } from 'msw'
import type { MockClock } from '../mock/clock.ts'
import type { AnswerRequest, Outcome } from '../mock/outcome.ts'
import { disturbedBody } from './disturbed.ts'
import { connectionReset, otherSideClosed } from './network-errors.ts'
import { OriginHandler } from './origin-handler.ts'
import { answerPage } from './page-cors.ts'

/** What {@link createHandlers} takes. */
export interface HandlersOptions {
  readonly answer: AnswerRequest
  /** Lets the latency of faults pass, and their silence. */
  readonly hold: MockClock['sleep']
  /** Every request to it is answered. */
  readonly origin: string
}

/** Nothing ever comes. */
const NEVER = () => new Promise<never>(() => {})

/** MSW handlers that have a world answer every request to an origin. */
export function createHandlers({ answer, hold, origin }: HandlersOptions): HttpHandler[] {
  const inPage = runsInPage()

  async function deliver(request: Request, { response, delayMs, disturbance }: Outcome): Promise<Response> {
    if (delayMs > 0) await hold(delayMs, request.signal)
    if (!disturbance) return response
    // Never resolves.
    if (disturbance.kind === 'silence') return hold(Number.POSITIVE_INFINITY, request.signal) as Promise<never>
    if (disturbance.kind === 'cut-body') return disturbedBody(request.method, response, disturbance, otherSideClosed)
    // What a page learns of a reset, and what MSW makes of an error that looks like Node's own.
    if (inPage) return Response.error()
    throw connectionReset()
  }

  return [
    new OriginHandler(origin, async (request) => {
      const outcome = await answerPage(answer, request, inPage ? 'worker' : 'handlers')
      if (!outcome) return Response.error()
      if (outcome.delayMs === 0 && !outcome.disturbance) return outcome.response
      try {
        return await deliver(request, outcome)
      } catch (error) {
        // Whoever asked is gone: there is nobody to tell.
        if (request.signal.aborted) return NEVER()
        throw error
      }
    }),
  ]
}

/** Whether this is a page, where MSW works by a service worker. */
function runsInPage(): boolean {
  return 'document' in globalThis && 'serviceWorker' in (globalThis.navigator ?? {})
}
