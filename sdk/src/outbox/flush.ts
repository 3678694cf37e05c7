import { serviceAddress } from '../client/core/service-url.ts'
import { RateLimitError } from '../errors/api-errors.ts'
import { untilAborted } from '../internal/wait.ts'
import { rateLimitWaitMs } from './backoff.ts'
import { type Attempt, attempt, type Delivery, deliverNext } from './deliver.ts'
import { OutboxStoreError } from './errors.ts'
import type { DeadLetterNotice, Emitter } from './events.ts'
import type { OutboxClient } from './options.ts'
import type { FlushProgress, FlushReport, StoppedCollection } from './outbox.ts'
import type { Collection, CollectionCounts, OutboxStore } from './store.ts'

/** One flush: `signals` cancel it at once, `stops` after the response to the current request. */
export interface FlushCall {
  /** Maximum wait for the rate limit, in milliseconds. */
  readonly maxWaitMs: number
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

// A lease may be released early.
const LEASE_POLL_MS = 1000

interface Blocked {
  readonly error: unknown
  /** End of the rate-limit window; `undefined` if the server did not respond. */
  readonly until?: number | undefined
}

interface LeaseOfOther {
  readonly collection: Collection
  readonly until: number
}

class Flush {
  readonly signal: AbortSignal
  readonly #delivery: Delivery
  readonly #call: FlushCall
  /** Aborts when it has to stop, at once or after the current request. */
  readonly #ending: AbortSignal
  readonly #progress = { sent: 0, dead: 0, left: 0 }
  readonly #deadLetters: DeadLetterNotice[] = []
  readonly #stopped: StoppedCollection[] = []
  readonly #leased: { collection: Collection; until: Date }[] = []
  readonly #withoutClient: Collection[] = []
  /** Collections that are finished in this flush. */
  readonly #closed = new Set<string>()
  readonly #clients = new Map<string, Attempt<OutboxClient | undefined>>()
  /** Clients that the rate limit or a lost connection keeps from sending. */
  readonly #blocked = new Map<OutboxClient, Blocked>()
  /** The leases that it waits for, by collection. */
  readonly #leases = new Map<string, LeaseOfOther>()
  /** End of the lease that was reported last. */
  #reportedLease: number | undefined

  constructor(delivery: Delivery, call: FlushCall) {
    this.#delivery = delivery
    this.#call = call
    this.signal = AbortSignal.any([...call.signals])
    this.#ending = AbortSignal.any([...call.signals, ...call.stops])
  }

  async run(): Promise<FlushReport> {
    for (;;) {
      this.#ending.throwIfAborted()
      const waiting = (await this.#delivery.store.collections()).filter(({ queued, frozen }) => queued + frozen > 0)
      this.#progress.left = waiting.reduce((sum, { queued, frozen }) => sum + queued + frozen, 0)
      const open = waiting.filter(({ collection }) => !this.#closed.has(collection))
      if (open.length === 0) return this.#report()
      let moved = false
      for (const counts of open) {
        this.#ending.throwIfAborted()
        if (await this.#turn(counts)) moved = true
      }
      if (moved) this.#reportedLease = undefined
      else await this.#wait(open.filter(({ collection }) => !this.#closed.has(collection)))
    }
  }

  #report(): FlushReport {
    return {
      ...this.#progress,
      deadLetters: this.#deadLetters,
      stopped: this.#stopped,
      leased: this.#leased,
      withoutClient: this.#withoutClient,
    }
  }

  /** Sends one batch. @returns whether the collection may continue at once */
  async #turn(counts: CollectionCounts): Promise<boolean> {
    const found = await this.#clientFor(counts.user)
    if ('error' in found) return this.#stop(counts, found)
    const client = found.value
    if (!client) {
      this.#withoutClient.push(collectionOf(counts))
      return this.#close(counts)
    }
    const blocked = this.#blocked.get(client)
    if (blocked) {
      // While the client is blocked, the end of a lease changes nothing.
      this.#leases.delete(counts.collection)
      return blocked.until === undefined ? this.#stop(counts, blocked) : false
    }

    const outcome = await deliverNext(this.#delivery, counts.collection, client, this.signal)
    if (outcome.type !== 'leased') this.#leases.delete(counts.collection)
    switch (outcome.type) {
      case 'sent':
        this.#progress.sent += outcome.count
        return this.#advance(outcome.count)
      case 'dead-letter':
        this.#deadLetters.push(outcome.notice)
        this.#progress.dead += outcome.notice.count
        return this.#advance(outcome.notice.count)
      case 'again':
        return true
      case 'empty':
        return this.#close(counts)
      case 'leased':
        return this.#leasedByOther(counts, outcome.until)
      case 'failed': {
        const { error, decision } = outcome
        if (decision.type === 'wait') {
          this.#blocked.set(client, { error, until: decision.until })
          return false
        }
        if (decision.type === 'unreachable') this.#blocked.set(client, { error })
        return this.#stop(counts, { error })
      }
    }
  }

  #advance(count: number): true {
    this.#progress.left = Math.max(this.#progress.left - count, 0)
    this.#call.onProgress?.({ ...this.#progress })
    return true
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
    if (address !== undefined && address !== service) await bindToService(this.#delivery, address)
    return client
  }

  #close({ collection }: CollectionCounts): false {
    this.#closed.add(collection)
    return false
  }

  #stop(counts: CollectionCounts, { error, until }: Blocked): false {
    const collection = collectionOf(counts)
    const retryAt = until ?? (error instanceof RateLimitError ? error.resetAt : undefined)
    this.#stopped.push({ collection, error, ...(retryAt !== undefined && { retryAt: new Date(retryAt) }) })
    this.#delivery.emitter.emit({ type: 'error', collection, error })
    return this.#close(counts)
  }

