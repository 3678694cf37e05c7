import { notify } from '../client/core/hooks.ts'
import type { Collection, DeadLetterReason } from './store.ts'

/** A batch that became a dead letter. */
export interface DeadLetterNotice {
  readonly collection: Collection
  /** Its id in `deadLetters`, `retry` and `drop`. */
  readonly id: number
  readonly count: number
  readonly reason: DeadLetterReason
}

/** An event of an outbox. */
export type OutboxEvent =
  /**
   * A store of an older version, which belonged to no service, belongs to this one from now on. Emitted while the outbox
   * opens, or when `clientFor` returns its first client.
   */
  | { readonly type: 'adopted'; readonly service: string }
  /** Catches were added. */
  | { readonly type: 'added'; readonly added: number; readonly duplicates: number }
  /** A batch is sent. `again`: it was frozen earlier, without a response so far. */
  | { readonly type: 'sending'; readonly collection: Collection; readonly count: number; readonly again: boolean }
  /** The service stored a batch under this id. `replayed`: it was stored before, and the response was lost. */
  | {
      readonly type: 'sent'
      readonly collection: Collection
      readonly count: number
      readonly id: string
      readonly replayed: boolean
    }
  /** Sending pauses until then, for the rate limit or after a failure. */
  | { readonly type: 'waiting'; readonly until: Date; readonly error: unknown }
  /**
   * Another process has the lease of a collection until then: it is sending it, or was killed. Emitted when a `flush`
   * that has nothing else to send begins to wait for it.
   */
  | { readonly type: 'leased'; readonly collection: Collection; readonly until: Date }
  /** Catches became a dead letter: sending them again would not help. */
  | ({ readonly type: 'dead-letter' } & DeadLetterNotice)
  /** A batch failed and stays queued; without `collection`, a flush in the background failed. */
  | { readonly type: 'error'; readonly collection?: Collection | undefined; readonly error: unknown }

/** Receives the events of an outbox. Its errors are ignored. */
export type OutboxListener = (event: OutboxEvent) => void

export class Emitter {
  readonly #listeners = new Set<OutboxListener>()

  subscribe(listener: OutboxListener): () => void {
    // Wrapped, so that subscribing a function twice makes two subscriptions.
    const own: OutboxListener = (event) => listener(event)
    this.#listeners.add(own)
    return () => {
      this.#listeners.delete(own)
    }
  }

  emit(event: OutboxEvent): void {
    for (const listener of [...this.#listeners]) notify(listener, event)
  }
}
