import { untilAborted } from './abort.ts'
import { apiError, refusedHere } from './api-error.ts'
import type { ApiRequest } from './api-request.ts'
import type { RawAnswer } from './attempt.ts'
import { type Budget, startBudget } from './budget.ts'
import { type CallLimits, limitsOf } from './call-limits.ts'
import { steadyTime } from './clock.ts'
import { startDeadline } from './deadline.ts'
import { createExchange, type Exchanged } from './exchange.ts'
import { OPEN_GATE } from './gate/gate.ts'
import { gatesOf } from './gate/gates.ts'
import type { Ticket } from './gate/state.ts'
import type { Settings } from './options.ts'
import { readRetryAfterMs, readWaitMs } from './rate-limit.ts'
import { createRedaction } from './redaction.ts'
import { retryWaitMs } from './retry-policy.ts'

/** Sends requests until there is a successful answer, or none is to be had. */
export type Transport = (request: ApiRequest) => Promise<RawAnswer>

/** A transport with connections and settings of its own. */
export function createTransport(settings: Settings): Transport {
  const { clock, observer } = settings
  const now = steadyTime(clock)
  const exchange = createExchange(settings)
  const gateOf = gatesOf(settings)

  async function run(request: ApiRequest, limits: CallLimits, budget: Budget, signal: AbortSignal | undefined) {
    const gate = request.gate === false ? OPEN_GATE : gateOf(request.gate)
    const { method, path } = request.route
    const { pace = settings.pace } = request.options
    const errorOf = (answer: RawAnswer, waitMs: number) =>
      apiError(answer, clock.now(), waitMs, createRedaction(request, settings))

    async function pass(isAgain: boolean, refusal: RawAnswer | undefined): Promise<Ticket> {
      const onWait = (waitMs: number) =>
        observer.onWait({ method, path, waitMs, resumesAt: new Date(clock.now() + waitMs) })
      const budgetMs = budget.leftMs()
      const passage = await budget.wait(() => gate.pass({ signal, budgetMs, pace, again: isAgain, onWait }))
      if (passage.ticket) return passage.ticket
      throw refusal ? errorOf(refusal, passage.waitMs) : refusedHere(gate.known(), clock.now(), passage.waitMs)
    }

    async function makeBody(ticket: Ticket): Promise<string | undefined> {
      try {
        return await request.body?.()
      } catch (error) {
        gate.unsent(ticket)
        throw error
      }
    }

    /** @throws the failure, when no further try is to be made */
    async function pauseAfter({ answer, lost }: Exchanged, failures: number): Promise<void> {
      // Only a refusal waits for the end of the window: a failure has nothing to do with it.
      const askedWaitMs = answer && readRetryAfterMs(answer.headers, clock.now())
      const patience = { retries: limits.maxRetries - failures, waitMs: budget.leftMs() }
      const waitMs = retryWaitMs({ status: answer?.status, askedWaitMs }, failures, patience, settings.random())
      const error = answer ? errorOf(answer, readWaitMs(answer.headers, clock.now()) ?? 0) : lost
      if (waitMs === undefined) throw error
      observer.onRetry({ method, path, attempt: failures + 1, status: answer?.status, code: error.code, waitMs })
      await budget.wait(() => untilAborted(() => clock.sleep(waitMs, signal), signal))
    }

    let failures = 0
    let body: string | undefined
    let refusal: RawAnswer | undefined
    for (let number = 1; ; number++) {
      signal?.throwIfAborted()
      const ticket = await pass(number > 1, refusal)
      body ??= await makeBody(ticket)
      const exchanged = await exchange(gate, ticket, { request, body, timeoutMs: limits.timeoutMs, signal, number })
      const { answer, isRefused } = exchanged
      if (answer && (isSuccess(answer) || request.accepts?.(answer, failures))) return answer
      // A refusal closed the gate, for this call as for all others.
      refusal = isRefused ? answer : undefined
      if (isRefused) continue
      await pauseAfter(exchanged, failures)
      failures += 1
    }
  }

  return async (request) => {
    const { signal, ...options } = request.options
    const limits = limitsOf(options, settings)
    const deadline = startDeadline(signal, limits.deadlineMs, clock, now)
    try {
      return await run(request, limits, startBudget(limits.maxWaitMs, deadline.leftMs, now), deadline.signal)
    } finally {
      deadline.close()
    }
  }
}

function isSuccess({ status }: RawAnswer): boolean {
  return status >= 200 && status < 300
}
