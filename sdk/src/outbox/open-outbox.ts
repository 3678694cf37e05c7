import { idleClock } from '../client/core/timing.ts'
import { LIMITS } from '../contract/limits.ts'
import { userNameKey } from '../contract/names.ts'
import { checkOptions, type OptionNames } from '../errors/check-options.ts'
import { Background } from './background.ts'
import { type NewCatch, readCatches } from './catches.ts'
import type { Delivery } from './deliver.ts'
import { CheckpointMovedError, OutboxClosedError, OutboxFullError } from './errors.ts'
import { Emitter, type OutboxListener } from './events.ts'
import { bindToService, type FlushCall, FlushQueue } from './flush.ts'
import { type OutboxOptions, type OutboxSettings, readOutboxOptions } from './options.ts'
import type {
  CancelOptions,
  DeadLetter,
  FlushOptions,
  FlushReport,
  Outbox,
  OutboxAdded,
  OutboxAddOptions,
  OutboxStatus,
} from './outbox.ts'
import { defaultStore, sqliteStore } from './sqlite-store.ts'
import type { CancelOutcome, CollectionCounts, OutboxStore, StoredCatch } from './store.ts'

const LISTED_CATCHES = 500
const DEFAULT_PEEK = 100
const DEFAULT_MAX_WAIT_MS = (LIMITS.windowSeconds + 5) * 1000

const ADD_OPTIONS: OptionNames<OutboxAddOptions> = { checkpoint: true }
const FLUSH_OPTIONS: OptionNames<FlushOptions> = { signal: true, onProgress: true, maxWaitMs: true }
const CANCEL_OPTIONS: OptionNames<CancelOptions> = { keyPrefix: true, checkpoint: true, dryRun: true }

/**
 * Opens a crash-safe queue of catches: every added catch is delivered to the service once and in order, even if a
 * process is killed. Several processes may open the same path. A store belongs to the first service that opens it;
 * without `path` and `store` each service has its own file. A store of an older version, which belongs to no service, is
 * assigned to the first one that opens it, with the event `adopted`.
 *
 * @throws ValidationError for invalid options; OutboxStoreError when the store cannot be opened, with code
 *   `outbox_other_service` when it belongs to another service.
 * @example
 * await using outbox = await openOutbox({ client: createClient({ user: 'Alex', gamemode: 'earth', fernetKey }) })
 * outbox.start()
 * await outbox.add({ kind: 'fish', name: 'Salmon', rarity: 'Gold' })
 */
export async function openOutbox(options: OutboxOptions = {}): Promise<Outbox> {
  const settings = readOutboxOptions(options, (one, other) => userNameKey(one) === userNameKey(other))
  const emitter = new Emitter()
  if (options.onEvent) emitter.subscribe(options.onEvent)
  const store = await openStore(options, settings)
  if (settings.service !== undefined) {
    try {
      await bindToService({ store, emitter }, settings.service)
    } catch (error) {
      await store.close()
      throw error
    }
  }
  return new OpenOutbox({ store, settings, emitter, owner: globalThis.crypto.randomUUID() })
}

async function openStore({ store, path }: OutboxOptions, { service }: OutboxSettings): Promise<OutboxStore> {
  if (store) return store
  return path === undefined && service !== undefined ? defaultStore(service) : sqliteStore(path ?? '')
}

class OpenOutbox implements Outbox {
  readonly #delivery: Delivery
  readonly #queue: FlushQueue
  readonly #closing = new AbortController()
  readonly #aborting = new AbortController()
  #background: Background | undefined
  #closed: Promise<void> | undefined

  constructor(delivery: Delivery) {
    this.#delivery = delivery
    this.#queue = new FlushQueue(delivery)
  }

  async add(catches: NewCatch | readonly NewCatch[], options: OutboxAddOptions = {}): Promise<OutboxAdded> {
    const { store, settings, emitter } = this.#open()
    checkOptions(options, ADD_OPTIONS)
    const { checkpoint } = options
    const now = settings.now()
    const list = Array.isArray(catches) ? (catches as readonly NewCatch[]) : [catches as NewCatch]
    const outcome = await store.add({
      catches: readCatches(list, { now, defaults: settings.defaults, checkpoint }),
      checkpoint,
      now,
      maxCatches: settings.maxCatches,
      maxKeys: settings.maxKeys,
      keysSince: now - settings.keyLifeMs,
    })
    if (outcome.type === 'moved') throw new CheckpointMovedError()
    if (outcome.type === 'full') throw new OutboxFullError(settings.maxCatches)
    const { addedIndexes } = outcome
    const added = addedIndexes.length
    const duplicates = list.length - added
    if (list.length > 0) emitter.emit({ type: 'added', added, duplicates })
    if (added > 0) this.#background?.nudge()
    return { added, duplicates, addedIndexes }
  }

