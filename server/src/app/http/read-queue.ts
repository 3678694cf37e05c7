import { HEADERS } from '@fish-crab/sdk/contract'
import { createFairQueue, type FairQueue } from '../core/fair-queue.ts'
import { HttpError } from './http-error.ts'

const MAX_WAIT_MS = 10_000
const MAX_WAITING = 10_000

/** Turns for reads that cost more than others. What would wait for more than ten seconds is rejected with `unavailable`. */
export function createReadQueue(turns: { readonly concurrency: number; readonly perClient?: number }): FairQueue {
  const rejection = () =>
    new HttpError('unavailable', {
      message: 'Too many requests of this kind at once. Please try again in a while.',
      headers: { [HEADERS.retryAfter]: String(MAX_WAIT_MS / 1000) },
    })
  return createFairQueue({ ...turns, limits: { maxMs: MAX_WAIT_MS, maxWaiting: MAX_WAITING, rejection } })
}
