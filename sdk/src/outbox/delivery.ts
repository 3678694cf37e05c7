import type { Emitter } from './events.ts'
import type { OutboxSettings } from './options.ts'
import type { Collection, OutboxStore, SetAsideReason, StoredCatch } from './store.ts'
import type { Verdict } from './verdict.ts'

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
export interface SetAsideNotice {
  readonly collection: Collection
  /** Names it in `setAside`, `retry` and `drop`. */
  readonly id: number
  readonly count: number
  readonly reason: SetAsideReason
}

/** How one try to send the next batch of a collection ended. */
export type DeliveryOutcome =
  | { readonly type: 'sent'; readonly count: number }
  | { readonly type: 'set-aside'; readonly notice: SetAsideNotice }
  /** Nothing was delivered, and what is next is to be looked up again. */
  | { readonly type: 'again' }
  | { readonly type: 'empty' }
  /** Another process sends this collection. */
  | { readonly type: 'leased'; readonly until: number }
  | { readonly type: 'failed'; readonly verdict: Verdict; readonly error: unknown }
