import type { PayloadEntry } from '../client/entries.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import type { Kind } from '../contract/kinds.ts'
import type { Bookmark } from './bookmark.ts'

/** An answer, at once or later. */
export type Awaitable<T> = T | Promise<T>

/** A collection of the service: one order is kept in each. */
export interface Collection {
  readonly kind: Kind
  readonly user: string
  readonly gamemode: Gamemode
}

/** A catch as it goes into a store: checked, in the service's form. */
export interface Addition extends Collection {
  /** The same for all spellings of one collection; see `collectionId`. */
  readonly collection: string
  readonly entry: PayloadEntry
  readonly key?: string | undefined
}

/** A catch as it lies in a store. */
export interface StoredCatch extends Collection {
  /** Place in the order of the store: grows, and is never given twice. */
  readonly seq: number
  readonly collection: string
  readonly entry: PayloadEntry
  /** Milliseconds since 1970. */
  readonly addedAt: number
  readonly key?: string | undefined
  /** Most catches that may go into a batch with this one, after a larger batch was refused. */
  readonly batchLimit?: number | undefined
}

/** What `add` is to do, all of it or nothing. */
export interface AddRequest {
  /** May be empty, when only the bookmark moves. */
  readonly catches: readonly Addition[]
  readonly bookmark?: Bookmark | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  readonly maxCatches: number
  /** How many keys are remembered at least; those of catches that are still held are never forgotten. */
  readonly maxKeys: number
  /** Keys remembered before this time may be forgotten, unless their catch is still held. */
  readonly keysSince: number
}

/** What `add` did. `full`, or `moved` when the bookmark is not what was expected: nothing at all. */
export type AddOutcome =
  | {
      readonly type: 'added'
      /** Which of the request's catches were added, by their indexes, in order; the others are duplicates. */
      readonly addedIndexes: readonly number[]
    }
  | { readonly type: 'full' }
  | { readonly type: 'moved' }

/** Which catches `cancel` removes, of those that are queued. */
export interface CancelRequest {
  /** Those whose key begins so. @default all */
  readonly keyPrefix?: string | undefined
  readonly bookmark?: Pick<Bookmark, 'name' | 'value'> | undefined
  /** Count, and change nothing. */
  readonly dryRun: boolean
}

/** What `cancel` did, in catches. */
export interface CancelOutcome {
  readonly cancelled: number
  /** Those of them that stay, since they have their token and may have reached the service. */
  readonly sealed: number
}

/** Counts of one collection, in catches. */
export interface CollectionCounts extends Collection {
  readonly collection: string
  readonly queued: number
  readonly sealed: number
  readonly setAside: number
  /** When the oldest catch that waits to be sent was added. */
  readonly oldestAt?: number | undefined
}

/** A claim to be the only one who sends a collection. */
export interface Lease {
  readonly collection: string
  readonly owner: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly leaseMs: number
}

/** Whether a lease was given; else when the one in the way ends. */
export type LeaseOutcome = { readonly granted: true } | { readonly granted: false; readonly until: number }

/** Who works on a collection: an operation that takes this does nothing unless that owner holds the lease. */
export interface Holder {
  readonly collection: string
  readonly owner: string
}

/** What is to be sent next in a collection. */
export interface Head {
  /** The sealed batch that has no answer yet: to be sent again before anything else. */
  readonly sealed?: { readonly batch: number; readonly token: string } | undefined
  /** The catches of that batch, else the first queued ones; in order. */
  readonly catches: readonly StoredCatch[]
}

/** Why a batch was set aside. */
export interface SetAsideReason {
  /** The `code` of the error. */
  readonly code: string
  /** Its message. Holds no secret. */
  readonly message: string
}

/** A batch that was set aside. */
export interface StoredBatch {
  readonly id: number
  readonly collection: Collection
  readonly reason: SetAsideReason
  /** Milliseconds since 1970. */
  readonly at: number
  /** How many catches it holds. */
  readonly count: number
  /** The first of them, up to the asked number; in order. */
  readonly catches: readonly StoredCatch[]
}

/** The service that a store belongs to. */
export interface ServiceBinding {
  /** Its address. */
  readonly service: string
  /** Whether the store held something already and belonged to no service until now. */
  readonly adopted: boolean
}

/**
 * Where an outbox keeps its catches. Each operation is atomic: all of it happened when it settles, or none of it when
 * it fails. What happened survives as long as the store promises, and is seen by all who share the store. No operation
 * reads a clock. That is all that an outbox of your own needs.
 */
export interface OutboxStore {
  /** Binds the store to a service, unless it is bound to one already. @returns the service it is bound to */
  bind(service: string): Awaitable<ServiceBinding>
  /**
   * Adds catches whose key is not known, at the end and in order; remembers keys; moves the bookmark. A bookmark that is
   * not what it is expected to be comes before everything else.
   */
  add(request: AddRequest): Awaitable<AddOutcome>
  /** The value a bookmark was last given. */
  bookmark(name: string): Awaitable<string | undefined>
  /** All collections that hold something, the one with the oldest catch first. */
  collections(): Awaitable<readonly CollectionCounts[]>
  /** The first catches that wait to be sent, sealed or not, in order. */
  peek(limit: number): Awaitable<readonly StoredCatch[]>
  /**
   * Gives the lease when nobody holds it, its holder asks again, its time is over, or it was given in the future (the
   * clock was set back).
   */
  claim(lease: Lease): Awaitable<LeaseOutcome>
  /** Gives the lease back, if that owner holds it. */
  release(holder: Holder): Awaitable<void>
  /** What is to be sent next: the oldest sealed batch whole, else up to `limit` queued catches. */
  head(collection: string, limit: number): Awaitable<Head>
  /** Binds a token to exactly these queued catches. @returns the id of the batch; nothing without the lease, or when not all of them are queued */
  seal(holder: Holder, seqs: readonly number[], token: string): Awaitable<number | undefined>
  /** Removes a sealed batch and its catches: they were stored, whoever asks. @returns whether it was there */
  acknowledge(batch: number): Awaitable<boolean>
  /** Makes these catches, sealed or queued, queued ones. Their token is forgotten. @returns whether the lease was held */
  requeue(holder: Holder, seqs: readonly number[], batchLimit: number | undefined): Awaitable<boolean>
  /**
   * Sets catches aside, or with `all` everything that waits in the collection. Tokens are forgotten.
   * @returns the new batch; nothing without the lease, or when there is nothing to set aside
   */
  setAside(
    holder: Holder,
    which: readonly number[] | 'all',
    reason: SetAsideReason,
    now: number,
  ): Awaitable<{ readonly id: number; readonly count: number } | undefined>
  /** All batches that were set aside, oldest first, each with up to `limit` of its catches. */
  listSetAside(limit: number): Awaitable<readonly StoredBatch[]>
  /** Queues the catches of set-aside batches at their old places. Without ids: of all. @returns how many catches */
  retry(ids: readonly number[] | undefined): Awaitable<number>
  /** Removes set-aside batches with their catches. @returns how many catches */
  drop(ids: readonly number[]): Awaitable<number>
  /** Removes queued catches that have no token, and moves the bookmark. Their keys stay known. */
  cancel(request: CancelRequest): Awaitable<CancelOutcome>
  /** Ends the use of the store. */
  close(): Awaitable<void>
}
