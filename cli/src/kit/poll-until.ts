import {
  ApiError,
  type Clock,
  ConnectionError,
  InvalidResponseError,
  RateLimitError,
  type RateLimitState,
} from '@fish-crab/sdk'
import { describeError, isUntrusted } from '../core/describe-error.ts'
import { duration } from '../core/time.ts'

export interface RateLimitWindow {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until the window ends. */
  readonly resetInMs: number
}

interface PollResult<Value> {
  readonly value: Value
  /** Absent if the rate limit does not apply, as with an API key. */
  readonly rateLimit?: RateLimitWindow | undefined
}

/** Time of a poll and of the next poll, in milliseconds since 1970. */
export interface PollTimes {
  readonly at: number
  readonly nextAt: number
}

interface PollOptions<Value> {
  readonly clock: Clock
  /** Aborts the poll or pause in progress. */
  readonly signal: AbortSignal
  /** Minimum time from the start of a poll to the start of the next poll, in milliseconds. */
  readonly intervalMs: number
  readonly poll: () => Promise<PollResult<Value>>
  /** Returns `'done'` to end polling. */
  readonly onResult: (value: Value, times: PollTimes) => 'done' | undefined
  /** Throws to end polling. */
  readonly onError: (error: unknown, times: PollTimes) => void
}

export async function pollUntil<Value>(options: PollOptions<Value>): Promise<'done' | 'interrupted'> {
  const { clock, signal, intervalMs, poll, onResult, onError } = options
  while (!signal.aborted) {
    const startedAt = clock.now()
    let nextAt: number
    try {
      const { value, rateLimit } = await poll()
      if (signal.aborted) break
      const at = clock.now()
      nextAt = nextPollAt({ startedAt, endedAt: at, intervalMs, rateLimit })
      if (onResult(value, { at, nextAt }) === 'done') return 'done'
    } catch (error) {
      if (signal.aborted) break
      const at = clock.now()
      const resetAt = error instanceof RateLimitError ? Math.min(error.resetAt.getTime(), at + MAX_PAUSE_MS) : at
      nextAt = Math.max(resetAt, nextPollAt({ startedAt, endedAt: at, intervalMs }))
      onError(error, { at, nextAt })
    }
    await clock.sleep(Math.max(0, nextAt - clock.now()), signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
  return 'interrupted'
}

/** Times in milliseconds since 1970. */
interface PollTiming {
  readonly startedAt: number
  readonly endedAt: number
  readonly intervalMs: number
  readonly rateLimit?: RateLimitWindow | undefined
}

// The share of the requests in a window that is reserved for the other commands of the user.
const RESERVE = 0.2
// Maximum pause, in case a clock is wrong.
const MAX_PAUSE_MS = 3_600_000

/**
 * Returns the time of the next poll. The pause is longer than the interval if the remaining requests would not last
 * until the end of the window, with a fifth reserved for other commands.
 */
export function nextPollAt({ startedAt, endedAt, intervalMs, rateLimit }: PollTiming): number {
  const usual = Math.max(startedAt + intervalMs, endedAt)
  if (!rateLimit) return usual
  const { limit, remaining, resetInMs } = rateLimit
  const available = Math.max(0, remaining - Math.ceil(limit * RESERVE))
  // The number of pauses is one more than the number of requests, because the next window starts after the last pause.
  const pauseMs = Math.min(Math.ceil(resetInMs / (available + 1)), MAX_PAUSE_MS)
  return Math.max(usual, endedAt + pauseMs)
}

/** Times are relative to the `Date` of the response, so that a wrong local clock has no effect. */
export function rateLimitWindow(
  state: RateLimitState | undefined,
  date: string | null,
  now: number,
): RateLimitWindow | undefined {
  if (!state) return undefined
  const serverNow = date === null ? Number.NaN : Date.parse(date)
  const { limit, remaining, resetAt } = state
  return { limit, remaining, resetInMs: Math.max(0, resetAt.getTime() - (Number.isNaN(serverNow) ? now : serverNow)) }
}

/**
 * Whether the next poll may succeed, as after an error of the connection, the service or the rate limit. Before the
 * first valid response, a malformed response or an untrusted certificate is permanent.
 */
export function isTransient(error: unknown, hasConnected: boolean): boolean {
  if (error instanceof ConnectionError) return hasConnected || !isUntrusted(error)
  if (error instanceof InvalidResponseError) return hasConnected
  // After a restore or an import, the service does not know the old event ids. The next poll starts without an event
  // id.
  if (error instanceof ApiError && error.code === 'invalid_event_id') return true
  return error instanceof RateLimitError || (error instanceof ApiError && error.status >= 500)
}

export interface Outage {
  /** Start of the outage, in milliseconds since 1970. */
  readonly since: number
  readonly message: string
  /** The next step for the user. Absent once the service has responded, because then the address is right. */
  readonly hint?: string | undefined
}

export function outageOf(error: unknown, at: number, current: Outage | undefined, hasConnected: boolean): Outage {
  const { message, hint } = describeError(error)
  const toCheck = error instanceof ConnectionError && !hasConnected && hint !== null ? { hint } : {}
  return { since: current?.since ?? at, message, ...toCheck }
}

export function outageText({ message, hint }: Outage): readonly string[] {
  return [`fish-cli: ${message} Retrying.`, ...(hint === undefined ? [] : [`  ${hint}`])]
}

export function recoveryText({ since }: Outage, at: number): string {
  return `fish-cli: The service responds again, after ${duration(at - since)}.`
}
