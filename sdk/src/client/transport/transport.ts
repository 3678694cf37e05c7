import { untilAborted } from '../../internal/wait.ts'
import { type CallLimits, resolveCallLimits } from '../core/call-options.ts'
import type { Settings } from '../core/options.ts'
import { type Budget, startBudget, startDeadline, steadyTime } from '../core/timing.ts'
import type { Permit } from '../rate-limiter/policy.ts'
import type { RateLimiter } from '../rate-limiter/rate-limiter.ts'
import { rateLimiterFinder } from '../rate-limiter/registry.ts'
import { apiError, localRateLimitError } from './api-error.ts'
import { type AttemptResult, createAttempts } from './attempt.ts'
import { createRedactor } from './fetch.ts'
import type { ApiRequest } from './request.ts'
import { type ApiResponse, isSuccess } from './response.ts'
import { retryWaitMs } from './retry-policy.ts'
import { createWarnings } from './warnings.ts'

/** Makes one call: sends its request, and retries where that may help, until a response is final. */
export type Transport = (request: ApiRequest) => Promise<ApiResponse>

interface Call {
  readonly request: ApiRequest
  readonly limits: CallLimits
  readonly limiter: RateLimiter
  /** What is left of `maxWaitMs` and `deadlineMs`. */
  readonly budget: Budget
  /** Aborts with the caller's reason, or when the deadline has passed. */
  readonly signal: AbortSignal | undefined
}

/** The flow of every call: permit, body, attempt, retry. */
export function createTransport(settings: Settings): Transport {
  const { clock, observer } = settings
  const now = steadyTime(clock)
  const runAttempt = createAttempts(settings)
  const warnings = createWarnings(settings)
  const findLimiter = rateLimiterFinder(settings)

  return async (request) => {
    const limits = resolveCallLimits(request.options, settings)
    const limiter = typeof request.limiter === 'object' ? request.limiter : findLimiter(request.limiter)
    const deadline = startDeadline(clock, limits.deadlineMs, request.options.signal, now)
    const budget = startBudget(limits.maxWaitMs, deadline.leftMs, now)
    try {
      return await run({ request, limits, limiter, budget, signal: deadline.signal })
    } finally {
      deadline.cancel()
    }
  }

  async function run(call: Call): Promise<ApiResponse> {
    const { request, limits, limiter, signal } = call
    let failures = 0
    let body: string | undefined
    let refusal: ApiResponse | undefined
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted()
      const permit = await acquirePermit(call, attempt > 1, refusal)
      if (request.body) body ??= await makeBody(call, permit)
      const result = await runAttempt(limiter, permit, { request, body, attempt, timeoutMs: limits.timeoutMs, signal })
      const { response, isRefused } = result
      // A valid key lifts the limit: the response then has none of its headers.
      if (response?.rateLimit && settings.apiKey !== undefined && request.limiter === undefined)
        warnings.unknownApiKey()
      if (response && (isSuccess(response) || request.accepts?.(response, failures))) return response
      // A refusal closed the limiter, for this call as for all others: the next permit waits for its end.
      refusal = isRefused ? response : undefined
      if (isRefused) continue
      await waitToRetry(call, result, failures)
      failures += 1
    }
  }

  /** @throws RateLimitError when the wait would not fit the budget */
  async function acquirePermit(call: Call, isRetry: boolean, refusal: ApiResponse | undefined): Promise<Permit> {
    const { request, limiter, budget, signal } = call
    const { method, path } = request.route
    const { pace = settings.pace } = request.options
    const onWait = (waitMs: number) => {
      const event = { method, path, waitMs, resumesAt: new Date(clock.now() + waitMs) }
      observer.onWait(event)
      warnings.waiting(event)
    }
    const budgetMs = budget.leftMs()
    const { permit, waitMs } = await budget.wait(() => limiter.acquire({ signal, budgetMs, pace, isRetry, onWait }))
    if (permit) return permit
    throw refusal ? errorOf(request, refusal, waitMs) : localRateLimitError(limiter.state(), clock.now(), waitMs)
  }

  async function makeBody({ request, limiter }: Call, permit: Permit): Promise<string | undefined> {
    try {
      return await request.body?.()
    } catch (error) {
      limiter.releaseUnsent(permit)
      throw error
    }
  }

  /** Waits before the next attempt. @throws the error of the failed attempt when no further attempt is allowed */
  async function waitToRetry(call: Call, { response, error: lost }: AttemptResult, failures: number): Promise<void> {
    const { request, limits, budget, signal } = call
    const { method, path } = request.route
    // Only a rejection by the rate limit waits for the end of the window; other failures are unrelated to it.
    const failed = { status: response?.status, retryAfterMs: response?.retryAfterMs, failures }
    const left = { retriesLeft: limits.maxRetries - failures, waitLeftMs: budget.leftMs() }
    const waitMs = retryWaitMs({ ...failed, ...left }, settings.random())
    const error = response ? errorOf(request, response, response.retryAfterMs ?? response.resetMs ?? 0) : lost
    if (waitMs === undefined) throw error
    observer.onRetry({ method, path, attempt: failures + 1, status: response?.status, code: error.code, waitMs })
    await budget.wait(() => untilAborted(() => clock.sleep(waitMs, signal), signal))
  }

  function errorOf(request: ApiRequest, response: ApiResponse, waitMs: number) {
    return apiError(response, clock.now(), waitMs, createRedactor(request, settings))
  }
}
