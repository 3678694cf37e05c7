import { serviceAddress } from '../client/core/service-url.ts'
import { untilAborted } from '../internal/wait.ts'
import { limitWaitMs } from './backoff.ts'
import { decide } from './decision.ts'
import { type Attempt, attempt, type DeadLetterNotice, type Delivery, deliverNext } from './deliver.ts'
import { OutboxStoreError } from './errors.ts'
import type { Emitter } from './events.ts'
import type { OutboxClient } from './options.ts'
import type { FlushProgress, FlushReport, StoppedCollection } from './outbox.ts'
import type { Collection, CollectionCounts, OutboxStore } from './store.ts'

interface FlushRun {
  /** Maximum wait for the rate limit, in milliseconds. */
  readonly maxWaitMs: number
  /** Cancels it at once. */
  readonly signal: AbortSignal
  /** Stops it before the next request, and its waits at once. */
  readonly stopping: AbortSignal
  readonly onProgress?: ((progress: FlushProgress) => void) | undefined
}

/**
 * Sends one batch of each collection in turn, until nothing that can be sent is left.
 *
 * @throws the errors of the store, and the reason of either signal.
 */
async function flushAll(delivery: Delivery, run: FlushRun): Promise<FlushReport> {
  return new Flush(delivery, run).run()
}

class Flush {
  readonly #delivery: Delivery
  readonly #run: FlushRun
  readonly #report = new FlushReportBuilder()
  /** Collections that are finished in this flush. */
  readonly #closed = new Set<string>()
  readonly #clients = new Map<string, Attempt<OutboxClient | undefined>>()
  readonly #blocking = new Blocking()
  /** End of the lease that was reported last. */
  #reportedLease: number | undefined

  constructor(delivery: Delivery, run: FlushRun) {
    this.#delivery = delivery
    this.#run = run
  }

