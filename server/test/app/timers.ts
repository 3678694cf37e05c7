import type { Schedule } from '@fish-crab/server/app'

/** Timers that a test controls. */
export function createTimers() {
  const timers = new Set<{ readonly milliseconds: number; readonly run: () => void }>()
  const schedule: Schedule = (milliseconds, run) => {
    const timer = { milliseconds, run }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  return {
    schedule,
    get intervals() {
      return [...timers].map(({ milliseconds }) => milliseconds)
    },
    /** Runs the timers of an interval once. */
    run(interval: number) {
      for (const timer of [...timers]) {
        if (timer.milliseconds !== interval) continue
        timers.delete(timer)
        timer.run()
      }
    },
  }
}
