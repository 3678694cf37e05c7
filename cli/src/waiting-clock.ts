import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@fish-crab/sdk'

// Shorter waits are over before they are read.
const WORTH_TELLING_MS = 1000

/** The machine's clock, which says when the client waits before a further try. */
export function waitingClock(say: (line: string) => void): Clock {
  return {
    now: () => Date.now(),
    async sleep(ms, signal) {
      if (ms >= WORTH_TELLING_MS)
        say(`fish-cli: waiting ${Math.ceil(ms / 1000)} s before the next try; Ctrl-C ends it.`)
      await sleep(ms, undefined, signal ? { signal } : {})
    },
  }
}
