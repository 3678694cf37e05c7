import { untilAborted } from './abort.ts'
import { apiError, refusedHere } from './api-error.ts'
import type { ApiRequest } from './api-request.ts'
import type { RawAnswer } from './attempt.ts'
import { type CallLimits, limitsOf } from './call-limits.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { createExchange } from './exchange.ts'
import { OPEN_GATE } from './gate/gate.ts'
import { gatesOf } from './gate/gates.ts'
import { isRefusal } from './gate/policy.ts'
import type { Settings } from './options.ts'
import { gateAnswerOf, readWaitMs } from './rate-limit.ts'
import { retryWaitMs } from './retry-policy.ts'

/** Sends requests until there is a successful answer, or none is to be had. */
export type Transport = (request: ApiRequest) => Promise<RawAnswer>

/** A transport with connections and settings of its own. */
export function createTransport(settings: Settings): Transport {
  const { clock, observer, pace } = settings
  const exchange = createExchange(settings)
  const gateOf = gatesOf(settings)

  async function run(request: ApiRequest, limits: CallLimits, { signal, leftMs }: Deadline): Promise<RawAnswer> {
    const gate = request.gate === false ? OPEN_GATE : gateOf(request.gate)
    const { method, path } = request.route
    const onWait = (waitMs: number) =>
      observer.onWait({ method, path, waitMs, resumesAt: new Date(clock.now() + waitMs) })
    let [failures, waitedMs] = [0, 0]
    let refusal: RawAnswer | undefined
    let body: string | undefined

    for (let number = 1; ; number++) {
      const since = clock.now()
      const budgetMs = Math.min(limits.maxWaitMs - waitedMs, leftMs())
      const { ticket, waitMs = 0 } = await gate.pass({ signal, budgetMs, pace, again: number > 1, onWait })
      if (!ticket)
        throw refusal ? apiError(refusal, clock.now(), waitMs) : refusedHere(gate.known(), clock.now(), waitMs)
      waitedMs += clock.now() - since
      try {
        body ??= await request.body?.()
      } catch (error) {
        gate.unsent(ticket)
        throw error
      }
      const outcome = await exchange(gate, ticket, { request, body, timeoutMs: limits.timeoutMs, signal, number })
      const answer = outcome instanceof Error ? undefined : outcome
      if (answer && (isSuccess(answer) || request.accepts?.(answer, failures))) return answer

      // The gate knows how long it is closed, for this call as for all others.
      refusal = answer && gate !== OPEN_GATE && isRefusal(gateAnswerOf(answer, clock.now())) ? answer : undefined
      if (refusal) continue

      const failed = { status: answer?.status, askedWaitMs: answer && readWaitMs(answer.headers, clock.now()) }
      const patience = {
        retries: limits.maxRetries - failures,
        waitMs: Math.min(limits.maxWaitMs - waitedMs, leftMs()),
      }
      const pauseMs = retryWaitMs(failed, failures, patience, settings.random())
      const error = outcome instanceof Error ? outcome : apiError(outcome, clock.now(), failed.askedWaitMs ?? 0)
      if (pauseMs === undefined) throw error
      observer.onRetry({ method, path, attempt: number, status: answer?.status, code: error.code, waitMs: pauseMs })
      await untilAborted(() => clock.sleep(pauseMs, signal), signal)
      waitedMs += pauseMs
      failures += 1
    }
  }

  return async (request) => {
    const { signal, ...options } = request.options
    const limits = limitsOf(options, settings)
    const deadline = startDeadline(signal, limits.deadlineMs, clock)
    try {
      return await run(request, limits, deadline)
    } finally {
      deadline.close()
    }
  }
}

function isSuccess({ status }: RawAnswer): boolean {
  return status >= 200 && status < 300
}
