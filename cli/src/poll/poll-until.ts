import { type Clock, isRateLimitError } from '@fish-crab/sdk'
import { type Allowance, nextLookAt, nextTryAt } from './pace.ts'

/** What a look found. */
export interface Look<Seen> {
  readonly seen: Seen
  readonly allowance?: Allowance | undefined
}

/** When something was looked at, and when it will be again: milliseconds since 1970. */
export interface Times {
  readonly at: number
  readonly nextAt: number
}

/** How to go on looking. */
export interface Looking<Seen> {
  readonly clock: Clock
  /** Ends it, a look or a pause that is under way included. */
  readonly signal: AbortSignal
  /** Milliseconds from the beginning of one look to that of the next, at least. */
  readonly intervalMs: number
  readonly look: () => Promise<Look<Seen>>
  /** Takes what was seen. `'enough'` ends it. */
  readonly onSeen: (seen: Seen, times: Times) => 'enough' | undefined
  /** Hears why there was nothing to see. What it throws ends it. */
  readonly onFailed: (error: unknown, times: Times) => void
}

/** How looking ended. */
export type Ended = 'enough' | 'interrupted'

/** Looks again and again, at the pace that the rate limit allows. */
export async function keepLooking<Seen>(looking: Looking<Seen>): Promise<Ended> {
  const { clock, signal, intervalMs, look, onSeen, onFailed } = looking
  while (!signal.aborted) {
    const startedAt = clock.now()
    const looked = () => ({ startedAt, answeredAt: clock.now(), intervalMs })
    let nextAt: number
    try {
      const { seen, allowance } = await look()
      if (signal.aborted) break
      const { answeredAt: at } = looked()
      nextAt = nextLookAt({ ...looked(), allowance })
      if (onSeen(seen, { at, nextAt }) === 'enough') return 'enough'
    } catch (error) {
      if (signal.aborted) break
      nextAt = nextTryAt(looked(), isRateLimitError(error) ? error.resetAt.getTime() : undefined)
      onFailed(error, { at: clock.now(), nextAt })
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
