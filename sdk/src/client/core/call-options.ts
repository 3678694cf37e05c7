import { type OptionNames, unknownOptions } from '../../errors/check-options.ts'
import { ValidationError } from '../../errors/fish-crab-error.ts'

/** What every call may be told. What is left out is as the client says. */
export interface CallOptions {
  /** Ends the call, its waits included; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds one try may take. @default the client's `timeoutMs` */
  readonly timeoutMs?: number | undefined
  /** Milliseconds the whole call may take, its waits and further tries included. @default the client's `deadlineMs` */
  readonly deadlineMs?: number | undefined
  /**
   * Milliseconds the call may wait for the rate limit and between its tries; a longer wait is not begun, and fails with
   * RateLimitError. @default the client's `maxWaitMs`
   */
  readonly maxWaitMs?: number | undefined
  /** Further tries after lost answers, 408, 425 and 5xx. @default the client's `maxRetries` */
  readonly maxRetries?: number | undefined
  /** Whether to hold back before the server would refuse. @default the client's `pace` */
  readonly pace?: boolean | undefined
}

/** What bounds a call. */
export interface CallLimits {
  readonly timeoutMs: number
  readonly deadlineMs: number
  readonly maxWaitMs: number
  readonly maxRetries: number
}

/** What bounds a call when nothing is said. */
export const DEFAULT_LIMITS: CallLimits = {
  timeoutMs: 10_000,
  deadlineMs: Number.POSITIVE_INFINITY,
  maxWaitMs: 3_600_000,
  maxRetries: 2,
}

/** The limits of a client or of one call, with what is left out from `defaults`. */
export function readLimits(
  given: Partial<Record<keyof CallLimits, number | undefined>>,
  defaults: CallLimits,
  check: (right: boolean, path: keyof CallLimits, message: string) => void,
): CallLimits {
  const { timeoutMs = defaults.timeoutMs, deadlineMs = defaults.deadlineMs } = given
  const { maxWaitMs = defaults.maxWaitMs, maxRetries = defaults.maxRetries } = given
  check(typeof timeoutMs === 'number' && timeoutMs > 0, 'timeoutMs', 'Must be milliseconds above 0, or Infinity.')
  check(typeof deadlineMs === 'number' && deadlineMs > 0, 'deadlineMs', 'Must be milliseconds above 0, or Infinity.')
  check(typeof maxWaitMs === 'number' && maxWaitMs >= 0, 'maxWaitMs', 'Must be milliseconds, 0 or more, or Infinity.')
  check(Number.isInteger(maxRetries) && maxRetries >= 0, 'maxRetries', 'Must be a whole number, 0 or more.')
  return { timeoutMs, deadlineMs, maxWaitMs, maxRetries }
}

// Also what some calls alone take: options may be shared among calls.
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
}

/** The limits of one call. @throws ValidationError that names every wrong or unknown option */
export function limitsOf(options: CallOptions, client: CallLimits): CallLimits {
  const issues = unknownOptions(options, KNOWN)
  const limits = readLimits(options, client, (right, path, message) => {
    if (!right) issues.push({ path, message })
  })
  if (issues.length > 0) throw new ValidationError(issues)
  return limits
}
