import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { createReading, type Metric } from './exposition.ts'

/** What is known of the process, until it is disposed of. */
export interface ProcessMetrics {
  readonly metrics: readonly Metric[]
  /** Stops watching the event loop. */
  dispose(): void
}

const NANOSECONDS = 1e9
const MICROSECONDS = 1e6
const RESOLUTION_MS = 20

/** Makes the metrics of this process, named as Prometheus' own client libraries name them. */
export function createProcessMetrics(): ProcessMetrics {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const startedAt = Date.now() / 1000 - process.uptime()
  // The sampling timer's own period is in what it records; what is beyond is lag.
  const lag = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000) : 0
  const gauge = (name: string, help: string, read: () => number) => createReading({ name, help }, 'gauge', read)
  const counter = (name: string, help: string, read: () => number) => createReading({ name, help }, 'counter', read)
  return {
    metrics: [
      counter('process_cpu_user_seconds_total', 'User CPU time, all threads.', () => cpu().user),
      counter('process_cpu_system_seconds_total', 'System CPU time, all threads.', () => cpu().system),
      counter('process_cpu_seconds_total', 'CPU time, all threads.', () => cpu().user + cpu().system),
      gauge('process_start_time_seconds', 'When the process started, in unix seconds.', () => startedAt),
      gauge('process_uptime_seconds', 'How long the process has run.', () => process.uptime()),
      gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
      gauge('nodejs_heap_size_used_bytes', 'Used heap of the main thread.', () => getHeapStatistics().used_heap_size),
      gauge('nodejs_external_memory_bytes', 'Memory outside the heap.', () => getHeapStatistics().external_memory),
      gauge('nodejs_eventloop_lag_mean_seconds', 'Mean lag since the last scrape.', () => lag(delay.mean)),
      gauge('nodejs_eventloop_lag_p99_seconds', '99th percentile of it.', () => lag(delay.percentile(99))),
      // The last one read, so it also begins the next period.
      gauge('nodejs_eventloop_lag_max_seconds', 'Longest lag since the last scrape.', () => {
        const longest = lag(delay.max)
        delay.reset()
        return longest
      }),
    ],
    dispose: () => delay.disable(),
  }
}

function cpu(): { readonly user: number; readonly system: number } {
  const { user, system } = process.cpuUsage()
  return { user: user / MICROSECONDS, system: system / MICROSECONDS }
}
