import { FishCrabError } from '../../errors/fish-crab-error.ts'
import { untilAborted } from '../../internal/wait.ts'
import type { Settings } from '../core/options.ts'
import { type CallLimits, resolveLimits } from '../core/options.ts'
import { steadyTime } from '../core/timing.ts'
import type { Permit } from '../rate-limiter/policy.ts'
import type { RateLimiter } from '../rate-limiter/rate-limiter.ts'
import { rateLimiterFinder } from '../rate-limiter/registry.ts'
import { apiError, localRateLimitError } from './api-error.ts'
import { type AttemptResult, createAttempts } from './attempt.ts'
import { createRedactor } from './fetch.ts'
import { type ApiRequest, isWrite } from './request.ts'
import { type ApiResponse, isSuccess, type Transport } from './response.ts'
import { changedNothing, isGoneOnRetry, retryWaitMs } from './retry-policy.ts'
import { createWarnings } from './warnings.ts'

interface Call {
  readonly request: ApiRequest
  readonly limits: CallLimits
  readonly limiter: RateLimiter
  /** Milliseconds that the call has waited for the rate limit. */
  waitedMs: number
}

/** Runs every call: acquires a permit, creates the body, sends an attempt, and retries. */
export function createTransport(settings: Settings): Transport {
  const { clock, observer } = settings
  const now = steadyTime(clock)
  const runAttempt = createAttempts(settings)
  const warnings = createWarnings(settings)
  const findLimiter = rateLimiterFinder(settings)

  return async (request) => {
    const limits = resolveLimits(request.options, settings)
    const limiter = typeof request.limiter === 'object' ? request.limiter : findLimiter(request.limiter)
    const outcome = { mayHaveChanged: false }
    try {
      return await runAttempts({ request, limits, limiter, waitedMs: 0 }, outcome)
    } catch (error) {
      throw error instanceof FishCrabError ? Object.assign(error, outcome) : error
    }
  }

  async function runAttempts(call: Call, outcome: { mayHaveChanged: boolean }): Promise<ApiResponse> {
    const { request, limits, limiter } = call
    const { signal } = request.options
    let failures = 0
    let body: string | undefined
    let refusal: ApiResponse | undefined
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted()
      const permit = await acquirePermit(call, attempt > 1, refusal)
      body ??= await makeBody(call, permit)
      const { mayHaveChanged } = outcome
      outcome.mayHaveChanged = isWrite(request)
      const result = await runAttempt(limiter, permit, { request, body, attempt, timeoutMs: limits.timeoutMs, signal })
      outcome.mayHaveChanged = mayHaveChanged || (isWrite(request) && !changedNothing(result))
      const { response, isRefused } = result
      // Responses to requests with a valid API key have no rate-limit headers.
      if (response?.rateLimit && settings.apiKey !== undefined && request.limiter === undefined)
        warnings.unknownApiKey()
      if (response && (isSuccess(response) || isGoneOnRetry(request, response, mayHaveChanged))) return response
      // A refusal closes the limiter for all calls, so the next permit waits until the limiter reopens.
      refusal = isRefused ? response : undefined
      if (isRefused) continue
      await waitToRetry(call, result, { attempt, failures })
      failures += 1
    }
  }

  /** @throws RateLimitError when the wait would exceed `maxWaitMs` */
  async function acquirePermit(call: Call, isRetry: boolean, refusal: ApiResponse | undefined): Promise<Permit> {
    const { request, limiter, limits } = call
    const { method, path } = request.route
    const { signal } = request.options
    const onWait = (waitMs: number) => {
      const event = { method, path, waitMs, resumesAt: new Date(clock.now() + waitMs) }
      observer.onWait(event)
      warnings.waiting(event)
    }
    const budgetMs = limits.maxWaitMs - call.waitedMs
    const since = now()
    const { permit, waitMs } = await limiter.acquire({ signal, budgetMs, pace: limits.pace, isRetry, onWait })
    call.waitedMs += now() - since
    if (permit) return permit
    throw refusal ? errorOf(request, refusal, waitMs) : localRateLimitError(limiter.state(), clock.now(), waitMs)
  }

  async function makeBody({ request, limiter }: Call, permit: Permit): Promise<string | undefined> {
    try {
      return request.json === undefined ? await request.body?.() : JSON.stringify(request.json)
    } catch (error) {
      limiter.releaseUnsent(permit)
      throw error
    }
  }

  /** Waits before the next attempt. @throws the error of the failed attempt when no further attempt is allowed */
  async function waitToRetry(
    call: Call,
    { response, error: lost }: AttemptResult,
    { attempt, failures }: { readonly attempt: number; readonly failures: number },
  ): Promise<void> {
    const { request, limits } = call
    const { method, path } = request.route
    const { signal } = request.options
    const waitMs = failures < limits.maxRetries ? retryWaitMs(response, failures, settings.random()) : undefined
    const error = response ? errorOf(request, response, response.retryAfterMs ?? response.resetMs ?? 0) : lost
    if (waitMs === undefined) throw error
    observer.onRetry({ method, path, attempt, status: response?.status, code: error.code, waitMs })
    await untilAborted(() => clock.sleep(waitMs, signal), signal)
  }

  function errorOf(request: ApiRequest, response: ApiResponse, waitMs: number) {
    return apiError(response, clock.now(), waitMs, createRedactor(request, settings))
  }
}
