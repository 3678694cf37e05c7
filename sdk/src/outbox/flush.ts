import { serviceAddress } from '../client/core/service-url.ts'
import { untilAborted } from '../client/core/timing.ts'
import { limitWaitMs } from './backoff.ts'
import { decide } from './decision.ts'
import { type Attempt, attempt, type DeadLetterNotice, type Delivery, deliverNext } from './deliver.ts'
import { OutboxStoreError } from './errors.ts'
import type { Emitter } from './events.ts'
import type { OutboxClient } from './options.ts'
import type { FlushProgress, FlushReport, StoppedCollection } from './outbox.ts'
import type { Collection, CollectionCounts, OutboxStore } from './store.ts'

/** What one flush is told. */
interface FlushRun {
  /** Longest wait for the rate limit, in milliseconds. */
  readonly maxWaitMs: number
  /** Ends it at once. */
  readonly signal: AbortSignal
  /** Ends it before the next request, and its waits at once. */
  readonly stopping: AbortSignal
  readonly onProgress?: ((progress: FlushProgress) => void) | undefined
}

/**
 * Sends what waits: one batch of each collection in turn, until nothing is left that can be sent.
 *
 * @throws what the store throws, and the reason of either signal.
 */
async function flushAll(delivery: Delivery, run: FlushRun): Promise<FlushReport> {
  return new Flush(delivery, run).run()
}

class Flush {
  readonly #delivery: Delivery
  readonly #run: FlushRun
  readonly #ledger = new FlushReportBuilder()
  /** Collections that this flush is done with. */
  readonly #closed = new Set<string>()
  readonly #clients = new Map<string, Attempt<OutboxClient | undefined>>()
  readonly #obstacles = new Blocking()
  /** When the lease ends whose wait was told last. */
  #toldLease: number | undefined

  constructor(delivery: Delivery, run: FlushRun) {
    this.#delivery = delivery
    this.#run = run
  }

