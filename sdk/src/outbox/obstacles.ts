import { limitWaitMs } from './backoff.ts'
import type { OutboxClient } from './options.ts'

// A lease may be given back before its time.
const LEASE_POLL_MS = 1000

/** Why nothing more is sent through a client for now. */
export interface Blocked {
  readonly error: unknown
  /** When the rate limit ends; nothing where the server did not answer. */
  readonly until?: number | undefined
}

/** What there is to wait for; `limit` where it is the rate limit of a client. */
export interface Wait {
  readonly waitMs: number
  readonly limit?: { readonly client: OutboxClient; readonly error: unknown } | undefined
}

/** What stands in the way of one flush. */
export class Obstacles {
  readonly #blocked = new Map<OutboxClient, Blocked>()
  /** Leases of other processes that are waited for, and when they end. */
  readonly #leases = new Map<string, number>()

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
   * Whether to wait for the lease of another process, and whether that is new. One that was killed never gives it back;
   * one that claims it again is alive, and sends by itself.
   */
  waitsForLease(collection: string, until: number, longestWaitMs: number, now: number): 'begins' | 'goes on' | 'no' {
    const before = this.#leases.get(collection)
    if (until - now > longestWaitMs || (before !== undefined && before !== until)) {
      this.#leases.delete(collection)
      return 'no'
    }
    this.#leases.set(collection, until)
    return before === undefined ? 'begins' : 'goes on'
  }

  /** The collection is not in the hands of another process any more. */
  passLease(collection: string): void {
    this.#leases.delete(collection)
  }

  /** What ends first; `undefined` when there is nothing to wait for. */
  next(now: number, random: number): Wait | undefined {
    const waits: Wait[] = [...this.#blocked].flatMap(([client, { error, until }]) =>
      until === undefined ? [] : [{ waitMs: limitWaitMs(until, now, random), limit: { client, error } }],
    )
    for (const until of this.#leases.values()) waits.push({ waitMs: Math.min(Math.max(until - now, 1), LEASE_POLL_MS) })
    return waits.toSorted((one, other) => one.waitMs - other.waitMs)[0]
  }
}
