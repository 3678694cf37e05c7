import type { Decision } from './decision.ts'
import type { Emitter } from './events.ts'
import type { OutboxSettings } from './options.ts'
import type { Collection, DeadLetterReason, OutboxStore, StoredCatch } from './store.ts'

/** What a delivery works with. */
export interface Delivery {
  readonly store: OutboxStore
  readonly settings: OutboxSettings
  readonly emitter: Emitter
  /** Names this outbox among all that share the store. */
  readonly owner: string
}

/** Catches that go out in one request. */
export interface Batch {
  readonly collection: Collection
  readonly catches: readonly StoredCatch[]
  /** Whether the token is made in this very try. */
  readonly fresh: boolean
}

/** A batch that was set aside. */
export interface DeadLetterNotice {
  readonly collection: Collection
  /** Names it in `dead`, `retry` and `drop`. */
  readonly id: number
  readonly count: number
  readonly reason: DeadLetterReason
}

/** How one try to send the next batch of a collection ended. */
export type DeliveryOutcome =
  | { readonly type: 'sent'; readonly count: number }
  | { readonly type: 'dead-letter'; readonly notice: DeadLetterNotice }
  /** Nothing was delivered, and what is next is to be looked up again. */
  | { readonly type: 'again' }
  | { readonly type: 'empty' }
  /** Another process sends this collection. */
  | { readonly type: 'leased'; readonly until: number }
  | { readonly type: 'failed'; readonly decision: Decision; readonly error: unknown }
