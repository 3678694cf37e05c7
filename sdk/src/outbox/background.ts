import type { Clock } from '../client/core/timing.ts'
import { backoffMs } from '../internal/backoff.ts'
import { untilAborted } from '../internal/wait.ts'
import { rateLimitWaitMs } from './flush.ts'
import type { FlushReport } from './outbox.ts'

const FIRST_MS = 1000
const MAX_MS = 5 * 60_000

/** Poll interval while idle, because other processes may add catches to a shared file. */
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

/** Flushes repeatedly until `stop` is called. */
export function startBackground({ flush, onError, onWait, clock, random, lingerMs }: BackgroundOptions) {
  const stopping = new AbortController()
  /** Ends the current idle wait. */
  let wake: (() => void) | undefined
  /** Time of the first `nudge` since the last flush began, because that flush may have missed the new catches. */
  let nudgedAt: number | undefined

  async function run(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      const outcome = await flushOnce(failures)
      if (stopping.signal.aborted) return
      failures = outcome.failures
      const { waitMs } = outcome
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
      if (stopped.length === 0) return { failures: 0, waitMs: IDLE_MS }
      // The backoff does not grow while some batches are delivered.
      const failures = delivered > 0 ? 1 : failuresBefore + 1
      const until = Math.min(...stopped.map(({ retryAt }) => retryAt?.getTime() ?? Number.POSITIVE_INFINITY))
      const isLimited = until < Number.POSITIVE_INFINITY
      const waitMs = isLimited
        ? rateLimitWaitMs(until, clock.now(), random())
        : backoffMs(failures - 1, random(), FIRST_MS, MAX_MS)
      return { failures, waitMs, error: stopped[0]?.error }
    } catch (error) {
      if (!stopping.signal.aborted) onError(error)
      return { failures: failuresBefore + 1, waitMs: backoffMs(failuresBefore, random(), FIRST_MS, MAX_MS), error }
    }
  }

  /** Waits for `waitMs`, but after a nudge only until the linger time has passed. */
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
    /**
     * Schedules a flush of new catches after `lingerMs`. After a failure, the flush waits for the end of the backoff
     * instead.
     */
    nudge() {
      nudgedAt ??= clock.now()
      wake?.()
    },
    /** Stops flushing in the background, and resolves when the current flush has ended. */
    stop() {
      stopping.abort()
      return done
    },
  }
}
