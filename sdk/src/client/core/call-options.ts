import type { OptionNames } from '../../errors/check-options.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'

/** Options of every call. They override those of the client. */
export interface CallOptions extends LimitOptions {
  /** Cancels the call, including its waits; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The limits of calls. The defaults below are those of a client; the defaults of a call are its client's limits. */
export interface LimitOptions {
  /** Milliseconds for one attempt, up to the end of the response; `Infinity` for no limit. @default 10_000 */
  readonly timeoutMs?: number | undefined
  /**
   * Milliseconds that one call may wait in total for the rate limit. It fails with RateLimitError at once if it would have
   * to wait longer. `0` never waits for the next window, `Infinity` always does. While the limit is unknown, a call may wait
   * for the response to another one in any case. The pauses between retries do not count.
   * @default 3_600_000 (one hour)
   */
  readonly maxWaitMs?: number | undefined
  /** Retries after connection errors, 408, 425 and 5xx. A write repeats its token, which is stored once. @default 2 */
  readonly maxRetries?: number | undefined
  /** Whether to wait before the server would reject a request. Rejected requests wait in any case. @default true */
  readonly pace?: boolean | undefined
}

export type CallLimits = { readonly [Name in keyof LimitOptions]-?: NonNullable<LimitOptions[Name]> }

export const DEFAULT_LIMITS: CallLimits = { timeoutMs: 10_000, maxWaitMs: 3_600_000, maxRetries: 2, pace: true }

/** The names of the options of every call. */
export const CALL_OPTIONS: OptionNames<CallOptions> = {
  signal: true,
  timeoutMs: true,
  maxWaitMs: true,
  maxRetries: true,
  pace: true,
}

export function resolveLimits(given: LimitOptions, defaults: CallLimits): CallLimits {
  const { timeoutMs = defaults.timeoutMs, maxWaitMs = defaults.maxWaitMs } = given
  const { maxRetries = defaults.maxRetries, pace = defaults.pace } = given
  return { timeoutMs, maxWaitMs, maxRetries, pace }
}

export function limitIssues(given: LimitOptions): Issue[] {
  const { timeoutMs, maxWaitMs, maxRetries } = resolveLimits(given, DEFAULT_LIMITS)
  const issues: Issue[] = []
  const check = (right: boolean, path: keyof LimitOptions, message: string) => {
    if (!right) issues.push({ path, message })
  }
  check(typeof timeoutMs === 'number' && timeoutMs > 0, 'timeoutMs', 'Must be milliseconds above 0 or Infinity.')
  check(typeof maxWaitMs === 'number' && maxWaitMs >= 0, 'maxWaitMs', 'Must be milliseconds, 0 or more, or Infinity.')
  check(Number.isInteger(maxRetries) && maxRetries >= 0, 'maxRetries', 'Must be a whole number, 0 or more.')
  return issues
}
