import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { RateLimitDecision, RequestObservation, StorageObservation, StoredTotals } from '../app/core/host.ts'
import {
  createCounter,
  createGauges,
  createHistogram,
  createObservable,
  renderText,
  TEXT_FORMAT,
} from './prometheus.ts'

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STORAGE_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Creates the metrics of a server. Each has its own, so that two in one process are counted separately. */
export function createServiceMetrics(droppedLogLines: () => number) {
  const requests = createCounter('fish_http_requests_total', 'Requests by route, method and status.')
  const errors = createCounter('fish_http_errors_total', 'Error responses by route and code.')
  const durations = createHistogram(
    'fish_http_request_duration_seconds',
    'Time until the response is ready to be sent, by route.',
    REQUEST_SECONDS,
  )
  const decisions = createCounter(
    'fish_rate_limit_decisions_total',
    'Decisions of the rate limit of the public endpoints.',
  )
  const operations = createHistogram(
    'fish_storage_operation_duration_seconds',
    'Duration of storage operations, failed ones included.',
    STORAGE_SECONDS,
  )
  const failures = createCounter('fish_storage_operation_failures_total', 'Storage operations that failed.')
  let connections = 0
  let open = 0
  const streams = createObservable('fish_event_streams', 'Open event streams.', 'gauge', () => open)
  const dropped = createObservable(
    'fish_connections_dropped_total',
    'Connections refused above the limits.',
    'counter',
    () => connections,
  )
  const droppedLines = createObservable(
    'fish_log_lines_dropped_total',
    'Log lines dropped because nothing read the log fast enough.',
    'counter',
    droppedLogLines,
  )
  let cut = 0
  const cutResponses = createObservable(
    'fish_responses_cut_total',
    'Responses that ended early because of an error, event streams included.',
    'counter',
    () => cut,
  )
  let totals: StoredTotals | undefined
  const users = createGauges('fish_users', 'Users, at most 10 s ago.', () =>
    totals ? [{ labels: {}, value: totals.users }] : [],
  )
  const catches = createGauges('fish_catches', 'Stored fish and crabs, at most 10 s ago.', () =>
    (totals?.catches ?? []).map(({ kind, gamemode, count }) => ({ labels: { kind, gamemode }, value: count })),
  )
  const ofProcess = createProcessMetrics()
  const all = [
    requests,
    errors,
    durations,
    decisions,
    operations,
    failures,
    users,
    catches,
    streams,
    dropped,
    cutResponses,
    droppedLines,
    ...ofProcess.metrics,
  ]

  return {
    observeRequest({ route, method, status, code, seconds }: RequestObservation) {
      requests.increment({ route, method, status })
      if (code !== undefined) errors.increment({ route, code })
      durations.observe(seconds, { route })
    },
    observeRateLimit: (decision: RateLimitDecision) => decisions.increment({ decision }),
    observeStorage({ operation, seconds, failed }: StorageObservation) {
      operations.observe(seconds, { operation })
      if (failed) failures.increment({ operation })
    },
    observeStreams(count: number) {
      open = count
    },
    observeTotals(observed: StoredTotals | undefined) {
      totals = observed
    },
    observeDroppedConnection() {
      connections += 1
    },
    observeCutResponse() {
      cut += 1
    },
    render: async () => ({ body: renderText(all), contentType: TEXT_FORMAT }),
    dispose: ofProcess.dispose,
  }
}

const NANOSECONDS = 1e9
const MICROSECONDS = 1e6
const RESOLUTION_MS = 20

/** Named as in the client libraries of Prometheus. */
function createProcessMetrics() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const startedAt = Date.now() / 1000 - process.uptime()
  // Recorded values include the period of the sampling timer.
  const lag = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000) : 0
  const gauge = (name: string, help: string, read: () => number) => createObservable(name, help, 'gauge', read)
  const counter = (name: string, help: string, read: () => number) => createObservable(name, help, 'counter', read)
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
      // Read last, so it also starts the next period.
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
