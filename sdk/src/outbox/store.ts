import type { PayloadEntry } from '../client/resources/catch-input.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import type { Kind } from '../contract/kinds.ts'

/** A named value, for example the position in a log. */
export interface Checkpoint {
  /** 1 to 512 characters. */
  readonly name: string
  readonly value: string
  /**
   * The required current value, `null` for none: if two writers compete, the later one adds nothing.
   * @default any value
   */
  readonly expected?: string | null | undefined
}

/** A value or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/** A collection of the service. Catches keep their order within it. */
export interface Collection {
  readonly kind: Kind
  readonly user: string
  readonly gamemode: Gamemode
}

/** A checked catch in the format of the service. */
export interface CatchToAdd extends Collection {
  /** Id of the collection; the same for every spelling of the user name. */
  readonly collection: string
  readonly entry: PayloadEntry
  readonly key?: string | undefined
}

/** A catch in a store. */
export interface StoredCatch extends CatchToAdd {
  /** Position in the store: increases, and is never reused. */
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly addedAt: number
  /** Maximum size of a batch with this catch, after a larger batch was rejected. */
  readonly batchLimit?: number | undefined
}

/** The arguments of `OutboxStore.add`. */
export interface AddRequest {
  /** Empty to move only the checkpoint. */
  readonly catches: readonly CatchToAdd[]
  readonly checkpoint?: Checkpoint | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  readonly maxCatches: number
  /** Minimum number of keys to remember, besides those of stored catches. */
  readonly maxKeys: number
  /** Older keys may be forgotten, except those of stored catches. */
  readonly keysSince: number
}

/** The result of `OutboxStore.add`. `full`, and `moved` for a checkpoint with another value: nothing was added. */
export type AddOutcome =
  | {
      readonly type: 'added'
      /** Indexes of the added catches, in order; the others are duplicates. */
      readonly addedIndexes: readonly number[]
    }
  | { readonly type: 'full' }
  | { readonly type: 'moved' }

/** The queued catches that `cancel` deletes. */
export interface CancelRequest {
  /** Prefix of their keys. @default all */
  readonly keyPrefix?: string | undefined
  readonly checkpoint?: Pick<Checkpoint, 'name' | 'value'> | undefined
  /** Count, and change nothing. */
  readonly dryRun: boolean
}

/** The result of `cancel`, in catches. */
export interface CancelOutcome {
  readonly cancelled: number
  /** Matching catches that stay: they are encrypted and may have reached the service. */
  readonly frozen: number
}

/** Numbers of catches of one collection. */
export interface CollectionCounts extends Collection {
  readonly collection: string
  readonly queued: number
  readonly frozen: number
  readonly dead: number
  /** When the oldest catch to be sent was added. */
  readonly oldestAt?: number | undefined
}

/** The holder of a lease. An operation with this argument does nothing unless the owner holds the lease. */
export interface LeaseHolder {
  readonly collection: string
  readonly owner: string
}

/** A request for the lease of a collection: its holder alone sends it. */
export interface LeaseRequest extends LeaseHolder {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly leaseMs: number
}

/** Whether the lease was granted; else the end of the current one. */
export type LeaseOutcome = { readonly granted: true } | { readonly granted: false; readonly until: number }

/** The next batch of a collection. */
export interface NextBatch {
  /** The frozen batch without a response: sent again before anything else. */
  readonly frozen?: { readonly batch: number; readonly token: string } | undefined
  /** The catches of that batch, else the first queued catches; in order. */
  readonly catches: readonly StoredCatch[]
}

/** Why a batch is a dead letter. */
export interface DeadLetterReason {
  /** The `code` of the error. */
  readonly code: string
  /** The message of the error, without secrets. */
  readonly message: string
}

/** A batch that became a dead letter. */
export interface StoredDeadLetter {
  readonly id: number
  readonly collection: Collection
  readonly reason: DeadLetterReason
  /** Milliseconds since 1970. */
  readonly at: number
  /** Number of catches. */
  readonly count: number
  /** The first catches, in order. */
  readonly catches: readonly StoredCatch[]
}

/** The service that a store belongs to. */
export interface ServiceBinding {
  /** Its address. */
  readonly service: string
  /** Whether the store was not empty and belonged to no service until now. */
  readonly adopted: boolean
}

/**
 * The storage of an outbox. Each operation is atomic: it is complete when it resolves, and changed nothing when it
 * fails. Every process that shares the store sees its result. No operation reads a clock.
 */
export interface OutboxStore {
  /** Binds the store to a service, unless it is bound already. @returns the service that it is bound to */
  bind(service: string): MaybePromise<ServiceBinding>
  /**
   * Appends the catches with unknown keys, remembers the keys, and moves the checkpoint. Checks the `expected` value of
   * the checkpoint first.
   */
  add(request: AddRequest): MaybePromise<AddOutcome>
  /** The value of a checkpoint. */
  checkpoint(name: string): MaybePromise<string | undefined>
  /** All collections that are not empty, the one with the oldest catch first. */
  collections(): MaybePromise<readonly CollectionCounts[]>
  /** The first queued and frozen catches, in order. */
  peek(limit: number): MaybePromise<readonly StoredCatch[]>
  /**
   * Grants the lease if it is free, expired, held by the same owner, or from the future (the clock was set back).
   */
  claim(lease: LeaseRequest): MaybePromise<LeaseOutcome>
  /** Releases the lease, if that owner holds it. */
  release(holder: LeaseHolder): MaybePromise<void>
  /** The oldest frozen batch, else up to `limit` queued catches. */
  nextBatch(collection: string, limit: number): MaybePromise<NextBatch>
  /** Binds a token to these queued catches. @returns the id of the batch; `undefined` without the lease, or if not all are queued */
  freeze(holder: LeaseHolder, seqs: readonly number[], token: string): MaybePromise<number | undefined>
  /** Deletes a frozen batch and its catches after delivery, with or without the lease. @returns whether it existed */
  acknowledge(batch: number): MaybePromise<boolean>
  /** Queues these frozen or queued catches without their token. @returns whether the lease was held */
  requeue(holder: LeaseHolder, seqs: readonly number[], batchLimit: number | undefined): MaybePromise<boolean>
  /**
   * Makes a dead letter of these catches, or of all queued and frozen catches of the collection.
   * @returns the dead letter; `undefined` without the lease, or without catches
   */
  addDeadLetter(
    holder: LeaseHolder,
    which: readonly number[] | 'all',
    reason: DeadLetterReason,
    now: number,
  ): MaybePromise<{ readonly id: number; readonly count: number } | undefined>
  /** All dead letters, oldest first, each with up to `limit` of its catches. */
  deadLetters(limit: number): MaybePromise<readonly StoredDeadLetter[]>
  /** Queues the catches of these dead letters, or of all, at their old positions. @returns the number of catches */
  retry(ids: readonly number[] | undefined): MaybePromise<number>
  /** Deletes dead letters. @returns the number of catches */
  drop(ids: readonly number[]): MaybePromise<number>
  /** Deletes queued catches and moves the checkpoint. Their keys stay known. */
  cancel(request: CancelRequest): MaybePromise<CancelOutcome>
  /** Closes the store. */
  close(): MaybePromise<void>
}

/** Whether a checkpoint does not have its expected value. */
export function checkpointMoved({ expected }: Checkpoint, value: string | undefined): boolean {
  return expected !== undefined && expected !== (value ?? null)
}

/** The catches to add by index: those without a key, and the first one of each unknown key. */
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
