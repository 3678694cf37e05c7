import { serviceAddress } from '../client/core/service-url.ts'
import type { Clock } from '../client/core/timing.ts'
import { RateLimitError } from '../errors/api-errors.ts'
import { untilAborted } from '../internal/wait.ts'
import type { Collection } from './catches.ts'
import { type Attempt, attempt, type Delivery, deliverNext } from './deliver.ts'
import type { DeadLetterNotice } from './events.ts'
import type { OutboxClient } from './options.ts'
import type { FlushProgress, FlushReport, StoppedCollection } from './outbox.ts'
import type { OutboxStore } from './store.ts'

type CollectionCounts = ReturnType<OutboxStore['collections']>[number]

export interface FlushCall {
  /** Maximum wait for the rate limit, in milliseconds. */
  readonly maxWaitMs: number
  readonly clock: Clock
  /** Cancels the flush at once. */
  readonly signal: AbortSignal
  /** Cancels the flush after the response to the current request. */
  readonly stop: AbortSignal
  readonly onProgress?: ((progress: FlushProgress) => void) | undefined
}

const LOCK_POLL_MS = 100
const MIN_LIMIT_WAIT_MS = 1000
const MAX_JITTER_MS = 1000

/** Not before the rate limit allows requests again, and at least 1 s, even if the response says less. */
export function rateLimitWaitMs(until: number, now: number, random: number): number {
  return Math.max(until - now, MIN_LIMIT_WAIT_MS) + random * MAX_JITTER_MS
}

interface Blocked {
  readonly error: unknown
  /** End of the rate-limit window; `undefined` if the server did not respond. */
  readonly until?: number | undefined
}

/** `pause` also when the collection is finished. */
type TurnResult = 'continue' | 'pause' | 'locked'

/** Sends one batch of each collection in turn, until nothing that can be sent is left. */
export async function flushOutbox(delivery: Delivery, call: FlushCall): Promise<FlushReport> {
  const { store, settings, emitter } = delivery
  const ending = AbortSignal.any([call.signal, call.stop])
  const progress = { delivered: 0, rejected: 0, remaining: 0 }
  const deadLetters: DeadLetterNotice[] = []
  const stopped: StoppedCollection[] = []
  const withoutClient: Collection[] = []
  /** Collections that are finished in this flush. */
  const closed = new Set<string>()
  const clients = new Map<string, Attempt<OutboxClient | undefined>>()
  /** Clients that the rate limit or a lost connection keeps from sending. */
  const blocked = new Map<OutboxClient, Blocked>()

  const sleep = (ms: number) => untilAborted(() => call.clock.sleep(ms, ending), ending)

  const close = ({ id }: CollectionCounts): TurnResult => {
    closed.add(id)
    return 'pause'
  }

  const stop = (counts: CollectionCounts, { error, until }: Blocked): TurnResult => {
    const collection = collectionOf(counts)
    const retryAt = until ?? (error instanceof RateLimitError ? error.resetAt : undefined)
    stopped.push({ collection, error, ...(retryAt !== undefined && { retryAt: new Date(retryAt) }) })
    emitter.emit({ type: 'error', collection, error })
    return close(counts)
  }

  const advance = (field: 'delivered' | 'rejected', count: number): TurnResult => {
    progress[field] += count
    progress.remaining = Math.max(progress.remaining - count, 0)
    call.onProgress?.({ ...progress })
    return 'continue'
  }

  const ownClient = async (user: string) => {
    const client = await settings.clientFor(user)
    // The store is bound to the service of `client` since the outbox was opened.
    const address = client?.baseUrl === undefined ? settings.service : serviceAddress(client.baseUrl)
    if (address !== undefined && address !== settings.service) store.bind(address)
    return client
  }

  const clientFor = async (user: string) => {
    const found = clients.get(user) ?? (await attempt(() => ownClient(user), call.signal))
    clients.set(user, found)
    return found
  }

  /** Sends one batch. */
  const takeTurn = async (counts: CollectionCounts): Promise<TurnResult> => {
    const found = await clientFor(counts.user)
    if ('error' in found) return stop(counts, found)
    const client = found.value
    if (!client) {
      withoutClient.push(collectionOf(counts))
      return close(counts)
    }
    const block = blocked.get(client)
    if (block) return block.until === undefined ? stop(counts, block) : 'pause'

    const outcome = await deliverNext(delivery, counts.id, client, call.signal)
    switch (outcome.type) {
      case 'delivered':
        return advance('delivered', outcome.count)
      case 'rejected':
        deadLetters.push(outcome.notice)
        return advance('rejected', outcome.notice.count)
      case 'again':
        return 'continue'
      case 'empty':
        return close(counts)
      case 'locked':
        return 'locked'
      case 'failed': {
        const { error, decision } = outcome
        if (decision.type === 'wait') {
          blocked.set(client, { error, until: decision.until })
          return 'pause'
        }
        if (decision.type === 'unreachable') blocked.set(client, { error })
        return stop(counts, { error })
      }
    }
  }

  /** None of these can be sent now: waits for the rate limit, or stops those that would wait too long. */
  const waitForLimit = async (open: readonly CollectionCounts[]) => {
    const [now, random] = [settings.now(), settings.random()]
    const limits = [...blocked].flatMap(([client, { error, until }]) =>
      until === undefined ? [] : [{ client, error, waitMs: rateLimitWaitMs(until, now, random) }],
    )
    const [limit] = limits.toSorted((one, other) => one.waitMs - other.waitMs)
    if (open.length === 0 || !limit) return
    if (limit.waitMs > call.maxWaitMs) {
      for (const counts of open) {
        const found = clients.get(counts.user)
        const block = found && 'value' in found && found.value ? blocked.get(found.value) : undefined
        if (block) stop(counts, block)
      }
      return
    }
    emitter.emit({ type: 'waiting', until: new Date(now + limit.waitMs), error: limit.error })
    await sleep(limit.waitMs)
    blocked.delete(limit.client)
  }

  for (;;) {
    ending.throwIfAborted()
    const pending = store.collections().filter((counts) => counts.pending > 0)
    progress.remaining = pending.reduce((sum, counts) => sum + counts.pending, 0)
    const open = pending.filter(({ id }) => !closed.has(id))
    if (open.length === 0) return { ...progress, deadLetters, stopped, withoutClient }
    const results = new Set<TurnResult>()
    for (const counts of open) {
      ending.throwIfAborted()
      results.add(await takeTurn(counts))
      if (results.has('locked')) break
    }
    if (results.has('locked')) await sleep(LOCK_POLL_MS)
    else if (!results.has('continue')) await waitForLimit(open.filter(({ id }) => !closed.has(id)))
  }
}

function collectionOf({ kind, user, gamemode }: CollectionCounts): Collection {
  return { kind, user, gamemode }
}
