import { notify } from '../client/core/hooks.ts'
import { idleClock, systemClock } from '../client/core/timing.ts'
import { LIMITS } from '../contract/limits.ts'
import { checkOptions } from '../errors/check-options.ts'
import { keepAliveDuring, untilAborted } from '../internal/wait.ts'
import { type Background, startBackground } from './background.ts'
import { parseCatches } from './catches.ts'
import type { Delivery } from './deliver.ts'
import { OutboxClosedError, OutboxStoreError } from './errors.ts'
import { type FlushCall, flushOutbox } from './flush.ts'
import { type OutboxOptions, type OutboxSettings, resolveOutboxOptions } from './options.ts'
import type { Outbox, OutboxInspection, OutboxListener, OutboxStatus } from './outbox.ts'
import type { OutboxStore } from './store.ts'

const DEFAULT_MAX_WAIT_MS = (LIMITS.windowSeconds + 5) * 1000

/**
 * Opens a crash-safe queue of catches: every added catch is delivered to the service once and in order, even if a
 * process is killed. Several processes may open the same path. A file belongs to the first service for which it is
 * opened. Without `path`, each service has its own file. A file is never overwritten or repaired.
 *
 * @throws ValidationError for invalid options; OutboxStoreError when the file cannot be opened, with code
 *   `outbox_other_service` when it belongs to another service.
 * @example
 * const outbox = await openOutbox({ client: createClient({ user: 'Alex', gamemode: 'earth', fernetKey }) })
 * outbox.start()
 * await outbox.add({ kind: 'fish', name: 'Salmon', rarity: 'Gold' })
 * await outbox.close()
 */
export async function openOutbox(options: OutboxOptions = {}): Promise<Outbox> {
  const settings = resolveOutboxOptions(options)
  const listeners = new Set(options.onEvent && [options.onEvent])
  const { openStore } = await loadStore()
  const store = openStore(options.path, settings.service)
  try {
    if (settings.service !== undefined) store.bind(settings.service)
  } catch (error) {
    store.close()
    throw error
  }
  return createOutbox(store, settings, listeners)
}

/**
 * Opens an outbox file for reading, even while other processes use the file, and changes nothing.
 *
 * @throws OutboxStoreError when the file cannot be read or is not an outbox
 * @example
 * const { pending, close } = await inspectOutbox('./outbox.db')
 * close()
 */
export async function inspectOutbox(path: string): Promise<OutboxInspection> {
  const { inspectFile } = await loadStore()
  return inspectFile(path)
}

/** The store is loaded on demand, because some runtimes have no `node:sqlite`. */
function loadStore() {
  return import('./store.ts').catch((cause: unknown) => {
    throw new OutboxStoreError('outbox_unavailable', 'This runtime has no node:sqlite.', {
      hint: 'Use Node 22.19 or later.',
      cause,
    })
  })
}

type GivenFlush = Omit<FlushCall, 'signal' | 'stop'> & Partial<Pick<FlushCall, 'signal' | 'stop'>>

function createOutbox(store: OutboxStore, settings: OutboxSettings, listeners: Set<OutboxListener>): Outbox {
  const emit: Delivery['emit'] = (event) => {
    for (const listener of [...listeners]) notify(listener, event)
  }
  const closing = new AbortController()
  const aborting = new AbortController()
  let background: Background | undefined
  let closed: Promise<void> | undefined
  /** The most recent flush. This promise never rejects. */
  let last: Promise<unknown> = Promise.resolve()

  /** @throws OutboxClosedError */
  const openStore = () => {
    closing.signal.throwIfAborted()
    return store
  }

  const flush = ({ signal = aborting.signal, stop = closing.signal, ...call }: GivenFlush) => {
    const both = { signal: AbortSignal.any([aborting.signal, signal]), stop: AbortSignal.any([closing.signal, stop]) }
    const flushing = last.then(() => flushOutbox({ store, settings, emit }, { ...call, ...both }))
    last = flushing.catch(() => {})
    return untilAborted(() => flushing, both.signal)
  }

  const stop = async () => {
    const stopped = background
    background = undefined
    await stopped?.stop()
  }

  const closeAll = async () => {
    closing.abort(new OutboxClosedError())
    await stop()
    await last
    store.close()
  }

  const close: Outbox['close'] = async (options = {}) => {
    checkOptions(options, { signal: true })
    const { signal } = options
    const onAbort = () => aborting.abort(signal?.reason)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    closed ??= keepAliveDuring(closeAll)
    return closed.finally(() => signal?.removeEventListener('abort', onAbort))
  }

  return {
    async add(catches, options = {}) {
      openStore()
      checkOptions(options, { checkpoint: true })
      const { checkpoint } = options
      const now = settings.now()
      const list = [catches].flat()
      const addedIndexes = store.add(parseCatches(list, { now, defaults: settings.defaults, checkpoint }), {
        checkpoint,
        now,
        maxCatches: settings.maxCatches,
      })
      const added = addedIndexes.length
      const duplicates = list.length - added
      if (list.length > 0) emit({ type: 'added', added, duplicates })
      if (added > 0) background?.nudge()
      return { added, duplicates, addedIndexes }
    },
    checkpoint: async (name) => openStore().checkpoint(name),
    async flush(options = {}) {
      openStore()
      checkOptions(options, { signal: true, onProgress: true, maxWaitMs: true })
      const { signal, onProgress, maxWaitMs = DEFAULT_MAX_WAIT_MS } = options
      // The call may wait for a flush in the background, whose timers do not keep the process alive.
      return keepAliveDuring(() => flush({ clock: settings.clock, maxWaitMs, onProgress, ...(signal && { signal }) }))
    },
    start() {
      openStore()
      const { random, lingerMs } = settings
      // The waits of the idle clock do not keep a process alive.
      const clock = settings.clock === systemClock ? idleClock : settings.clock
      background ??= startBackground({
        flush: (stopped) => flush({ clock, maxWaitMs: 0, stop: stopped }),
        onError: (error) => emit({ type: 'error', error }),
        onWait: (until, error) => emit({ type: 'waiting', until: new Date(until), error }),
        clock,
        random,
        lingerMs,
      })
    },
    stop: () => keepAliveDuring(stop),
    status: async () => summarize(openStore().collections()),
    peek: async (limit = 100) => openStore().peek(limit),
    deadLetters: async () => openStore().deadLetters(),
    async retry(ids) {
      const count = openStore().retry(ids === undefined ? undefined : [ids].flat())
      if (count > 0) background?.nudge()
      return count
    },
    drop: async (ids) => openStore().drop([ids].flat()),
    async cancel(options = {}) {
      openStore()
      checkOptions(options, { user: true, seqs: true, dryRun: true })
      return store.cancel(options)
    },
    subscribe(listener) {
      openStore()
      // The listener is wrapped, so that subscribing a function twice creates two subscriptions.
      const own: OutboxListener = (event) => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function summarize(counts: ReturnType<OutboxStore['collections']>): OutboxStatus {
  const times = counts.flatMap(({ oldest }) => oldest ?? [])
  return {
    pending: counts.reduce((sum, { pending }) => sum + pending, 0),
    rejected: counts.reduce((sum, { rejected }) => sum + rejected, 0),
    ...(times.length > 0 && { oldest: new Date(Math.min(...times)) }),
    collections: counts.map(({ id: _, oldest: _oldest, ...collection }) => collection),
  }
}
