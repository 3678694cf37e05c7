import { type CallLimits, limitsOf } from '../core/call-options.ts'
import type { Settings } from '../core/options.ts'
import { type Budget, startBudget, startDeadline, steadyTime, untilAborted } from '../core/timing.ts'
import type { Permit } from '../rate-limiter/policy.ts'
import { UNLIMITED } from '../rate-limiter/rate-limiter.ts'
import { rateLimiterFinder } from '../rate-limiter/registry.ts'
import { apiError, rateLimitedLocally } from './api-error.ts'
import { type AttemptResult, createAttempts } from './attempt.ts'
import { createRedaction } from './fetch.ts'
import type { ApiRequest, RawResponse } from './request.ts'
import { readRetryAfterMs, readWaitMs } from './response.ts'
import { retryWaitMs } from './retry-policy.ts'

/** Sends requests until there is a successful response, or none is to be had. */
export type Transport = (request: ApiRequest) => Promise<RawResponse>

/** A transport with connections and settings of its own. */
export function createTransport(settings: Settings): Transport {
  const { clock, observer } = settings
  const now = steadyTime(clock)
  const attemptOnce = createAttempts(settings)
  const limiterOf = rateLimiterFinder(settings)

  async function run(request: ApiRequest, limits: CallLimits, budget: Budget, signal: AbortSignal | undefined) {
    const limiter = request.limiter === false ? UNLIMITED : limiterOf(request.limiter)
    const { method, path } = request.route
    const { pace = settings.pace } = request.options
    const errorOf = (response: RawResponse, waitMs: number) =>
      apiError(response, clock.now(), waitMs, createRedaction(request, settings))

    async function acquirePermit(isAgain: boolean, refusal: RawResponse | undefined): Promise<Permit> {
      const onWait = (waitMs: number) =>
        observer.onWait({ method, path, waitMs, resumesAt: new Date(clock.now() + waitMs) })
      const budgetMs = budget.leftMs()
      const acquisition = await budget.wait(() => limiter.acquire({ signal, budgetMs, pace, isRetry: isAgain, onWait }))
      if (acquisition.permit) return acquisition.permit
      throw refusal
        ? errorOf(refusal, acquisition.waitMs)
        : rateLimitedLocally(limiter.state(), clock.now(), acquisition.waitMs)
    }

    async function makeBody(permit: Permit): Promise<string | undefined> {
      try {
        return await request.body?.()
      } catch (error) {
        limiter.releaseUnsent(permit)
        throw error
      }
    }

    /** @throws the failure, when no further try is to be made */
    async function pauseAfter({ response, lost }: AttemptResult, failures: number): Promise<void> {
      // Only a refusal waits for the end of the window: a failure has nothing to do with it.
      const askedWaitMs = response && readRetryAfterMs(response.headers, clock.now())
      const patience = { retries: limits.maxRetries - failures, waitMs: budget.leftMs() }
      const waitMs = retryWaitMs({ status: response?.status, askedWaitMs }, failures, patience, settings.random())
      const error = response ? errorOf(response, readWaitMs(response.headers, clock.now()) ?? 0) : lost
      if (waitMs === undefined) throw error
      observer.onRetry({ method, path, attempt: failures + 1, status: response?.status, code: error.code, waitMs })
      await budget.wait(() => untilAborted(() => clock.sleep(waitMs, signal), signal))
    }

    let failures = 0
    let body: string | undefined
    let refusal: RawResponse | undefined
    for (let number = 1; ; number++) {
      signal?.throwIfAborted()
      const permit = await acquirePermit(number > 1, refusal)
      body ??= await makeBody(permit)
      const result = await attemptOnce(limiter, permit, { request, body, timeoutMs: limits.timeoutMs, signal, number })
      const { response, isRefused } = result
      if (response && (isSuccess(response) || request.accepts?.(response, failures))) return response
      // A refusal closed the limiter, for this call as for all others.
      refusal = isRefused ? response : undefined
      if (isRefused) continue
      await pauseAfter(result, failures)
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

function isSuccess({ status }: RawResponse): boolean {
  return status >= 200 && status < 300
}