  async run(): Promise<FlushReport> {
    for (;;) {
      this.#goOn()
      const waiting = (await this.#delivery.store.collections()).filter(({ queued, frozen }) => queued + frozen > 0)
      this.#ledger.left = waiting.reduce((sum, { queued, frozen }) => sum + queued + frozen, 0)
      const open = waiting.filter(({ collection }) => !this.#closed.has(collection))
      if (open.length === 0) return this.#ledger.report()
      let moved = false
      for (const counts of open) {
        this.#goOn()
        if (await this.#turn(counts)) moved = true
      }
      if (moved) this.#toldLease = undefined
      else await this.#wait(open.filter(({ collection }) => !this.#closed.has(collection)))
    }
  }

  #goOn(): void {
    this.#run.signal.throwIfAborted()
    this.#run.stopping.throwIfAborted()
  }

  /** Tries to send one batch. @returns whether the collection may go on at once */
  async #turn(counts: CollectionCounts): Promise<boolean> {
    const about = { kind: counts.kind, user: counts.user, gamemode: counts.gamemode }
    const found = await this.#clientFor(counts.user)
    if ('error' in found) return this.#stop(counts, about, { error: found.error })
    const client = found.value
    if (!client) {
      this.#ledger.withoutClient(about)
      return this.#close(counts)
    }
    const blocked = this.#obstacles.blockedBy(client)
    if (blocked) return blocked.until === undefined ? this.#stop(counts, about, blocked) : false

    const outcome = await deliverNext(this.#delivery, counts.collection, client, this.#run.signal)
    if (outcome.type !== 'leased') this.#obstacles.passLease(counts.collection)
    switch (outcome.type) {
      case 'sent':
        this.#ledger.sent(outcome.count)
        this.#run.onProgress?.(this.#ledger.progress())
        return true
      case 'dead-letter':
        this.#ledger.dead(outcome.notice)
        this.#run.onProgress?.(this.#ledger.progress())
        return true
      case 'again':
        return true
      case 'empty':
        return this.#close(counts)
      case 'leased':
        return this.#leased(counts, about, outcome.until)
      case 'failed': {
        const { error, decision } = outcome
        if (decision.type === 'wait') {
          this.#obstacles.block(client, { error, until: decision.until })
          return false
        }
        if (decision.type === 'unreachable') this.#obstacles.block(client, { error })
        return this.#stop(counts, about, { error })
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
    // That of `client` is known since the outbox was opened.
    const address = client?.baseUrl === undefined ? service : serviceAddress(client.baseUrl)
    if (address !== undefined && address !== service) await bindToService(this.#delivery, address)
    return client
  }

  #close({ collection }: CollectionCounts): false {
    this.#closed.add(collection)
    return false
  }

  #stop(counts: CollectionCounts, about: Collection, { error, until }: Blocked): false {
    const limit = until === undefined ? decide(error, { kind: about.kind, fresh: true }) : { type: 'wait', until }
    this.#ledger.stopped(about, error, 'until' in limit ? limit.until : undefined)
    this.#delivery.emitter.emit({ type: 'error', collection: about, error })
    return this.#close(counts)
  }

  #leased(counts: CollectionCounts, about: Collection, until: number): false {
    const now = this.#delivery.settings.now()
    const lease = { collection: about, until }
    if (this.#obstacles.waitsForLease(counts.collection, lease, this.#run.maxWaitMs, now)) return false
    this.#ledger.leased(about, until)
    return this.#close(counts)
  }

  /** None of these can be sent now: waits for the rate limit or a lease, or stops what would have to wait too long. */
  async #wait(open: readonly CollectionCounts[]): Promise<void> {
    const { now, random } = this.#delivery.settings
    const next = open.length > 0 ? this.#obstacles.next(now(), random()) : undefined
    if (!next) return
    if (next.waitMs > this.#run.maxWaitMs) {
      for (const counts of open) await this.#stopLimited(counts)
      return
    }
    if (next.limit) {
      const until = new Date(now() + next.waitMs)
      this.#delivery.emitter.emit({ type: 'waiting', until, error: next.limit.error })
    }
    if (next.lease) this.#tellLease(next.lease)
    await this.#sleep(next.waitMs)
    if (next.limit) this.#obstacles.unblock(next.limit.client)
  }

  /** Tells of a lease when its wait begins, and when it goes on after something else was done. */
  #tellLease({ collection, until }: LeaseOfOther): void {
    if (this.#toldLease === until) return
    this.#toldLease = until
    this.#delivery.emitter.emit({ type: 'leased', collection, until: new Date(until) })
  }

  async #sleep(ms: number): Promise<void> {
    const ended = AbortSignal.any([this.#run.signal, this.#run.stopping])
    await untilAborted(() => this.#delivery.settings.clock.sleep(ms, ended), ended)
  }

  async #stopLimited(counts: CollectionCounts): Promise<void> {
    const found = await this.#clientFor(counts.user)
    const blocked = 'value' in found && found.value ? this.#obstacles.blockedBy(found.value) : undefined
    const about = { kind: counts.kind, user: counts.user, gamemode: counts.gamemode }
    if (blocked) this.#stop(counts, about, blocked)
  }
}

/** One flush: `signals` end it at once, `stops` as soon as it has the answer to what it sent. */
export interface FlushCall extends Pick<FlushRun, 'maxWaitMs' | 'onProgress'> {
  readonly signals: readonly AbortSignal[]
  readonly stops: readonly AbortSignal[]
}

/** Runs the flushes of one outbox one after another. */
export class FlushQueue {
  readonly #delivery: Delivery
  /** The last of them. Never rejects. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(delivery: Delivery) {
    this.#delivery = delivery
  }

  /** Rejects as soon as one of the `signals` aborts, also while it waits for its turn. */
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

  /** Settles when no flush runs. */
  async idle(): Promise<void> {
    await this.#last
  }
}

// A lease may be given back before its time.
const LEASE_POLL_MS = 1000

/** Why nothing more is sent through a client for now. */
interface Blocked {
  readonly error: unknown
  /** When the rate limit ends; nothing where the server did not answer. */
  readonly until?: number | undefined
}

/** A collection that another process has, and until when. */
interface LeaseOfOther {
  readonly collection: Collection
  readonly until: number
}

/** What there is to wait for: the rate limit of a client, or the lease of another process. */
interface Wait {
  readonly waitMs: number
  readonly limit?: { readonly client: OutboxClient; readonly error: unknown } | undefined
  readonly lease?: LeaseOfOther | undefined
}

/** What stands in the way of one flush. */
class Blocking {
  readonly #blocked = new Map<OutboxClient, Blocked>()
  /** Those that are waited for. */
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
   * Whether to wait for the lease of another process. One that was killed never gives it back; one that claims it again
   * is alive, and sends by itself.
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

  /** The collection is not in the hands of another process any more. */
  passLease(key: string): void {
    this.#leases.delete(key)
  }

  /** What ends first; `undefined` when there is nothing to wait for. */
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
 * Binds a store to a service: what waits for one must never go to another.
 *
 * @throws OutboxStoreError `outbox_other_service` when it is bound to another one
 */
export async function bindToService(
  { store, emitter }: { readonly store: OutboxStore; readonly emitter: Emitter },
  service: string,
): Promise<void> {
  const { service: bound, adopted } = await store.bind(service)
  if (bound !== service) {
    throw new OutboxStoreError(
      'outbox_other_service',
      `The outbox holds catches for ${bound}, not for ${service}; nothing was changed.`,
      { hint: 'Open it with a client of that service, or choose another path.' },
    )
  }
  if (adopted) emitter.emit({ type: 'adopted', service })
}

/** Gathers a report while a flush runs. */
class FlushReportBuilder {
  #sent = 0
  #dead = 0
  /** Catches that wait to be sent, as last counted. */
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
