import { HEADERS } from '@fish-crab/sdk/contract'
import { createFairQueue, type FairQueue } from '../core/fair-queue.ts'
import type { Schedule } from '../core/schedule.ts'
import { HttpError } from './http-error.ts'

const MAX_WAIT_MS = 10_000

interface BoundedQueueOptions {
  /** Plural noun for the requests in the error message. */
  readonly what: string
  readonly concurrency: number
  readonly perClient?: number
  readonly schedule: Schedule
}

/** Creates a queue of requests. A request that waits longer than ten seconds for its turn is rejected with `unavailable`. */
export function createBoundedQueue({ what, schedule, ...turns }: BoundedQueueOptions): FairQueue {
  const rejection = () =>
    new HttpError('unavailable', {
      message: `Too many ${what} at once. Please try again in a while.`,
      headers: { [HEADERS.retryAfter]: String(MAX_WAIT_MS / 1000) },
    })
  return createFairQueue({ ...turns, limit: { waitMs: MAX_WAIT_MS, schedule, rejection } })
}

/**
 * Creates the queue for reads with a cost that grows with the stored data: whole collections, summaries, leaderboards
 * and the catch-up of event streams. Each turn ends before its data is sent, so slow clients do not delay other
 * clients.
 */
export function createReadQueue(schedule: Schedule): FairQueue {
  return createBoundedQueue({ what: 'large reads', concurrency: 4, perClient: 1, schedule })
}
