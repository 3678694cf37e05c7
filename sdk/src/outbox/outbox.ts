import type { Checkpoint, Collection, NewCatch, StoredCatch } from './catches.ts'

/** Why the service will never accept a batch. */
export interface RejectionReason {
  /** The `code` of the error. */
  readonly code: string
  /** The message of the error, without secrets. */
  readonly message: string
}

/** A batch that became a dead letter. */
export interface DeadLetterNotice {
  /** The collection that the catches were sent to. */
  readonly collection: Collection
  /** The id of the dead letter in `deadLetters`, `retry` and `drop`. */
  readonly id: number
  /** The number of catches. */
  readonly count: number
  /** Why the service or the client rejected the batch. */
  readonly reason: RejectionReason
}

/** An event of an outbox. */
export type OutboxEvent =
  /** Catches were added. */
  | { readonly type: 'added'; readonly added: number; readonly duplicates: number }
  /** A batch is being sent. `again` is true if the batch has its token from an earlier attempt. */
  | { readonly type: 'sending'; readonly collection: Collection; readonly count: number; readonly again: boolean }
  /**
   * The service stored a batch under this id. `replayed` is true if an earlier attempt had already stored the batch,
   * but its response was lost.
   */
  | {
      readonly type: 'delivered'
      readonly collection: Collection
      readonly count: number
      readonly id: string
      readonly replayed: boolean
    }
  /** Sending pauses until `until`, for the rate limit or after a failure. */
  | { readonly type: 'waiting'; readonly until: Date; readonly error: unknown }
  /** Catches became a dead letter, because the service or the client would reject them again. */
  | ({ readonly type: 'rejected' } & DeadLetterNotice)
  /** A batch failed and stays queued; without `collection`, a flush in the background failed. */
  | { readonly type: 'error'; readonly collection?: Collection | undefined; readonly error: unknown }

/** Receives the events of an outbox. Errors of the listener are ignored. */
export type OutboxListener = (event: OutboxEvent) => void

/** Options of `add`. */
export interface OutboxAddOptions {
  /** A checkpoint to store in the same transaction as the catches. See `outbox.checkpoint`. */
  readonly checkpoint?: Checkpoint | undefined
}

/** The result of `add`. */
export interface OutboxAdded {
  /** Number of catches added. */
  readonly added: number
  /** Number of catches with a known key, which were not added. */
  readonly duplicates: number
  /** Indexes of the added catches, in order. */
  readonly addedIndexes: readonly number[]
}

/** Options of `flush`. */
export interface FlushOptions {
  /** Cancels the flush with the signal's reason. A batch without a response stays queued and is sent again later. */
  readonly signal?: AbortSignal | undefined
  /** Called after every batch that was sent or became a dead letter. */
  readonly onProgress?: ((progress: FlushProgress) => void) | undefined
  /** Maximum milliseconds of one wait for the rate limit. @default 305_000 */
  readonly maxWaitMs?: number | undefined
}

/** Numbers of catches. */
export interface OutboxCounts {
  /** Catches that are not delivered yet. */
  readonly pending: number
  /** Catches that cannot be delivered: they stay dead letters until `retry` or `drop`. */
  readonly rejected: number
}

/** Numbers of catches in an outbox. */
export interface OutboxStatus extends OutboxCounts {
  /** When the oldest pending catch was added. */
  readonly oldest?: Date | undefined
  /** The same numbers by collection. */
  readonly collections: readonly (Collection & OutboxCounts)[]
}

/** Options of `cancel`, which deletes the queued catches that match every given option. */
export interface CancelOptions {
  /** Catches of this user. @default the catches of all users */
  readonly user?: string | undefined
  /** Catches with these `seq` values, which `peek` returns. @default all queued catches */
  readonly seqs?: readonly number[] | undefined
  /** Counts the matching catches, but deletes nothing. @default false */
  readonly dryRun?: boolean | undefined
}

/** The result of `cancel`, as numbers of catches. */
export interface CancelOutcome {
  /** Removed catches, or with `dryRun` the catches that would be removed. */
  readonly cancelled: number
  /** Matching catches that are not removed, because they are encrypted and may have reached the service. */
  readonly frozen: number
}

/** A batch of catches that could not be delivered. */
export interface DeadLetter extends DeadLetterNotice {
  /** When the batch was rejected, by this machine's clock. */
  readonly at: Date
  /** The first 500 catches, in order. */
  readonly catches: readonly StoredCatch[]
}

/** The content of an outbox file, as returned by `inspectOutbox`. */
export interface OutboxInspection {
  /** The URL of the service that the file belongs to; `undefined` if the file does not belong to a service yet. */
  readonly service: string | undefined
  /** Number of catches that are not delivered yet. */
  readonly pending: number
  /** Whether a catch with this key would be a duplicate. */
  hasKey(key: string): boolean
  /** Closes the file. */
  close(): void
}