  async checkpoint(name: string): Promise<string | undefined> {
    return this.#open().store.checkpoint(name)
  }

  async flush(options: FlushOptions = {}): Promise<FlushReport> {
    this.#open()
    checkOptions(options, FLUSH_OPTIONS)
    const { signal, onProgress, maxWaitMs = DEFAULT_MAX_WAIT_MS } = options
    return this.#flush({ maxWaitMs, onProgress, signals: signal ? [signal] : [], stops: [] })
  }

  start(): void {
    const { settings, emitter } = this.#open()
    const { clock, hasOwnClock, random, lingerMs } = settings
    this.#background ??= new Background({
      flush: (stopped) => this.#flush({ maxWaitMs: 0, onProgress: undefined, signals: [], stops: [stopped] }),
      onError: (error) => emitter.emit({ type: 'error', error }),
      onWait: (until, error) => emitter.emit({ type: 'waiting', until: new Date(until), error }),
      clock: hasOwnClock ? clock : idleClock,
      random,
      lingerMs,
    })
  }

  async stop(): Promise<void> {
    const background = this.#background
    this.#background = undefined
    await background?.stop()
  }

  async status(): Promise<OutboxStatus> {
    return summarize(await this.#open().store.collections())
  }

  async peek(limit = DEFAULT_PEEK): Promise<readonly StoredCatch[]> {
    return this.#open().store.peek(limit)
  }

  async deadLetters(): Promise<readonly DeadLetter[]> {
    const batches = await this.#open().store.deadLetters(LISTED_CATCHES)
    return batches.map(({ at, ...batch }) => ({ ...batch, at: new Date(at) }))
  }

  async retry(ids?: number | readonly number[]): Promise<number> {
    const count = await this.#open().store.retry(ids === undefined ? undefined : [ids].flat())
    if (count > 0) this.#background?.nudge()
    return count
  }

  async drop(ids: number | readonly number[]): Promise<number> {
    return this.#open().store.drop([ids].flat())
  }

  async cancel(options: CancelOptions = {}): Promise<CancelOutcome> {
    const { store, settings } = this.#open()
    checkOptions(options, CANCEL_OPTIONS)
    const { keyPrefix, checkpoint, dryRun = false } = options
    readCatches([], { now: settings.now(), defaults: settings.defaults, checkpoint })
    return store.cancel({ keyPrefix, checkpoint, dryRun })
  }

  subscribe(listener: OutboxListener): () => void {
    return this.#open().emitter.subscribe(listener)
  }

  async close(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    checkOptions(options, { signal: true })
    const { signal } = options
    const onAbort = () => this.#aborting.abort(signal?.reason)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#closed ??= this.#close()
    return this.#closed.finally(() => signal?.removeEventListener('abort', onAbort))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#closing.abort(new OutboxClosedError())
    await this.stop()
    await this.#queue.idle()
    await this.#delivery.store.close()
  }

  #flush({ signals, stops, ...call }: FlushCall): Promise<FlushReport> {
    return this.#queue.run({
      ...call,
      signals: [this.#aborting.signal, ...signals],
      stops: [this.#closing.signal, ...stops],
    })
  }

  #open(): Delivery {
    this.#closing.signal.throwIfAborted()
    return this.#delivery
  }
}

function summarize(counts: readonly CollectionCounts[]): OutboxStatus {
  const sum = (field: 'queued' | 'frozen' | 'dead') => counts.reduce((total, one) => total + one[field], 0)
  const times = counts.flatMap(({ oldestAt }) => (oldestAt === undefined ? [] : [oldestAt]))
  return {
    queued: sum('queued'),
    frozen: sum('frozen'),
    dead: sum('dead'),
    ...(times.length === 0 ? {} : { oldest: new Date(Math.min(...times)) }),
    collections: counts.map(({ kind, user, gamemode, queued, frozen, dead }) => ({
      kind,
      user,
      gamemode,
      queued,
      frozen,
      dead,
    })),
  }
}