  /**
   * Waits for the lease of another process, unless that renewed it: then it is alive and sends the collection itself. One
   * that was killed never releases it.
   */
  #leasedByOther(counts: CollectionCounts, until: number): false {
    const collection = collectionOf(counts)
    const before = this.#leases.get(counts.collection)
    const isRenewed = before !== undefined && before.until !== until
    if (!isRenewed && until - this.#delivery.settings.now() <= this.#call.maxWaitMs) {
      this.#leases.set(counts.collection, { collection, until })
      return false
    }
    this.#leases.delete(counts.collection)
    this.#leased.push({ collection, until: new Date(until) })
    return this.#close(counts)
  }

  /** None of these can be sent now: waits for the rate limit or a lease, or stops those that would wait too long. */
  async #wait(open: readonly CollectionCounts[]): Promise<void> {
    const { settings, emitter } = this.#delivery
    const now = settings.now()
    const random = settings.random()
    const limits = [...this.#blocked].flatMap(([client, { error, until }]) =>
      until === undefined ? [] : [{ client, error, waitMs: rateLimitWaitMs(until, now, random) }],
    )
    const [limit] = limits.toSorted((one, other) => one.waitMs - other.waitMs)
    const leases = open.flatMap(({ collection }) => this.#leases.get(collection) ?? [])
    const [lease] = leases.toSorted((one, other) => one.until - other.until)
    const leaseWaitMs = lease ? Math.min(Math.max(lease.until - now, 1), LEASE_POLL_MS) : Number.POSITIVE_INFINITY
    if (open.length === 0 || !(limit || lease)) return
    if (limit && limit.waitMs <= leaseWaitMs) {
      if (limit.waitMs > this.#call.maxWaitMs) return this.#stopBlocked(open)
      emitter.emit({ type: 'waiting', until: new Date(now + limit.waitMs), error: limit.error })
      await this.#sleep(limit.waitMs)
      this.#blocked.delete(limit.client)
    } else if (lease) {
      if (leaseWaitMs > this.#call.maxWaitMs) return this.#stopBlocked(open)
      this.#reportLease(lease)
      await this.#sleep(leaseWaitMs)
    }
  }

  /** Emits `leased` when a wait begins, and when it continues after something else was sent. */
  #reportLease({ collection, until }: LeaseOfOther): void {
    if (this.#reportedLease === until) return
    this.#reportedLease = until
    this.#delivery.emitter.emit({ type: 'leased', collection, until: new Date(until) })
  }

  async #sleep(ms: number): Promise<void> {
    await untilAborted(() => this.#delivery.settings.clock.sleep(ms, this.#ending), this.#ending)
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

/** So that its catches never go to another service. @throws OutboxStoreError `outbox_other_service` */
export async function bindToService(
  { store, emitter }: { readonly store: OutboxStore; readonly emitter: Emitter },
  service: string,
): Promise<void> {
  const { service: bound, adopted } = await store.bind(service)
  if (bound !== service) {
    throw new OutboxStoreError('outbox_other_service', `The outbox belongs to ${bound}, not to ${service}.`, {
      hint: 'Use a client of that service, or choose another path.',
    })
  }
  if (adopted) emitter.emit({ type: 'adopted', service })
}