/** A crash-safe queue of catches, returned by `openOutbox`. Its methods throw OutboxStoreError when the store fails. */
export interface Outbox {
  /**
   * Checks the catches, and stores either all of the catches or none. The catches are durable when the promise
   * resolves. `flush`, or `start` in the background, sends each catch once and in order within its collection.
   *
   * @throws ValidationError, OutboxFullError, OutboxStoreError, OutboxClosedError.
   * @example
   * await outbox.add({ kind: 'fish', name: 'Salmon', rarity: 'Gold', key: 'latest.log:1042' })
   * await outbox.add([], { checkpoint: { name: 'latest.log', value: '2048' } })
   */
  add(catches: NewCatch | readonly NewCatch[], options?: OutboxAddOptions): Promise<OutboxAdded>
  /**
   * The value of a checkpoint; `undefined` if it does not exist.
   *
   * @example
   * const offset = Number((await outbox.checkpoint('latest.log')) ?? 0)
   */
  checkpoint(name: string): Promise<string | undefined>
  /**
   * Sends the queued catches, up to 500 of one collection per request, and waits for the rate limit. Flushes of one
   * outbox run one after another, and processes that share a file send in turns. After a temporary failure, a batch
   * stays queued and its collection is in `stopped`. Batches that the service will never accept become dead letters. If
   * `stopped` is not empty, call `flush` again later, or use `start`.
   *
   * @throws OutboxStoreError; OutboxClosedError; the signal's reason.
   * @example
   * const { delivered, remaining, stopped } = await outbox.flush({ signal: AbortSignal.timeout(60_000) })
   */
  flush(options?: FlushOptions): Promise<FlushReport>
  /**
   * Sends catches in the background: when `start` is called, `lingerMs` after each `add`, after failures (with a
   * backoff of 1 s to 5 minutes, or when the rate limit ends), and every 30 s for catches that other processes add.
   * Waits of the background do not keep a process alive, but requests do. Unsent catches are sent at the next start.
   * Starting twice has no further effect.
   *
   * @example
   * outbox.start()
   */
  start(): void
  /** Stops sending in the background; resolves after the response to a request in flight. */
  stop(): Promise<void>
  /**
   * Numbers of catches in the outbox.
   *
   * @example
   * const { pending, rejected } = await outbox.status()
   */
  status(): Promise<OutboxStatus>
  /** The first catches to be sent, in order. @param limit @default 100 */
  peek(limit?: number): Promise<readonly StoredCatch[]>
  /**
   * Batches that could not be delivered, oldest first.
   *
   * @example
   * for (const { id, count, reason } of await outbox.deadLetters()) showStatus(`${id}: ${count} ${reason.message}`)
   */
  deadLetters(): Promise<readonly DeadLetter[]>
  /**
   * Queues the catches of dead letters again, at their old positions. The catches are encrypted again before they are
   * sent. The service did not store the rejected catches, so nothing is stored twice.
   *
   * @param ids Ids of dead letters. @default all
   * @returns the number of catches
   * @example
   * await outbox.retry()
   * await outbox.flush()
   */
  retry(ids?: number | readonly number[]): Promise<number>
  /** Deletes dead letters and forgets the keys of their catches. @returns the number of catches */
  drop(ids: number | readonly number[]): Promise<number>
  /**
   * Deletes queued catches. A frozen batch may have reached the service, so the batch is not deleted and will be sent
   * again. The keys of deleted catches are forgotten, so that the same catches can be added again.
   *
   * @example
   * const { cancelled, frozen } = await outbox.cancel({ user: 'Alex' })
   */
  cancel(options?: CancelOptions): Promise<CancelOutcome>
  /**
   * Calls the listener for every event from now on. Errors of the listener are ignored.
   *
   * @returns a function that unsubscribes the listener
   * @example
   * const unsubscribe = outbox.subscribe((event) => {
   *   if (event.type === 'waiting') showNextTry(event.until)
   * })
   */
  subscribe(listener: OutboxListener): () => void
  /**
   * Closes the outbox. Waits for the response to a request in flight, or until the signal aborts; a running
   * flush fails with OutboxClosedError. Unsent catches stay in the file: call `flush` first to send them.
   */
  close(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /** Calls `close()`, for `await using` (Node 24 or later). */
  [Symbol.asyncDispose](): Promise<void>
}

/** The progress of a flush. */
export interface FlushProgress {
  /** Catches that the service stored. */
  readonly delivered: number
  /** Catches that became dead letters. */
  readonly rejected: number
  /** Catches that are not sent yet, including catches that this flush cannot send. */
  readonly remaining: number
}

/** A collection that a flush stopped sending after a failure. */
export interface StoppedCollection {
  /** The collection that stays queued. */
  readonly collection: Collection
  /** The failure, usually a FishCrabError. */
  readonly error: unknown
  /** The end of the rate-limit window, if the rate limit caused the failure. */
  readonly retryAt?: Date | undefined
}

/** The result of a flush. */
export interface FlushReport extends FlushProgress {
  /** The new dead letters. */
  readonly deadLetters: readonly DeadLetterNotice[]
  /** Collections that stay queued after a temporary failure. */
  readonly stopped: readonly StoppedCollection[]
  /** Collections of users for whom this outbox has no client. */
  readonly withoutClient: readonly Collection[]
}
