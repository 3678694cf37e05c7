import type { Clock } from '@fish-crab/sdk'

/** A clock that skips every sleep. `slept` contains the duration of each sleep. */
export function jumpingClock(start = Date.parse('2026-01-01T00:00:00Z')) {
  const slept: number[] = []
  let now = start
  const clock: Clock = {
    now: () => now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      slept.push(ms)
      now += ms
    },
  }
  const advance = (ms: number) => {
    now += ms
  }
  return { clock, slept, advance }
}

/** A clock that only a test can advance. Sleeps end in the order of their end times. */
export function standingClock(start = Date.parse('2026-01-01T00:00:00Z')) {
  let now = start
  const sleepers = new Set<{ until: number; wake: () => void }>()
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const sleeper = { until: now + ms, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        })
      }),
  }
  return {
    clock,
    /** Milliseconds until the next sleep ends. */
    nextSleep: () => Math.min(...[...sleepers].map(({ until }) => until)) - now,
    async advance(ms: number) {
      now += ms
      for (const sleeper of [...sleepers].toSorted((one, other) => one.until - other.until)) {
        if (sleeper.until > now) continue
        sleepers.delete(sleeper)
        sleeper.wake()
      }
      await settle()
    },
  }
}

/** Runs all pending work that needs neither a timer nor I/O. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