  async run(): Promise<FlushReport> {
    for (;;) {
      this.#throwIfAborted()
      const waiting = (await this.#delivery.store.collections()).filter(({ queued, frozen }) => queued + frozen > 0)
      this.#report.left = waiting.reduce((sum, { queued, frozen }) => sum + queued + frozen, 0)
      const open = waiting.filter(({ collection }) => !this.#closed.has(collection))
      if (open.length === 0) return this.#report.report()
      let moved = false
      for (const counts of open) {
        this.#throwIfAborted()
        if (await this.#turn(counts)) moved = true
      }
      if (moved) this.#reportedLease = undefined
      else await this.#wait(open.filter(({ collection }) => !this.#closed.has(collection)))
    }
  }

  #throwIfAborted(): void {
    this.#run.signal.throwIfAborted()
    this.#run.stopping.throwIfAborted()
  }

  /** Sends one batch. @returns whether the collection may continue at once */
  async #turn(counts: CollectionCounts): Promise<boolean> {
    const target = { kind: counts.kind, user: counts.user, gamemode: counts.gamemode }
    const found = await this.#clientFor(counts.user)
    if ('error' in found) return this.#stop(counts, target, { error: found.error })
    const client = found.value
    if (!client) {
      this.#report.withoutClient(target)
      return this.#close(counts)
    }
    const blocked = this.#blocking.blockedBy(client)
    if (blocked) return blocked.until === undefined ? this.#stop(counts, target, blocked) : false

    const outcome = await deliverNext(this.#delivery, counts.collection, client, this.#run.signal)
    if (outcome.type !== 'leased') this.#blocking.passLease(counts.collection)
    switch (outcome.type) {
      case 'sent':
        this.#report.sent(outcome.count)
        this.#run.onProgress?.(this.#report.progress())
        return true
      case 'dead-letter':
        this.#report.dead(outcome.notice)
        this.#run.onProgress?.(this.#report.progress())
        return true
      case 'again':
        return true
      case 'empty':
        return this.#close(counts)
      case 'leased':
        return this.#leased(counts, target, outcome.until)
      case 'failed': {
        const { error, decision } = outcome
        if (decision.type === 'wait') {
          this.#blocking.block(client, { error, until: decision.until })
          return false
        }
        if (decision.type === 'unreachable') this.#blocking.block(client, { error })
        return this.#stop(counts, target, { error })
      }
    }
  }

  async #clientFor(user: string): Promise<Attempt<OutboxClient | undefined>> {
    const known = this.#clients.get(user)
    if (known) return known
    const found = await attempt(() => this.#ownClient(user), this.#run.signal)
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

  #stop(counts: CollectionCounts, target: Collection, { error, until }: Blocked): false {
    const limit = until === undefined ? decide(error, { kind: target.kind, fresh: true }) : { type: 'wait', until }
    this.#report.stopped(target, error, 'until' in limit ? limit.until : undefined)
    this.#delivery.emitter.emit({ type: 'error', collection: target, error })
    return this.#close(counts)
  }

  #leased(counts: CollectionCounts, target: Collection, until: number): false {
    const now = this.#delivery.settings.now()
    const lease = { collection: target, until }
    if (this.#blocking.waitsForLease(counts.collection, lease, this.#run.maxWaitMs, now)) return false
    this.#report.leased(target, until)
    return this.#close(counts)
  }

  /** None of these can be sent now: waits for the rate limit or a lease, or stops those that would wait too long. */
  async #wait(open: readonly CollectionCounts[]): Promise<void> {
    const { now, random } = this.#delivery.settings
    const next = open.length > 0 ? this.#blocking.next(now(), random()) : undefined
    if (!next) return
    if (next.waitMs > this.#run.maxWaitMs) {
      for (const counts of open) await this.#stopLimited(counts)
      return
    }
    if (next.limit) {
      const until = new Date(now() + next.waitMs)
      this.#delivery.emitter.emit({ type: 'waiting', until, error: next.limit.error })
    }
    if (next.lease) this.#reportLease(next.lease)
    await this.#sleep(next.waitMs)
    if (next.limit) this.#blocking.unblock(next.limit.client)
  }

  /** Emits `leased` when a wait begins, and when it continues after something else was sent. */
  #reportLease({ collection, until }: LeaseOfOther): void {
    if (this.#reportedLease === until) return
    this.#reportedLease = until
    this.#delivery.emitter.emit({ type: 'leased', collection, until: new Date(until) })
  }

  async #sleep(ms: number): Promise<void> {
    const ended = AbortSignal.any([this.#run.signal, this.#run.stopping])
    await untilAborted(() => this.#delivery.settings.clock.sleep(ms, ended), ended)
  }

  async #stopLimited(counts: CollectionCounts): Promise<void> {
    const found = await this.#clientFor(counts.user)
    const blocked = 'value' in found && found.value ? this.#blocking.blockedBy(found.value) : undefined
    const target = { kind: counts.kind, user: counts.user, gamemode: counts.gamemode }
    if (blocked) this.#stop(counts, target, blocked)
  }
}

/** One flush: `signals` cancel it at once, `stops` after the response to the current request. */
export interface FlushCall extends Pick<FlushRun, 'maxWaitMs' | 'onProgress'> {
  readonly signals: readonly AbortSignal[]
  readonly stops: readonly AbortSignal[]
}

/** Runs the flushes of one outbox one after another. */
export class FlushQueue {
  readonly #delivery: Delivery
  /** The last flush. Never rejects. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(delivery: Delivery) {
    this.#delivery = delivery
  }

  /** Rejects as soon as one of the `signals` aborts, even in the queue. */
  run({ signals, stops, ...call }: FlushCall): Promise<FlushReport> {
    const signal = AbortSignal.any([...signals])
    const stopping = AbortSignal.any([...stops])
    const before = this.#last
    const flush = async () => {
      await before
      return flushAll(this.#delivery, { ...call, signal, stopping })
    }
    const flushing = flush()
    this.#last = flushing.catch(() => {})
    return untilAborted(() => flushing, signal)
  }

  /** Resolves when no flush is running. */
  async idle(): Promise<void> {
    await this.#last
  }
}

// A lease may be released early.
const LEASE_POLL_MS = 1000

/** Why a client is blocked. */
interface Blocked {
  readonly error: unknown
  /** End of the rate-limit window; `undefined` if the server did not respond. */
  readonly until?: number | undefined
}

/** A lease of another process. */
interface LeaseOfOther {
  readonly collection: Collection
  readonly until: number
}

/** A wait for the rate limit of a client, or for the lease of another process. */
interface Wait {
  readonly waitMs: number
  readonly limit?: { readonly client: OutboxClient; readonly error: unknown } | undefined
  readonly lease?: LeaseOfOther | undefined
}

/** The blocked clients of one flush, and the leases that it waits for. */
class Blocking {
  readonly #blocked = new Map<OutboxClient, Blocked>()
  readonly #leases = new Map<string, LeaseOfOther>()

  block(client: OutboxClient, blocked: Blocked): void {
    this.#blocked.set(client, blocked)
  }

  unblock(client: OutboxClient): void {
    this.#blocked.delete(client)
  }

  blockedBy(client: OutboxClient): Blocked | undefined {
    return this.#blocked.get(client)
  }

  /**
   * Whether to wait for the lease of another process. One that was killed never releases it; one that renews it is alive
   * and sends the collection itself.
   */
  waitsForLease(key: string, lease: LeaseOfOther, longestWaitMs: number, now: number): boolean {
    const { until } = lease
    const before = this.#leases.get(key)
    if (until - now > longestWaitMs || (before !== undefined && before.until !== until)) {
      this.#leases.delete(key)
      return false
    }
    this.#leases.set(key, lease)
    return true
  }

  /** The lease is free again. */
  passLease(key: string): void {
    this.#leases.delete(key)
  }

  /** The shortest wait; `undefined` if there is none. */
  next(now: number, random: number): Wait | undefined {
    const waits: Wait[] = [...this.#blocked].flatMap(([client, { error, until }]) =>
      until === undefined ? [] : [{ waitMs: limitWaitMs(until, now, random), limit: { client, error } }],
    )
    const [lease] = [...this.#leases.values()].toSorted((one, other) => one.until - other.until)
    if (lease) waits.push({ waitMs: Math.min(Math.max(lease.until - now, 1), LEASE_POLL_MS), lease })
    return waits.toSorted((one, other) => one.waitMs - other.waitMs)[0]
  }
}

/**
 * Binds a store to a service, so that its catches never go to another one.
 *
 * @throws OutboxStoreError `outbox_other_service` when it is bound to another service
 */
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

/** Builds the report of a flush. */
class FlushReportBuilder {
  #sent = 0
  #dead = 0
  /** Catches still to be sent. */
  left = 0
  readonly #deadLetters: DeadLetterNotice[] = []
  readonly #stopped: StoppedCollection[] = []
  readonly #leased: { collection: Collection; until: Date }[] = []
  readonly #withoutClient: Collection[] = []

  sent(count: number): void {
    this.#sent += count
    this.left = Math.max(this.left - count, 0)
  }

  dead(notice: DeadLetterNotice): void {
    this.#deadLetters.push(notice)
    this.#dead += notice.count
    this.left = Math.max(this.left - notice.count, 0)
  }

  stopped(collection: Collection, error: unknown, until?: number): void {
    this.#stopped.push({ collection, error, ...(until === undefined ? {} : { retryAt: new Date(until) }) })
  }

  leased(collection: Collection, until: number): void {
    this.#leased.push({ collection, until: new Date(until) })
  }

  withoutClient(collection: Collection): void {
    this.#withoutClient.push(collection)
  }

  progress(): FlushProgress {
    return { sent: this.#sent, dead: this.#dead, left: this.left }
  }

  report(): FlushReport {
    return {
      ...this.progress(),
      deadLetters: this.#deadLetters,
      stopped: this.#stopped,
      leased: this.#leased,
      withoutClient: this.#withoutClient,
    }
  }
}
