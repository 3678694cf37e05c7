import { limitWaitMs } from './backoff.ts'
import type { OutboxClient } from './options.ts'
import type { Collection } from './store.ts'

// A lease may be given back before its time.
const LEASE_POLL_MS = 1000

/** Why nothing more is sent through a client for now. */
export interface Blocked {
  readonly error: unknown
  /** When the rate limit ends; nothing where the server did not answer. */
  readonly until?: number | undefined
}

/** A collection that another process has, and until when. */
export interface LeaseOfOther {
  readonly collection: Collection
  readonly until: number
}

/** What there is to wait for: the rate limit of a client, or the lease of another process. */
export interface Wait {
  readonly waitMs: number
  readonly limit?: { readonly client: OutboxClient; readonly error: unknown } | undefined
  readonly lease?: LeaseOfOther | undefined
}

/** What stands in the way of one flush. */
export class Obstacles {
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
