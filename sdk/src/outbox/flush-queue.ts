import { untilAborted } from '../client/clock.ts'
import type { Delivery } from './delivery.ts'
import { type FlushRun, flushAll } from './flush.ts'
import type { FlushReport } from './flush-report.ts'

/** One flush: `signals` end it at once, `stops` as soon as it has the answer to what it sent. */
export interface FlushCall extends Pick<FlushRun, 'maxWaitMs' | 'onProgress'> {
  readonly signals: readonly AbortSignal[]
  readonly stops: readonly AbortSignal[]
}

/** Runs the flushes of one outbox one after another. */
export class FlushQueue {
  readonly #delivery: Delivery
  /** The last of them. Never rejects. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(delivery: Delivery) {
    this.#delivery = delivery
  }

  /** Rejects as soon as one of the `signals` aborts, also while it waits for its turn. */
  run({ signals, stops, ...call }: FlushCall): Promise<FlushReport> {
    const signal = AbortSignal.any([...signals])
    const stopping = AbortSignal.any([...stops])
    const before = this.#last
    const flush = async () => {
      await before
      return flushAll(this.#delivery, { ...call, signal, stopping })
    }
    const flushing = flush()
    this.#last = flushing.catch(() => {})
    return untilAborted(() => flushing, signal)
  }

  /** Settles when no flush runs. */
  async idle(): Promise<void> {
    await this.#last
  }
}
