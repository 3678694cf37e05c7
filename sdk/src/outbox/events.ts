import { notify } from '../client/core/hooks.ts'
import type { Collection } from './catches.ts'

/** Why the service will never accept a batch. */
export interface RejectionReason {
  /** The `code` of the error. */
  readonly code: string
  /** The message of the error, without secrets. */
  readonly message: string
}

/** A batch that became a dead letter. */
export interface DeadLetterNotice {
  readonly collection: Collection
  /** Its id in `deadLetters`, `retry` and `drop`. */
  readonly id: number
  readonly count: number
  readonly reason: RejectionReason
}

/** An event of an outbox. */
export type OutboxEvent =
  /** Catches were added. */
  | { readonly type: 'added'; readonly added: number; readonly duplicates: number }
  /** A batch is sent. `again`: it was frozen earlier, without a response so far. */
  | { readonly type: 'sending'; readonly collection: Collection; readonly count: number; readonly again: boolean }
  /** The service stored a batch under this id. `replayed`: it was stored before, and the response was lost. */
  | {
      readonly type: 'delivered'
      readonly collection: Collection
      readonly count: number
      readonly id: string
      readonly replayed: boolean
    }
  /** Sending pauses until then, for the rate limit or after a failure. */
  | { readonly type: 'waiting'; readonly until: Date; readonly error: unknown }
  /** Catches became a dead letter: sending them again would not help. */
  | ({ readonly type: 'rejected' } & DeadLetterNotice)
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
