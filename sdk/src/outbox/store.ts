import type { PayloadEntry } from '../client/resources/catch-input.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import type { Kind } from '../contract/kinds.ts'

/** A place to remember, under a name: how far a log was read, for one. */
export interface Checkpoint {
  /** 1 to 512 characters. */
  readonly name: string
  readonly value: string
  /**
   * What the checkpoint must be until now, `null` for none: so one writer at a time goes on from a place, and one that
   * was overtaken adds nothing. @default anything
   */
  readonly expected?: string | null | undefined
}

/** An answer, at once or later. */
export type MaybePromise<T> = T | Promise<T>

/** A collection of the service: one order is kept in each. */
export interface Collection {
  readonly kind: Kind
  readonly user: string
  readonly gamemode: Gamemode
}

/** A catch as it goes into a store: checked, in the service's form. */
export interface CatchToAdd extends Collection {
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
  /** May be empty, when only the checkpoint moves. */
  readonly catches: readonly CatchToAdd[]
  readonly checkpoint?: Checkpoint | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  readonly maxCatches: number
  /** How many keys are remembered at least; those of catches that are still held are never forgotten. */
  readonly maxKeys: number
  /** Keys remembered before this time may be forgotten, unless their catch is still held. */
  readonly keysSince: number
}

/** What `add` did. `full`, or `moved` when the checkpoint is not what was expected: nothing at all. */
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
  readonly checkpoint?: Pick<Checkpoint, 'name' | 'value'> | undefined
  /** Count, and change nothing. */
  readonly dryRun: boolean
}

/** What `cancel` did, in catches. */
export interface CancelOutcome {
  readonly cancelled: number
  /** Those of them that stay, since they have their token and may have reached the service. */
  readonly frozen: number
}

/** Counts of one collection, in catches. */
export interface CollectionCounts extends Collection {
  readonly collection: string
  readonly queued: number
  readonly frozen: number
  readonly dead: number
  /** When the oldest catch that waits to be sent was added. */
  readonly oldestAt?: number | undefined
}

/** A claim to be the only one who sends a collection. */
export interface LeaseRequest {
  readonly collection: string
  readonly owner: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly leaseMs: number
}

/** Whether a lease was given; else when the one in the way ends. */
export type LeaseOutcome = { readonly granted: true } | { readonly granted: false; readonly until: number }

/** Who works on a collection: an operation that takes this does nothing unless that owner holds the lease. */
export interface LeaseHolder {
  readonly collection: string
  readonly owner: string
}

/** What is to be sent next in a collection. */
export interface NextBatch {
  /** The frozen batch that has no answer yet: to be sent again before anything else. */
  readonly frozen?: { readonly batch: number; readonly token: string } | undefined
  /** The catches of that batch, else the first queued ones; in order. */
  readonly catches: readonly StoredCatch[]
}

/** Why a batch was set aside. */
export interface DeadLetterReason {
  /** The `code` of the error. */
  readonly code: string
  /** Its message. Holds no secret. */
  readonly message: string
}

/** A batch that was set aside. */
export interface StoredDeadLetter {
  readonly id: number
  readonly collection: Collection
  readonly reason: DeadLetterReason
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
  bind(service: string): MaybePromise<ServiceBinding>
  /**
   * Adds catches whose key is not known, at the end and in order; remembers keys; moves the checkpoint. A checkpoint that is
   * not what it is expected to be comes before everything else.
   */
  add(request: AddRequest): MaybePromise<AddOutcome>
  /** The value a checkpoint was last given. */
  checkpoint(name: string): MaybePromise<string | undefined>
  /** All collections that hold something, the one with the oldest catch first. */
  collections(): MaybePromise<readonly CollectionCounts[]>
  /** The first catches that wait to be sent, frozen or not, in order. */
  peek(limit: number): MaybePromise<readonly StoredCatch[]>
  /**
   * Gives the lease when nobody holds it, its holder asks again, its time is over, or it was given in the future (the
   * clock was set back).
   */
  claim(lease: LeaseRequest): MaybePromise<LeaseOutcome>
  /** Gives the lease back, if that owner holds it. */
  release(holder: LeaseHolder): MaybePromise<void>
  /** What is to be sent next: the oldest frozen batch whole, else up to `limit` queued catches. */
  nextBatch(collection: string, limit: number): MaybePromise<NextBatch>
  /** Binds a token to exactly these queued catches. @returns the id of the batch; nothing without the lease, or when not all of them are queued */
  freeze(holder: LeaseHolder, seqs: readonly number[], token: string): MaybePromise<number | undefined>
  /** Removes a frozen batch and its catches: they were stored, whoever asks. @returns whether it was there */
  acknowledge(batch: number): MaybePromise<boolean>
  /** Makes these catches, frozen or queued, queued ones. Their token is forgotten. @returns whether the lease was held */
  requeue(holder: LeaseHolder, seqs: readonly number[], batchLimit: number | undefined): MaybePromise<boolean>
  /**
   * Sets catches aside, or with `all` everything that waits in the collection. Tokens are forgotten.
   * @returns the new batch; nothing without the lease, or when there is nothing to set aside
   */
  addDeadLetter(
    holder: LeaseHolder,
    which: readonly number[] | 'all',
    reason: DeadLetterReason,
    now: number,
  ): MaybePromise<{ readonly id: number; readonly count: number } | undefined>
  /** All batches that were set aside, oldest first, each with up to `limit` of its catches. */
  deadLetters(limit: number): MaybePromise<readonly StoredDeadLetter[]>
  /** Queues the catches of dead-letter batches at their old places. Without ids: of all. @returns how many catches */
  retry(ids: readonly number[] | undefined): MaybePromise<number>
  /** Removes dead-letter batches with their catches. @returns how many catches */
  drop(ids: readonly number[]): MaybePromise<number>
  /** Removes queued catches that have no token, and moves the checkpoint. Their keys stay known. */
  cancel(request: CancelRequest): MaybePromise<CancelOutcome>
  /** Ends the use of the store. */
  close(): MaybePromise<void>
}

/** Whether a checkpoint is another than its next value is to follow. */
export function checkpointMoved({ expected }: Checkpoint, value: string | undefined): boolean {
  return expected !== undefined && expected !== (value ?? null)
}

/** The catches to add, by their indexes: those without a key, and the first of each key that is not known yet. */
export function withoutDuplicates(
  catches: readonly CatchToAdd[],
  isKnown: (key: string) => boolean,
): ReadonlyMap<number, CatchToAdd> {
  const seen = new Set<string>()
  const isNew = ({ key }: CatchToAdd) => {
    if (key === undefined) return true
    if (seen.has(key) || isKnown(key)) return false
    seen.add(key)
    return true
  }
  return new Map([...catches.entries()].filter(([, one]) => isNew(one)))
}
