import { HEADERS } from '@fish-crab/sdk/contract'
import { createFairQueue, type FairQueue } from '../core/fair-queue.ts'
import { HttpError } from './http-error.ts'

const MAX_WAIT_MS = 10_000
const MAX_WAITING = 10_000

interface BoundedQueueOptions {
  /** What the requests want, in the plural. */
  readonly what: string
  readonly concurrency: number
  readonly perClient?: number
  /** @default 10,000 */
  readonly maxWaiting?: number
  readonly clock?: (() => number) | undefined
}

/** Turns for what costs more than others. What would wait for more than ten seconds is rejected with `unavailable`. */
export function createBoundedQueue({ what, maxWaiting = MAX_WAITING, ...turns }: BoundedQueueOptions): FairQueue {
  const rejection = () =>
    new HttpError('unavailable', {
      message: `Too many ${what} at once. Please try again in a while.`,
      headers: { [HEADERS.retryAfter]: String(MAX_WAIT_MS / 1000) },
    })
  return createFairQueue({ ...turns, limits: { maxMs: MAX_WAIT_MS, maxWaiting, rejection } })
}
