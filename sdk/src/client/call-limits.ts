import { ValidationError } from '../errors/fish-crab-error.ts'
import type { CallOptions } from './call-options.ts'
import { type OptionNames, unknownOptions } from './unknown-options.ts'

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
