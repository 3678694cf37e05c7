import type { Clock } from '@fish-crab/sdk'

/** Time that passes only while all work waits for a timer. */
export interface VirtualTime {
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Returns a clock that is wrong by `wrongByMs` milliseconds. Clients share a rate limiter only if they have the same
   * clock.
   */
  clock(wrongByMs?: number): Clock
  /** Lets time pass until the work is done. */
  run<Result>(work: Promise<Result>): Promise<Result>
}

interface Timer {
  readonly at: number
  readonly wake: () => void
}

// Real work, such as encryption, takes a few turns of the event loop. Virtual time stops during these turns.
const TURNS = 3
const ENDLESS_TURNS = 20_000

export function createVirtualTime(start = Date.parse('2026-01-01T00:00:00Z')): VirtualTime {
  let now = start
  const timers = new Set<Timer>()

  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = { at: now + ms, wake: resolve }
      timers.add(timer)
      signal?.addEventListener('abort', () => {
        timers.delete(timer)
        reject(signal.reason)
      })
    })

  function wakeNext(): boolean {
    let next: Timer | undefined
    for (const timer of timers) if (!next || timer.at < next.at) next = timer
    if (!next) return false
    now = Math.max(now, next.at)
    timers.delete(next)
    next.wake()
    return true
  }

  return {
    now: () => now,
    sleep,
    clock: (wrongByMs = 0) => ({ now: () => now + wrongByMs, sleep }),
    async run(work) {
      let settled = false
      const settle = () => {
        settled = true
      }
      work.then(settle, settle)
      let idle = 0
      while (!settled) {
        for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
        idle = settled || wakeNext() ? 0 : idle + 1
        if (idle > ENDLESS_TURNS) throw new Error('Nothing is left to wait for, and the work is not done.')
      }
      return work
    },
  }
}
