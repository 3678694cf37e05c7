import type { Collection, DeadLetterReason } from './store.ts'

/** What an outbox tells while it works. `collection` says whose catches it is about. */
export type OutboxEvent =
  /**
   * The store held something already and belonged to no service, as those of older versions do: it belongs to this one
   * from now on. Comes while the outbox opens; else when `clientFor` gives its first client.
   */
  | { readonly type: 'adopted'; readonly service: string }
  /** Catches are safe in the store. */
  | { readonly type: 'added'; readonly added: number; readonly duplicates: number }
  /** A batch goes out. `again`: its token was frozen earlier, and had no answer yet. */
  | { readonly type: 'sending'; readonly collection: Collection; readonly count: number; readonly again: boolean }
  /** The service stored a batch, under this id. `replayed`: it had done so before, and the answer was lost. */
  | {
      readonly type: 'sent'
      readonly collection: Collection
      readonly count: number
      readonly id: string
      readonly replayed: boolean
    }
  /** Nothing can be sent until then: for the rate limit, or after a failure. */
  | { readonly type: 'waiting'; readonly until: Date; readonly error: unknown }
  /**
   * Another process has a collection until then, if it does not give it back before: one that is sending it, or that was
   * killed while it did. A `flush` that has nothing else to send waits for it, and tells so whenever such a wait begins.
   */
  | { readonly type: 'leased'; readonly collection: Collection; readonly until: Date }
  /** Catches were set aside, since sending them again would not help. */
  | {
      readonly type: 'dead-letter'
      readonly collection: Collection
      readonly id: number
      readonly count: number
      readonly reason: DeadLetterReason
    }
  /** A batch could not be sent now and stays queued; or, without a collection, a flush in the background failed. */
  | { readonly type: 'error'; readonly collection?: Collection | undefined; readonly error: unknown }

/** Hears what an outbox does. What it throws, or rejects with, is dropped: whoever looks on cannot lose a catch. */
export type OutboxListener = (event: OutboxEvent) => void

/** Tells every listener of every event. */
export class Emitter {
  readonly #listeners = new Set<OutboxListener>()

  subscribe(listener: OutboxListener): () => void {
    // Wrapped, so that one function that subscribes twice is two subscriptions.
    const own: OutboxListener = (event) => listener(event)
    this.#listeners.add(own)
    return () => {
      this.#listeners.delete(own)
    }
  }

  emit(event: OutboxEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        const done: unknown = listener(event)
        if (done instanceof Promise) done.catch(() => {})
      } catch {}
    }
  }
}
