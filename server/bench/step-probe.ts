// Measures the turns of the event loop of the process that loads this file with `--import`. The parent process sends
// `start` and `stop`, and gets the result of `stop` as a message.
import { type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks'
import process from 'node:process'

/** The turns between `start` and `stop`. */
export interface Steps {
  /** CPU time of the main thread in the longest turn, without garbage collection, in milliseconds. */
  readonly longestMs: number
}

interface Turn {
  readonly start: number
  readonly end: number
  readonly cpuMs: number
}

/** Only turns of at least this length are matched with garbage collections. */
const LONG_MS = 5

function createProbe() {
  let long: Turn[] = []
  let collections: PerformanceEntry[] = []
  let isOn = false
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()))

  function turn(before: number, cpuBefore: number): void {
    if (!isOn) return
    const now = performance.now()
    const { user, system } = process.threadCpuUsage()
    const cpuMs = (user + system) / 1000 - cpuBefore
    if (cpuMs >= LONG_MS) long.push({ start: before, end: now, cpuMs })
    // The loop never waits for events, so that each turn ends with the next one.
    setImmediate(turn, now, (user + system) / 1000)
  }

  return {
    start(): void {
      long = []
      collections = []
      isOn = true
      observer.observe({ entryTypes: ['gc'] })
      const { user, system } = process.threadCpuUsage()
      setImmediate(turn, performance.now(), (user + system) / 1000)
    },
    stop(): Steps {
      isOn = false
      collections.push(...observer.takeRecords())
      observer.disconnect()
      return {
        longestMs: Math.max(0, ...long.map((one) => one.cpuMs - collectedMs(one, collections))),
      }
    },
  }
}

/** Time of garbage collections during a turn. */
function collectedMs({ start, end }: Turn, collections: readonly PerformanceEntry[]): number {
  return collections
    .filter(({ startTime, duration }) => startTime < end && startTime + duration > start)
    .reduce((sum, { duration }) => sum + duration, 0)
}

const probe = createProbe()
process.on('message', (message) => {
  if (message === 'start') probe.start()
  if (message === 'stop') process.send?.({ steps: probe.stop() })
})
process.channel?.unref()
