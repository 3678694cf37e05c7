import { HEADERS } from '@fish-crab/sdk/contract'
import { createFairQueue, type FairQueue } from '../core/fair-queue.ts'
import type { Schedule } from '../core/schedule.ts'
import { HttpError } from './http-error.ts'

const MAX_WAIT_MS = 10_000

interface BoundedQueueOptions {
  /** Names the requests in an error, in the plural. */
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
 * Creates the queue of reads whose cost grows with the stored data: whole collections, summaries, leaderboards, the
 * catch-up of event streams. A turn is one chunk and ends before the response waits for its client, so slow clients delay
 * nobody.
 */
export function createReadQueue(schedule: Schedule): FairQueue {
  return createBoundedQueue({ what: 'large reads', concurrency: 4, perClient: 1, schedule })
}
