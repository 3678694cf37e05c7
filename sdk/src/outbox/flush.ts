import { untilAborted } from '../client/clock.ts'
import { serviceAddress } from '../client/service-url.ts'
import { bindToService } from './bind-to-service.ts'
import { decide } from './decision.ts'
import { deliverNext } from './deliver.ts'
import type { Delivery } from './delivery.ts'
import { type FlushProgress, type FlushReport, FlushReportBuilder } from './flush-report.ts'
import { type Blocked, type LeaseOfOther, Obstacles } from './obstacles.ts'
import type { OutboxClient } from './options.ts'
import { type Attempt, attempt } from './send.ts'
import type { Collection, CollectionCounts } from './store.ts'

/** What one flush is told. */
export interface FlushRun {
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
export async function flushAll(delivery: Delivery, run: FlushRun): Promise<FlushReport> {
  return new Flush(delivery, run).run()
}

class Flush {
  readonly #delivery: Delivery
  readonly #run: FlushRun
  readonly #ledger = new FlushReportBuilder()
  /** Collections that this flush is done with. */
  readonly #closed = new Set<string>()
  readonly #clients = new Map<string, Attempt<OutboxClient | undefined>>()
  readonly #obstacles = new Obstacles()
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
