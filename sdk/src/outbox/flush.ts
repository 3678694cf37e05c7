import { serviceAddress } from '../client/core/service-url.ts'
import type { Clock } from '../client/core/timing.ts'
import { RateLimitError } from '../errors/api-errors.ts'
import { ConnectionError } from '../errors/connection-errors.ts'
import { untilAborted } from '../internal/wait.ts'
import type { Collection } from './catches.ts'
import { type Delivery, deliverNext } from './deliver.ts'
import type { OutboxClient } from './options.ts'
import type { DeadLetterNotice, FlushProgress, FlushReport, StoppedCollection } from './outbox.ts'
import type { OutboxStore } from './store.ts'

type CollectionCounts = ReturnType<OutboxStore['collections']>[number]

export interface FlushCall {
  /** Maximum wait for the rate limit, in milliseconds. */
  readonly maxWaitMs: number
  readonly clock: Clock
  /** Cancels the flush immediately, even during a request. */
  readonly signal: AbortSignal
  /** Cancels the flush after the response to the current request. */
  readonly stop: AbortSignal
  readonly onProgress?: ((progress: FlushProgress) => void) | undefined
}

const LOCK_POLL_MS = 100
const MIN_LIMIT_WAIT_MS = 1000
const MAX_JITTER_MS = 1000

/** Returns the milliseconds until the rate limit allows requests again, but at least 1 s, plus up to 1 s of jitter. */
export function rateLimitWaitMs(until: number, now: number, random: number): number {
  return Math.max(until - now, MIN_LIMIT_WAIT_MS) + random * MAX_JITTER_MS
}

/** A collection whose client has to wait for the rate limit. */
interface Paused {
  readonly counts: CollectionCounts
  readonly client: OutboxClient
  readonly error: RateLimitError
}

/** Sends one batch of each collection in turn, until no more catches can be sent. */
export async function flushOutbox(delivery: Delivery, call: FlushCall): Promise<FlushReport> {
  const { store, settings, emit } = delivery
  const ending = AbortSignal.any([call.signal, call.stop])
  const progress = { delivered: 0, rejected: 0, remaining: 0 }
  const deadLetters: DeadLetterNotice[] = []
  const stopped: StoppedCollection[] = []
  const withoutClient: Collection[] = []
  /** Collections that are finished in this flush. */
  const closed = new Set<string>()
  const clients = new Map<string, Promise<OutboxClient | undefined>>()
  /** Clients that cannot send because of the rate limit or a lost connection, with the error. */
  const blocked = new Map<OutboxClient, unknown>()

  const sleep = (ms: number) => untilAborted(() => call.clock.sleep(ms, ending), ending)

  const stop = (counts: CollectionCounts, error: unknown) => {
    const collection = collectionOf(counts)
    stopped.push({ collection, error, ...(error instanceof RateLimitError && { retryAt: error.resetAt }) })
    emit({ type: 'error', collection, error })
    closed.add(counts.id)
  }

  const advance = (field: 'delivered' | 'rejected', count: number) => {
    progress[field] += count
    progress.remaining = Math.max(progress.remaining - count, 0)
    call.onProgress?.({ ...progress })
  }

  const openClient = async (user: string) => {
    const client = await settings.clientFor(user)
    // `openOutbox` has already bound the store to `settings.service`.
    const address = client?.baseUrl === undefined ? settings.service : serviceAddress(client.baseUrl)
    if (address !== undefined && address !== settings.service) store.bind(address)
    return client
  }

  const clientFor = (user: string) => {
    const opening = clients.get(user) ?? openClient(user)
    clients.set(user, opening)
    return opening
  }

  /**
   * Sends one batch. Returns a `Paused` if the collection must wait for the rate limit, `continue` if it may have more
   * catches to send, `closed` if this flush is finished with the collection, or `locked` if another process is sending.
   */
  const takeTurn = async (counts: CollectionCounts): Promise<Paused | 'continue' | 'closed' | 'locked'> => {
    let client: OutboxClient | undefined
    try {
      client = await untilAborted(() => clientFor(counts.user), call.signal)
    } catch (error) {
      call.signal.throwIfAborted()
      stop(counts, error)
      return 'closed'
    }
    if (!client) {
      withoutClient.push(collectionOf(counts))
      closed.add(counts.id)
      return 'closed'
    }
    const outcome = blocked.has(client)
      ? ({ type: 'failed', error: blocked.get(client) } as const)
      : await deliverNext(delivery, counts.id, client, call.signal)
    if (outcome.type === 'delivered') advance('delivered', outcome.count)
    if (outcome.type === 'rejected') {
      deadLetters.push(outcome.notice)
      advance('rejected', outcome.notice.count)
    }
    if (outcome.type === 'locked') return 'locked'
    if (outcome.type === 'empty') closed.add(counts.id)
    if (outcome.type !== 'failed') return outcome.type === 'empty' ? 'closed' : 'continue'
    const { error } = outcome
    if (error instanceof RateLimitError || error instanceof ConnectionError) blocked.set(client, error)
    if (error instanceof RateLimitError) return { counts, client, error }
    stop(counts, error)
    return 'closed'
  }

  /**
   * Waits for the earliest time at which any paused client may send again. If this wait would exceed `maxWaitMs`, stops
   * all paused collections instead.
   */
  const waitForLimit = async (paused: readonly Paused[]) => {
    const [first] = paused.toSorted((one, other) => one.error.resetAt.getTime() - other.error.resetAt.getTime())
    if (!first) return
    const now = settings.now()
    const waitMs = rateLimitWaitMs(first.error.resetAt.getTime(), now, settings.random())
    if (waitMs > call.maxWaitMs) {
      for (const { counts, error } of paused) stop(counts, error)
      return
    }
    emit({ type: 'waiting', until: new Date(now + waitMs), error: first.error })
    await sleep(waitMs)
    blocked.delete(first.client)
  }

  store.refillReserve()
  for (;;) {
    ending.throwIfAborted()
    const pending = store.collections().filter((counts) => counts.pending > 0)
    progress.remaining = pending.reduce((sum, counts) => sum + counts.pending, 0)
    const open = pending.filter(({ id }) => !closed.has(id))
    if (open.length === 0) return { ...progress, deadLetters, stopped, withoutClient }
    const paused: Paused[] = []
    let hasMore = false
    for (const counts of open) {
      ending.throwIfAborted()
      const result = await takeTurn(counts)
      if (typeof result === 'object') paused.push(result)
      hasMore ||= result === 'continue' || result === 'locked'
      if (result !== 'locked') continue
      await sleep(LOCK_POLL_MS)
      break
    }
    if (!hasMore) await waitForLimit(paused)
  }
}

function collectionOf({ kind, user, gamemode }: CollectionCounts): Collection {
  return { kind, user, gamemode }
}
