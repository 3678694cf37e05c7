import {
  ApiError,
  type Clock,
  ConnectionError,
  InvalidResponseError,
  RateLimitError,
  type RateLimitState,
} from '@fish-crab/sdk'
import { describeError, isUntrusted } from '../client/describe-error.ts'
import { duration } from '../core/time.ts'

/** What a look found. */
export interface PollResult<Seen> {
  readonly value: Seen
  readonly rateLimit?: RateLimitWindow | undefined
}

/** When something was looked at, and when it will be again: milliseconds since 1970. */
export interface PollTimes {
  readonly at: number
  readonly nextAt: number
}

/** How to go on looking. */
interface PollOptions<Seen> {
  readonly clock: Clock
  /** Ends it, a look or a pause that is under way included. */
  readonly signal: AbortSignal
  /** Milliseconds from the beginning of one look to that of the next, at least. */
  readonly intervalMs: number
  readonly poll: () => Promise<PollResult<Seen>>
  /** Takes what was seen. `'enough'` ends it. */
  readonly onResult: (seen: Seen, times: PollTimes) => 'enough' | undefined
  /** Hears why there was nothing to see. What it throws ends it. */
  readonly onError: (error: unknown, times: PollTimes) => void
}

/** How looking ended. */
type PollEnd = 'enough' | 'interrupted'

/** Looks again and again, at the pace that the rate limit allows. */
export async function pollUntil<Seen>(looking: PollOptions<Seen>): Promise<PollEnd> {
  const { clock, signal, intervalMs, poll, onResult, onError } = looking
  while (!signal.aborted) {
    const startedAt = clock.now()
    const looked = () => ({ startedAt, answeredAt: clock.now(), intervalMs })
    let nextAt: number
    try {
      const { value, rateLimit } = await poll()
      if (signal.aborted) break
      const { answeredAt: at } = looked()
      nextAt = nextPollAt({ ...looked(), rateLimit })
      if (onResult(value, { at, nextAt }) === 'enough') return 'enough'
    } catch (error) {
      if (signal.aborted) break
      nextAt = nextRetryAt(looked(), error instanceof RateLimitError ? error.resetAt.getTime() : undefined)
      onError(error, { at: clock.now(), nextAt })
    }
    await pause(clock, nextAt - clock.now(), signal)
  }
  return 'interrupted'
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(Math.max(0, ms), signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** What the service said of its rate limit. */
interface RateLimitWindow {
  /** Requests a window. */
  readonly limit: number
  /** Requests that are left in this window. */
  readonly remaining: number
  /** Milliseconds until the window ends. */
  readonly resetInMs: number
}

/** What says when to look again. All times are milliseconds since 1970. */
interface PollTiming {
  readonly startedAt: number
  readonly answeredAt: number
  readonly intervalMs: number
  /** Nothing where the limit does not hold, as with an API key. */
  readonly rateLimit?: RateLimitWindow | undefined
}

/** The part of a window that is left to other commands of the same person. */
const LEFT_TO_OTHERS = 0.2
/** However wrong clocks are. */
const LONGEST_PAUSE_MS = 3_600_000

/**
 * When to look again: after the interval, or later, so that what is left of the window lasts until its end and a fifth
 * of it stays for others.
 * @example nextLookAt({ startedAt: 0, answeredAt: 100, intervalMs: 15_000 }) // 15_000
 */
export function nextPollAt({ startedAt, answeredAt, intervalMs, rateLimit }: PollTiming): number {
  const usual = Math.max(startedAt + intervalMs, answeredAt)
  if (!rateLimit) return usual
  const { limit, remaining, resetInMs } = rateLimit
  const ours = Math.max(0, remaining - Math.ceil(limit * LEFT_TO_OTHERS))
  // One pause more than requests: behind the last one begins the next window.
  const pauseMs = Math.min(Math.ceil(resetInMs / (ours + 1)), LONGEST_PAUSE_MS)
  return Math.max(usual, answeredAt + pauseMs)
}

/** When to look again after a look that failed. @param resetAt When the rate limit ends, where it was that */
function nextRetryAt({ startedAt, answeredAt, intervalMs }: PollTiming, resetAt: number | undefined): number {
  const usual = Math.max(startedAt + intervalMs, answeredAt)
  return resetAt === undefined ? usual : Math.max(usual, Math.min(resetAt, answeredAt + LONGEST_PAUSE_MS))
}

/**
 * Reads what an answer says. Times are held against its own `Date`: a wrong clock of this machine does no harm.
 * @param date The `Date` header. @param now This machine's time, for answers without
 */
export function rateLimitWindow(
  state: RateLimitState | undefined,
  date: string | null,
  now: number,
): RateLimitWindow | undefined {
  if (!state) return undefined
  const serverNow = date === null ? Number.NaN : Date.parse(date)
  const { limit, remaining, resetAt } = state
  return {
    limit,
    remaining,
    resetInMs: Math.max(0, resetAt.getTime() - (Number.isNaN(serverNow) ? now : serverNow)),
  }
}

/**
 * Whether a failure may be over at the next look: the connection, the service itself, or its limit. Where nothing was
 * ever seen, something else that answers is no trouble of the service but a wrong address, and whom this machine does
 * not trust it will not trust later.
 */
export function isTransient(error: unknown, hasSeen: boolean): boolean {
  if (error instanceof ConnectionError) return hasSeen || !isUntrusted(error)
  if (error instanceof InvalidResponseError) return hasSeen
  return error instanceof RateLimitError || (error instanceof ApiError && error.status >= 500)
}

/** Trouble that was told, and is not over. */
export interface Outage {
  /** When it began, milliseconds since 1970. */
  readonly since: number
  readonly message: string
  /** What a person can do about it, where looking again may not help. */
  readonly hint?: string | undefined
}

/** Trouble that goes on, or begins. @param hasSeen Then the address is right, and there is nothing to do but wait */
export function outageOf(error: unknown, at: number, before: Outage | undefined, hasSeen: boolean): Outage {
  const { message, hint } = describeError(error)
  const toDo = error instanceof ConnectionError && !hasSeen && hint !== null ? { hint } : {}
  return { since: before?.since ?? at, message, ...toDo }
}

/** What is told when it begins. */
export function outageText({ message, hint }: Outage): string {
  return `fish-cli: ${message} Watching goes on.${hint === undefined ? '' : `\n  ${hint}`}`
}

/** What is told when it is over. */
export function recoveryText({ since }: Outage, at: number): string {
  return `fish-cli: The service answers again, after ${duration(at - since)}.`
}
