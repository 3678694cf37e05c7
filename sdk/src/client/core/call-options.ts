import { assertOptions, type OptionNames, unknownOptions } from '../../errors/check-options.ts'
import { throwIssues } from '../../errors/fish-crab-error.ts'

/** Options of every call. They override those of the client. */
export interface CallOptions extends LimitOptions {
  /** Cancels the call, including its waits; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The limits of calls. The defaults below are those of a client; the defaults of a call are its client's limits. */
export interface LimitOptions {
  /** Milliseconds for one attempt, up to the end of the response; `Infinity` for no limit. @default 10_000 */
  readonly timeoutMs?: number | undefined
  /** Milliseconds for one call, including waits and retries. @default Infinity */
  readonly deadlineMs?: number | undefined
  /**
   * Milliseconds that one call may wait in total, mainly for the rate limit. It fails with RateLimitError at once if it
   * would have to wait longer. `0` never waits for the next window, `Infinity` always does. While the limit is unknown,
   * a call may wait for the response to another one in any case.
   * @default 3_600_000 (one hour)
   */
  readonly maxWaitMs?: number | undefined
  /** Retries after connection errors, 408, 425 and 5xx. A write repeats its token, which is stored once. @default 2 */
  readonly maxRetries?: number | undefined
  /** Whether to wait before the server would reject a request. Rejected requests wait in any case. @default true */
  readonly pace?: boolean | undefined
}

export interface CallLimits {
  readonly timeoutMs: number
  readonly deadlineMs: number
  readonly maxWaitMs: number
  readonly maxRetries: number
}

export const DEFAULT_LIMITS: CallLimits = {
  timeoutMs: 10_000,
  deadlineMs: Number.POSITIVE_INFINITY,
  maxWaitMs: 3_600_000,
  maxRetries: 2,
}

/** Checks the limits of a client or a call, and fills them in from `defaults`. */
export function resolveLimits(
  given: Partial<Record<keyof CallLimits, number | undefined>>,
  defaults: CallLimits,
  check: (right: boolean, path: keyof CallLimits, message: string) => void,
): CallLimits {
  const { timeoutMs = defaults.timeoutMs, deadlineMs = defaults.deadlineMs } = given
  const { maxWaitMs = defaults.maxWaitMs, maxRetries = defaults.maxRetries } = given
  check(typeof timeoutMs === 'number' && timeoutMs > 0, 'timeoutMs', 'Must be milliseconds above 0 or Infinity.')
  check(typeof deadlineMs === 'number' && deadlineMs > 0, 'deadlineMs', 'Must be milliseconds above 0 or Infinity.')
  check(typeof maxWaitMs === 'number' && maxWaitMs >= 0, 'maxWaitMs', 'Must be milliseconds, 0 or more, or Infinity.')
  check(Number.isInteger(maxRetries) && maxRetries >= 0, 'maxRetries', 'Must be a whole number, 0 or more.')
  return { timeoutMs, deadlineMs, maxWaitMs, maxRetries }
}

// Includes the options of specific calls, so that all calls can share one options object.
const KNOWN: OptionNames<CallOptions> & OptionNames = {
  signal: true,
  timeoutMs: true,
  deadlineMs: true,
  maxWaitMs: true,
  maxRetries: true,
  pace: true,
  user: true,
  gamemode: true,
  detail: true,
  limit: true,
  cursor: true,
  pageSize: true,
  kind: true,
}

/** @throws ValidationError for anything but an options object */
export function assertCallOptions(options: CallOptions): void {
  assertOptions(options, KNOWN)
}

/** The limits of one call. @throws ValidationError that names every wrong or unknown option */
export function resolveCallLimits(options: CallOptions, client: CallLimits): CallLimits {
  assertCallOptions(options)
  const issues = unknownOptions(options, KNOWN)
  const limits = resolveLimits(options, client, (right, path, message) => {
    if (!right) issues.push({ path, message })
  })
  throwIssues(issues)
  return limits
}
