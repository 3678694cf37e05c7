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

/** One flush: `signals` cancel it at once, `stops` after the response to the current request. */
export interface FlushCall {
  /** Maximum wait for the rate limit, in milliseconds. */
  readonly maxWaitMs: number
  readonly clock: Clock
  readonly signals: readonly AbortSignal[]
  readonly stops: readonly AbortSignal[]
  readonly onProgress?: ((progress: FlushProgress) => void) | undefined
}

export class FlushQueue {
  readonly #delivery: Delivery
  /** The last flush. Never rejects. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(delivery: Delivery) {
    this.#delivery = delivery
  }

  /** Sends one batch of each collection in turn, until nothing that can be sent is left. Any signal aborts at once. */
  run(call: FlushCall): Promise<FlushReport> {
    const flush = new Flush(this.#delivery, call)
    const flushing = this.#last.then(() => flush.run())
    this.#last = flushing.catch(() => {})
    return untilAborted(() => flushing, flush.signal)
  }

  async idle(): Promise<void> {
    await this.#last
  }
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

class Flush {
  readonly signal: AbortSignal
  readonly #delivery: Delivery
  readonly #call: FlushCall
  /** Aborts when it has to stop, at once or after the current request. */
  readonly #ending: AbortSignal
  readonly #progress = { delivered: 0, rejected: 0, remaining: 0 }
  readonly #deadLetters: DeadLetterNotice[] = []
  readonly #stopped: StoppedCollection[] = []
  readonly #withoutClient: Collection[] = []
  /** Collections that are finished in this flush. */
  readonly #closed = new Set<string>()
  readonly #clients = new Map<string, Attempt<OutboxClient | undefined>>()
  /** Clients that the rate limit or a lost connection keeps from sending. */
  readonly #blocked = new Map<OutboxClient, Blocked>()

  constructor(delivery: Delivery, call: FlushCall) {
    this.#delivery = delivery
    this.#call = call
    this.signal = AbortSignal.any([...call.signals])
    this.#ending = AbortSignal.any([...call.signals, ...call.stops])
  }

  async run(): Promise<FlushReport> {
    for (;;) {
      this.#ending.throwIfAborted()
      const waiting = this.#delivery.store.collections().filter(({ pending }) => pending > 0)
      this.#progress.remaining = waiting.reduce((sum, { pending }) => sum + pending, 0)
      const open = waiting.filter(({ id }) => !this.#closed.has(id))
      if (open.length === 0) return this.#report()
      const results = new Set<TurnResult>()
      for (const counts of open) {
        this.#ending.throwIfAborted()
        results.add(await this.#turn(counts))
        if (results.has('locked')) break
      }
      if (results.has('locked')) await this.#sleep(LOCK_POLL_MS)
      else if (!results.has('continue')) await this.#wait(open.filter(({ id }) => !this.#closed.has(id)))
    }
  }

  #report(): FlushReport {
    return {
      ...this.#progress,
      deadLetters: this.#deadLetters,
      stopped: this.#stopped,
      withoutClient: this.#withoutClient,
    }
  }

  /** Sends one batch. */
  async #turn(counts: CollectionCounts): Promise<TurnResult> {
    const found = await this.#clientFor(counts.user)
    if ('error' in found) return this.#stop(counts, found)
    const client = found.value
    if (!client) {
      this.#withoutClient.push(collectionOf(counts))
      return this.#close(counts)
    }
    const blocked = this.#blocked.get(client)
    if (blocked) return blocked.until === undefined ? this.#stop(counts, blocked) : 'pause'

    const outcome = await deliverNext(this.#delivery, counts.id, client, this.signal)
    switch (outcome.type) {
      case 'delivered':
        this.#progress.delivered += outcome.count
        return this.#advance(outcome.count)
      case 'rejected':
        this.#deadLetters.push(outcome.notice)
        this.#progress.rejected += outcome.notice.count
        return this.#advance(outcome.notice.count)
      case 'again':
        return 'continue'
      case 'empty':
        return this.#close(counts)
      case 'locked':
        return 'locked'
      case 'failed': {
        const { error, decision } = outcome
        if (decision.type === 'wait') {
          this.#blocked.set(client, { error, until: decision.until })
          return 'pause'
        }
        if (decision.type === 'unreachable') this.#blocked.set(client, { error })
        return this.#stop(counts, { error })
      }
    }
  }

  #advance(count: number): TurnResult {
    this.#progress.remaining = Math.max(this.#progress.remaining - count, 0)
    this.#call.onProgress?.({ ...this.#progress })
    return 'continue'
  }

  async #clientFor(user: string): Promise<Attempt<OutboxClient | undefined>> {
    const known = this.#clients.get(user)
    if (known) return known
    const found = await attempt(() => this.#ownClient(user), this.signal)
    this.#clients.set(user, found)
    return found
  }

  async #ownClient(user: string): Promise<OutboxClient | undefined> {
    const { clientFor, service } = this.#delivery.settings
    const client = await clientFor(user)
    // The store is bound to the service of `client` since the outbox was opened.
    const address = client?.baseUrl === undefined ? service : serviceAddress(client.baseUrl)
    if (address !== undefined && address !== service) this.#delivery.store.bind(address)
    return client
  }

  #close({ id }: CollectionCounts): TurnResult {
    this.#closed.add(id)
    return 'pause'
  }

  #stop(counts: CollectionCounts, { error, until }: Blocked): TurnResult {
    const collection = collectionOf(counts)
    const retryAt = until ?? (error instanceof RateLimitError ? error.resetAt : undefined)
    this.#stopped.push({ collection, error, ...(retryAt !== undefined && { retryAt: new Date(retryAt) }) })
    this.#delivery.emitter.emit({ type: 'error', collection, error })
    return this.#close(counts)
  }

  /** None of these can be sent now: waits for the rate limit, or stops those that would wait too long. */
  async #wait(open: readonly CollectionCounts[]): Promise<void> {
    const { settings, emitter } = this.#delivery
    const now = settings.now()
    const random = settings.random()
    const limits = [...this.#blocked].flatMap(([client, { error, until }]) =>
      until === undefined ? [] : [{ client, error, waitMs: rateLimitWaitMs(until, now, random) }],
    )
    const [limit] = limits.toSorted((one, other) => one.waitMs - other.waitMs)
    if (open.length === 0 || !limit) return
    if (limit.waitMs > this.#call.maxWaitMs) return this.#stopBlocked(open)
    emitter.emit({ type: 'waiting', until: new Date(now + limit.waitMs), error: limit.error })
    await this.#sleep(limit.waitMs)
    this.#blocked.delete(limit.client)
  }

  async #sleep(ms: number): Promise<void> {
    await untilAborted(() => this.#call.clock.sleep(ms, this.#ending), this.#ending)
  }

  async #stopBlocked(open: readonly CollectionCounts[]): Promise<void> {
    for (const counts of open) {
      const found = await this.#clientFor(counts.user)
      const blocked = 'value' in found && found.value ? this.#blocked.get(found.value) : undefined
      if (blocked) this.#stop(counts, blocked)
    }
  }
}

function collectionOf({ kind, user, gamemode }: CollectionCounts): Collection {
  return { kind, user, gamemode }
}
