import type { Clock } from '../client/core/timing.ts'
import { untilAborted } from '../internal/wait.ts'
import { nextFlushMs } from './backoff.ts'
import type { FlushReport } from './outbox.ts'

export interface BackgroundParts {
  /** Flushes without waiting for the rate limit. */
  readonly flush: (signal: AbortSignal) => Promise<FlushReport>
  /** Called when a flush fails as a whole. */
  readonly onError: (error: unknown) => void
  readonly onWait: (until: number, error: unknown) => void
  readonly clock: Clock
  readonly random: () => number
  readonly lingerMs: () => number
}

/** Flushes repeatedly until it is stopped. */
export class Background {
  readonly #parts: BackgroundParts
  readonly #stopping = new AbortController()
  readonly #done: Promise<void>
  /** Ends the wait of an idle background. */
  #wake: (() => void) | undefined
  /** Time of the first `add` since the last flush began, which may have missed it. */
  #nudgedAt: number | undefined

  constructor(parts: BackgroundParts) {
    this.#parts = parts
    this.#done = this.#run()
  }

  /** Something was added: flushes after `lingerMs`, unless a failure makes everything wait. */
  nudge(): void {
    this.#nudgedAt ??= this.#parts.clock.now()
    this.#wake?.()
  }

  /** Stops it; resolves when its flush has ended. */
  stop(): Promise<void> {
    this.#stopping.abort()
    return this.#done
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let failures = 0
    while (!signal.aborted) {
      const outcome = await this.#flush(failures)
      if (signal.aborted) return
      failures = outcome.failures
      const { clock, random } = this.#parts
      const waitMs = nextFlushMs(outcome, clock.now(), random())
      const mayBeWoken = failures === 0
      if (failures > 0) this.#parts.onWait(clock.now() + waitMs, outcome.error)
      await this.#wait(waitMs, mayBeWoken)
    }
  }

  async #flush(failuresBefore: number) {
    this.#nudgedAt = undefined
    try {
      const { stopped, leased, sent } = await this.#parts.flush(this.#stopping.signal)
      return {
        // While some batches get through, the backoff does not grow.
        failures: stopped.length === 0 ? 0 : sent > 0 ? 1 : failuresBefore + 1,
        error: stopped[0]?.error,
        limitedUntil: earliest(stopped.map(({ retryAt }) => retryAt)),
        leasedUntil: earliest(leased.map(({ until }) => until)),
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#parts.onError(error)
      return { failures: failuresBefore + 1, error }
    }
  }

  async #wait(waitMs: number, mayBeWoken: boolean): Promise<void> {
    const { clock } = this.#parts
    const woken = new AbortController()
    if (mayBeWoken) this.#wake = () => woken.abort()
    if (mayBeWoken && this.#nudgedAt !== undefined) woken.abort()
    await this.#sleep(waitMs, AbortSignal.any([this.#stopping.signal, woken.signal]))
    this.#wake = undefined
    if (!woken.signal.aborted || this.#nudgedAt === undefined) return
    const lingeredMs = Math.max(clock.now() - this.#nudgedAt, 0)
    const lingerMs = this.#parts.lingerMs()
    if (lingeredMs < lingerMs) await this.#sleep(lingerMs - lingeredMs, this.#stopping.signal)
  }

  /** Resolves after the sleep, or when the signal aborts. */
  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(() => this.#parts.clock.sleep(ms, signal), signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

function earliest(moments: readonly (Date | undefined)[]): number | undefined {
  const times = moments.flatMap((moment) => (moment ? [moment.getTime()] : []))
  return times.length > 0 ? Math.min(...times) : undefined
}
