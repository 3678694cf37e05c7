import type { DeadLetterNotice } from './delivery.ts'
import type { Collection } from './store.ts'

/** How far a flush is. */
export interface FlushProgress {
  /** Catches the service has stored in this flush. */
  readonly sent: number
  /** Catches that were set aside in it. */
  readonly dead: number
  /** Catches that wait to be sent, those that this flush cannot send included. */
  readonly left: number
}

/** A collection that a flush had to leave, for a failure. */
export interface StoppedCollection {
  readonly collection: Collection
  readonly error: unknown
  /** When the rate limit ends, if that was the failure. */
  readonly retryAt?: Date | undefined
}

/** What a flush did. */
export interface FlushReport extends FlushProgress {
  /** What was set aside, and why. */
  readonly deadLetters: readonly DeadLetterNotice[]
  /** Collections that stay queued for a failure that may pass. */
  readonly stopped: readonly StoppedCollection[]
  /** Collections that another process was sending, and when its lease ends if it does not go on. */
  readonly leased: readonly { readonly collection: Collection; readonly until: Date }[]
  /** Collections of users for whom there is no client here. */
  readonly withoutClient: readonly Collection[]
}

/** Gathers a report while a flush runs. */
export class FlushReportBuilder {
  #sent = 0
  #dead = 0
  /** Catches that wait to be sent, as last counted. */
  left = 0
  readonly #deadLetters: DeadLetterNotice[] = []
  readonly #stopped: StoppedCollection[] = []
  readonly #leased: { collection: Collection; until: Date }[] = []
  readonly #withoutClient: Collection[] = []

  sent(count: number): void {
    this.#sent += count
    this.left = Math.max(this.left - count, 0)
  }

  dead(notice: DeadLetterNotice): void {
    this.#deadLetters.push(notice)
    this.#dead += notice.count
    this.left = Math.max(this.left - notice.count, 0)
  }

  stopped(collection: Collection, error: unknown, until?: number): void {
    this.#stopped.push({ collection, error, ...(until === undefined ? {} : { retryAt: new Date(until) }) })
  }

  leased(collection: Collection, until: number): void {
    this.#leased.push({ collection, until: new Date(until) })
  }

  withoutClient(collection: Collection): void {
    this.#withoutClient.push(collection)
  }

  progress(): FlushProgress {
    return { sent: this.#sent, dead: this.#dead, left: this.left }
  }

  report(): FlushReport {
    return {
      ...this.progress(),
      deadLetters: this.#deadLetters,
      stopped: this.#stopped,
      leased: this.#leased,
      withoutClient: this.#withoutClient,
    }
  }
}
