import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@fish-crab/sdk'

/** A clock of one run, by this machine. Clients that share it share what they know of the rate limit. */
export function machineClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    async sleep(ms, signal) {
      await sleep(ms, undefined, signal ? { signal } : {})
    },
  }
}
