import { idleClock } from '../client/core/timing.ts'
import { LIMITS } from '../contract/limits.ts'
import { checkOptions, type OptionNames } from '../errors/check-options.ts'
import { throwIssues } from '../errors/fish-crab-error.ts'
import { type Background, startBackground } from './background.ts'
import { checkpointIssues, parseCatches } from './catches.ts'
import type { Delivery } from './deliver.ts'
import { CheckpointMovedError, OutboxClosedError, OutboxFullError } from './errors.ts'
import { Emitter } from './events.ts'
import { bindToService, type FlushCall, FlushQueue } from './flush.ts'
import { type OutboxOptions, type OutboxSettings, resolveOutboxOptions } from './options.ts'
import type { CancelOptions, FlushOptions, Outbox, OutboxAddOptions, OutboxStatus } from './outbox.ts'
import { defaultStore, sqliteStore } from './sqlite-store.ts'
import type { CollectionCounts, OutboxStore } from './store.ts'

const LISTED_CATCHES = 500
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
 * const outbox = await openOutbox({ client: createClient({ user: 'Alex', gamemode: 'earth', fernetKey }) })
 * outbox.start()
 * await outbox.add({ kind: 'fish', name: 'Salmon', rarity: 'Gold' })
 * await outbox.close()
 */
export async function openOutbox(options: OutboxOptions = {}): Promise<Outbox> {
  const settings = resolveOutboxOptions(options)
  const emitter = new Emitter()
  if (options.onEvent) emitter.subscribe(options.onEvent)
  const store = await storeOf(options, settings)
  if (settings.service !== undefined) {
    try {
      await bindToService({ store, emitter }, settings.service)
    } catch (error) {
      await store.close()
      throw error
    }
  }
  return createOutbox({ store, settings, emitter, owner: globalThis.crypto.randomUUID() })
}

async function storeOf({ store, path }: OutboxOptions, { service }: OutboxSettings): Promise<OutboxStore> {
  if (store) return store
  return path === undefined && service !== undefined ? defaultStore(service) : sqliteStore(path ?? '')
}

function createOutbox(delivery: Delivery): Outbox {
  const { store, settings, emitter } = delivery
  const queue = new FlushQueue(delivery)
  const closing = new AbortController()
  const aborting = new AbortController()
  let background: Background | undefined
  let closed: Promise<void> | undefined

  /** @throws OutboxClosedError */
  const openStore = () => {
    closing.signal.throwIfAborted()
    return store
  }

  const flush = ({ signals, stops, ...call }: FlushCall) =>
    queue.run({ ...call, signals: [aborting.signal, ...signals], stops: [closing.signal, ...stops] })

  const stop = async () => {
    const stopped = background
    background = undefined
    await stopped?.stop()
  }

  const closeAll = async () => {
    closing.abort(new OutboxClosedError())
    await stop()
    await queue.idle()
    await store.close()
  }

  const close: Outbox['close'] = async (options = {}) => {
    checkOptions(options, { signal: true })
    const { signal } = options
    const onAbort = () => aborting.abort(signal?.reason)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    closed ??= closeAll()
    return closed.finally(() => signal?.removeEventListener('abort', onAbort))
  }

  return {
    async add(catches, options = {}) {
      openStore()
      checkOptions(options, ADD_OPTIONS)
      const { checkpoint } = options
      const now = settings.now()
      const list = [catches].flat()
      const outcome = await store.add({
        catches: parseCatches(list, { now, defaults: settings.defaults, checkpoint }),
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
      if (added > 0) background?.nudge()
      return { added, duplicates, addedIndexes }
    },
    checkpoint: async (name) => openStore().checkpoint(name),
    async flush(options = {}) {
      openStore()
      checkOptions(options, FLUSH_OPTIONS)
      const { signal, onProgress, maxWaitMs = DEFAULT_MAX_WAIT_MS } = options
      return flush({ maxWaitMs, onProgress, signals: signal ? [signal] : [], stops: [] })
    },
    start() {
      openStore()
      const { clock, hasOwnClock, random, lingerMs } = settings
      background ??= startBackground({
        flush: (stopped) => flush({ maxWaitMs: 0, signals: [], stops: [stopped] }),
        onError: (error) => emitter.emit({ type: 'error', error }),
        onWait: (until, error) => emitter.emit({ type: 'waiting', until: new Date(until), error }),
        clock: hasOwnClock ? clock : idleClock,
        random,
        lingerMs,
      })
    },
    stop,
    status: async () => summarize(await openStore().collections()),
    peek: async (limit = 100) => openStore().peek(limit),
    async deadLetters() {
      const batches = await openStore().deadLetters(LISTED_CATCHES)
      return batches.map(({ at, ...batch }) => ({ ...batch, at: new Date(at) }))
    },
    async retry(ids) {
      const count = await openStore().retry(ids === undefined ? undefined : [ids].flat())
      if (count > 0) background?.nudge()
      return count
    },
    drop: async (ids) => openStore().drop([ids].flat()),
    async cancel(options = {}) {
      openStore()
      checkOptions(options, CANCEL_OPTIONS)
      const { keyPrefix, checkpoint, dryRun = false } = options
      const issues = checkpointIssues(checkpoint)
      throwIssues(issues)
      return store.cancel({ keyPrefix, checkpoint, dryRun })
    },
    subscribe(listener) {
      openStore()
      return emitter.subscribe(listener)
    },
    close,
    [Symbol.asyncDispose]: close,
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
    collections: counts.map(({ collection: _collection, oldestAt: _oldestAt, ...one }) => one),
  }
}
