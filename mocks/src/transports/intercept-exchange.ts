import { emitWarning } from 'node:process'
import type { HttpRequestInterceptor } from '@mswjs/interceptors/http'
import type { MockClock } from '../mock/clock.ts'
import type { AnswerRequest } from '../mock/outcome.ts'
import { bringAbout, type Exchange, nextTurn } from './intercept-answer.ts'
import { UnhandledRequestError, type Verdict } from './intercept-policy.ts'
import { connectionReset } from './network-errors.ts'

/** Who answers for an origin, until it closes. */
export interface Answerer {
  readonly answer: AnswerRequest
  /** Lets the latency of faults pass. */
  readonly sleep: MockClock['sleep']
  readonly closed: AbortSignal
}

/** Answers one request as a mock says. Settles when nothing more is to be done; never rejects. */
export async function answerExchange({ answer, sleep, closed }: Answerer, exchange: Exchange): Promise<void> {
  const { request, controller } = exchange
  const ended = AbortSignal.any([request.signal, closed])
  try {
    const outcome = await answer(request, 'intercepted')
    await bringAbout(outcome, exchange, sleep, ended)
    // The client still waits, and the mock that it waits for is gone.
    if (closed.aborted && !request.signal.aborted && controller.readyState === 0)
      controller.errorWith(connectionReset())
  } catch (error) {
    if (controller.readyState === 0) controller.errorWith(error)
  }
}

/** Treats a request that no mock answers. */
export function treatUnhandled(
  { request, controller, initiator }: Exchange,
  origin: string,
  verdict: Verdict,
  seen: WeakSet<object>,
): void {
  if (verdict === 'refuse') {
    controller.errorWith(new UnhandledRequestError(request.method, origin))
    return
  }
  if (verdict === 'warn')
    emitWarning(
      new UnhandledRequestError(request.method, origin).message.replace('so it was stopped', 'and went out'),
      'UnhandledRequestWarning',
    )
  if (initiator instanceof Object) seen.add(initiator)
}

/**
 * Opens a tunnel to an origin that is mocked: there may be no proxy, and the requests within are answered here.
 * A tunnel that is opened at once would be entered before its connection is complete, hence the listener that waits.
 */
export async function openTunnel(
  interceptor: HttpRequestInterceptor,
  { controller, request }: Exchange,
): Promise<void> {
  const waiting = new AbortController()
  interceptor.on(
    'response',
    async (event) => {
      if (event.request !== request) return
      await nextTurn()
      // And once more: by now the interceptor has seen that the client, which reads already, did not wait to be spoken to.
      await nextTurn()
      waiting.abort()
    },
    { signal: waiting.signal },
  )
  controller.respondWith(new Response(null, { status: 200, statusText: 'Connection Established' }))
}
