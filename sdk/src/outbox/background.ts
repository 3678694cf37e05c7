import type { Clock } from '../client/core/timing.ts'
import { untilAborted } from '../internal/wait.ts'
import { rateLimitWaitMs } from './flush.ts'
import type { FlushReport } from './outbox.ts'

const FIRST_MS = 1000
const MAX_MS = 5 * 60_000

/** Poll interval while idle: other processes may add to a shared file. */
const IDLE_MS = 30_000

interface BackgroundOptions {
  /** Flushes without waiting for the rate limit. */
  readonly flush: (signal: AbortSignal) => Promise<FlushReport>
  /** Called when a flush fails as a whole. */
  readonly onError: (error: unknown) => void
  readonly onWait: (until: number, error: unknown) => void
  readonly clock: Clock
  readonly random: () => number
  readonly lingerMs: () => number
}

export type Background = ReturnType<typeof startBackground>

/** Flushes repeatedly until it is stopped. */
export function startBackground({ flush, onError, onWait, clock, random, lingerMs }: BackgroundOptions) {
  const stopping = new AbortController()
  /** Ends the wait of an idle background. */
  let wake: (() => void) | undefined
  /** Time of the first `nudge` since the last flush began, which may have missed it. */
  let nudgedAt: number | undefined

  async function run(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      const outcome = await flushOnce(failures)
      if (stopping.signal.aborted) return
      failures = outcome.failures
      const waitMs = delayMs(outcome, clock.now(), random())
      if (failures > 0) {
        onWait(clock.now() + waitMs, outcome.error)
        await sleep(waitMs, stopping.signal)
      } else {
        await idle(waitMs)
      }
    }
  }

  async function flushOnce(failuresBefore: number) {
    nudgedAt = undefined
    try {
      const { stopped, delivered } = await flush(stopping.signal)
      return {
        // While some batches get through, the backoff does not grow.
        failures: stopped.length === 0 ? 0 : delivered > 0 ? 1 : failuresBefore + 1,
        error: stopped[0]?.error,
        limitedUntil: earliest(stopped.map(({ retryAt }) => retryAt)),
      }
    } catch (error) {
      if (!stopping.signal.aborted) onError(error)
      return { failures: failuresBefore + 1, error }
    }
  }

  /** Waits, but after a nudge only until its linger time is over. */
  async function idle(waitMs: number): Promise<void> {
    const woken = new AbortController()
    wake = () => woken.abort()
    if (nudgedAt !== undefined) wake()
    await sleep(waitMs, AbortSignal.any([stopping.signal, woken.signal]))
    wake = undefined
    if (nudgedAt === undefined) return
    const leftMs = lingerMs() - Math.max(clock.now() - nudgedAt, 0)
    if (leftMs > 0) await sleep(leftMs, stopping.signal)
  }

  /** Resolves after the sleep, or when the signal aborts. */
  async function sleep(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(() => clock.sleep(ms, signal), signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  const done = run()
  return {
    /** Something was added: flushes after `lingerMs`, unless a failure makes everything wait. */
    nudge() {
      nudgedAt ??= clock.now()
      wake?.()
    },
    /** Resolves when its flush has ended. */
    stop() {
      stopping.abort()
      return done
    },
  }
}

interface FlushOutcome {
  /** Consecutive flushes with failures, this one included. */
  readonly failures: number
  /** End of the rate-limit window in milliseconds since 1970, if the flush was limited. */
  readonly limitedUntil?: number | undefined
}

/** With a backoff of 1 s that doubles with each failure up to 5 minutes. `random` lengthens it by up to half. */
function delayMs({ failures, limitedUntil }: FlushOutcome, now: number, random: number): number {
  if (limitedUntil !== undefined) return rateLimitWaitMs(limitedUntil, now, random)
  if (failures > 0) return Math.min(FIRST_MS * 2 ** (failures - 1), MAX_MS) * (1 + random / 2)
  return IDLE_MS
}

function earliest(dates: readonly (Date | undefined)[]): number | undefined {
  const times = dates.flatMap((date) => date?.getTime() ?? [])
  return times.length > 0 ? Math.min(...times) : undefined
}
