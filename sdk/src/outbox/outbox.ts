import type { NewCatch } from './catches.ts'
import type { DeadLetterNotice } from './deliver.ts'
import type { OutboxListener } from './events.ts'
import type {
  CancelOutcome,
  CancelRequest,
  Checkpoint,
  Collection,
  CollectionCounts,
  DeadLetterReason,
  StoredCatch,
} from './store.ts'

/** What `add` may be told. */
export interface OutboxAddOptions {
  /** Written together with the catches: either both are safe or neither. See `outbox.checkpoint`. */
  readonly checkpoint?: Checkpoint | undefined
}

/** What `add` did. */
export interface OutboxAdded {
  /** Catches that are safe in the store now. */
  readonly added: number
  /** Catches that were left out, since their key is known. */
  readonly duplicates: number
  /** Which of the given catches were added, by their indexes, in order. */
  readonly addedIndexes: readonly number[]
}

/** What `flush` may be told. */
export interface FlushOptions {
  /** Ends the flush at once, with the signal's reason. What has no answer yet stays, and is sent again later. */
  readonly signal?: AbortSignal | undefined
  /** Hears of every batch that was sent or set aside. */
  readonly onProgress?: ((progress: FlushProgress) => void) | undefined
  /** Milliseconds one wait for the rate limit may take; a longer one is not begun. @default 305_000 */
  readonly maxWaitMs?: number | undefined
}

/** What an outbox holds, in catches. */
export interface OutboxStatus {
  /** Wait to be sent. */
  readonly queued: number
  /** Have their token, and no answer yet. */
  readonly frozen: number
  /** Could not be delivered, and wait for `retry` or `drop`. */
  readonly dead: number
  /** When the oldest catch that is queued or frozen was added. */
  readonly oldest?: Date | undefined
  /** The same by collection. */
  readonly collections: readonly (Collection & Pick<CollectionCounts, 'queued' | 'frozen' | 'dead'>)[]
}

/** What `cancel` may be told. */
export type CancelOptions = Partial<CancelRequest>

/** Catches that could not be delivered. */
export interface DeadLetter {
  readonly id: number
  readonly collection: Collection
  readonly reason: DeadLetterReason
  readonly at: Date
  /** How many catches it holds. */
  readonly count: number
  /** The first 500 of them, in order. */
  readonly catches: readonly StoredCatch[]
}

/** A crash-safe queue of catches. Made by `openOutbox`. All its methods throw OutboxStoreError when the store fails. */
export interface Outbox {
  /**
   * Takes catches, all or none: checked as the client checks them, then kept; they are safe when it returns. They are
   * sent by `flush`, or by `start` in the background, each once and in the order of their adding within a collection.
   *
   * @throws ValidationError, OutboxFullError, CheckpointMovedError, OutboxStoreError, OutboxClosedError; nothing was
   *   added.
   * @example
   * await outbox.add({ kind: 'fish', name: 'Salmon', rarity: 'Gold', key: 'latest.log:1042' })
   * await outbox.add([], { checkpoint: { name: 'latest.log', value: '2048' } })
   */
  add(catches: NewCatch | readonly NewCatch[], options?: OutboxAddOptions): Promise<OutboxAdded>
  /**
   * The value that a checkpoint was last given; `undefined` when there is none.
   *
   * @example
   * const offset = Number((await outbox.checkpoint('latest.log')) ?? 0)
   */
  checkpoint(name: string): Promise<string | undefined>
  /**
   * Sends what waits, up to 500 catches of one collection in a request, and waits out the rate limit. Flushes of one
   * outbox run one after another. What fails for now stays queued and is in the report; what can never be stored is set
   * aside. Call it again after a report with `stopped`, or let `start` do so.
   *
   * @throws OutboxStoreError; OutboxClosedError; the signal's reason.
   * @example
   * const { sent, left, stopped } = await outbox.flush({ signal: AbortSignal.timeout(60_000) })
   */
  flush(options?: FlushOptions): Promise<FlushReport>
  /**
   * Sends by itself from now on, in the background: at once, `lingerMs` after each `add`, again after failures (1 s
   * later, then longer and longer up to 5 minutes, or when the rate limit ends), and every 30 s for what others add to
   * the store. Its waits do not keep a process alive, a request does; what is left then is sent next time. Starting
   * again changes nothing.
   *
   * @example
   * outbox.start()
   */
  start(): void
  /** Ends the background; settles when the request in flight has its answer. `start` begins anew. */
  stop(): Promise<void>
  /**
   * What the outbox holds.
   *
   * @example
   * const { queued, frozen, dead } = await outbox.status()
   */
  status(): Promise<OutboxStatus>
  /** The first catches that wait to be sent, in order. @param limit @default 100 */
  peek(limit?: number): Promise<readonly StoredCatch[]>
  /**
   * What could not be delivered, oldest first.
   *
   * @example
   * for (const { id, count, reason } of await outbox.deadLetters()) showStatus(`${id}: ${count} ${reason.message}`)
   */
  deadLetters(): Promise<readonly DeadLetter[]>
  /**
   * Queues dead-letter catches again, at their old places; they are encrypted anew when they are sent. That stores
   * nothing twice: only what the service refused is set aside.
   *
   * @param ids Of which batches. @default all
   * @returns how many catches
   * @example
   * await outbox.retry()
   * await outbox.flush()
   */
  retry(ids?: number | readonly number[]): Promise<number>
  /** Deletes dead-letter catches for good. Their keys stay known. @returns how many catches */
  drop(ids: number | readonly number[]): Promise<number>
  /**
   * Removes for good what is queued, all or by the beginnings of keys. A batch under way stays: it has its token, may
   * have reached the service, and is sent again. Keys stay known: what was cancelled is not taken again under its key.
   *
   * @throws ValidationError for a checkpoint that cannot be one
   * @example
   * const { cancelled, frozen } = await outbox.cancel({ keyPrefix: 'old.log:' })
   */
  cancel(options?: CancelOptions): Promise<CancelOutcome>
  /**
   * Hears every event from now on. A listener that throws does the outbox no harm; the error is thrown outside of it.
   *
   * @returns a function that ends it
   * @example
   * const unsubscribe = outbox.subscribe((event) => {
   *   if (event.type === 'waiting') showNextTry(event.until)
   * })
   */
  subscribe(listener: OutboxListener): () => void
  /**
   * Closes the outbox and its store. Waits for a request in flight, so that its answer is not lost, or until the signal
   * aborts; a flush under way then fails with OutboxClosedError. Sends nothing more: flush first for that.
   */
  close(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

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
