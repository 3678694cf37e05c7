import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { RateLimitDecision, RequestObservation, StorageObservation, StoredTotals } from '../app/core/host.ts'

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STORAGE_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/**
 * Creates the metrics of a server. Each server has its own metrics, so that two servers in one process are counted
 * separately.
 */
export function createServiceMetrics(droppedLogLines: () => number) {
  const requests = counter('fish_http_requests_total', 'Requests by route, method and status.')
  const errors = counter('fish_http_errors_total', 'Error responses by route and code.')
  const durations = histogram(
    'fish_http_request_duration_seconds',
    'Time until the response is ready to be sent, by route.',
    REQUEST_SECONDS,
  )
  const decisions = counter('fish_rate_limit_decisions_total', 'Decisions of the rate limit of the public endpoints.')
  const operations = histogram(
    'fish_storage_operation_duration_seconds',
    'Duration of storage operations, failed ones included.',
    STORAGE_SECONDS,
  )
  const failures = counter('fish_storage_operation_failures_total', 'Storage operations that failed.')
  let totals: StoredTotals | undefined
  let streams = 0
  let droppedConnections = 0
  let cutResponses = 0
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  loop.enable()
  const metrics: readonly Metric[] = [
    requests,
    errors,
    durations,
    decisions,
    operations,
    failures,
    metric('fish_users', 'Users, at most 10 s ago.', 'gauge', () => (totals ? [['', totals.users]] : [])),
    metric('fish_catches', 'Stored fish and crabs, at most 10 s ago.', 'gauge', () =>
      (totals?.catches ?? []).map(({ kind, gamemode, count }) => [`{${labelText({ kind, gamemode })}}`, count]),
    ),
    value('fish_event_streams', 'Open event streams.', 'gauge', () => streams),
    value(
      'fish_connections_dropped_total',
      'Connections refused above the limits.',
      'counter',
      () => droppedConnections,
    ),
    value(
      'fish_responses_cut_total',
      'Responses that ended early because of an error, event streams included.',
      'counter',
      () => cutResponses,
    ),
    value(
      'fish_log_lines_dropped_total',
      'Log lines dropped because nothing read the log fast enough.',
      'counter',
      droppedLogLines,
    ),
    ...processMetrics(loop),
  ]

  return {
    observeRequest({ route, method, status, code, seconds }: RequestObservation) {
      requests.increment({ route, method, status })
      if (code !== undefined) errors.increment({ route, code })
      durations.observe({ route }, seconds)
    },
    observeRateLimit: (decision: RateLimitDecision) => decisions.increment({ decision }),
    observeStorage({ operation, seconds, failed }: StorageObservation) {
      operations.observe({ operation }, seconds)
      if (failed) failures.increment({ operation })
    },
    observeStreams(count: number) {
      streams = count
    },
    observeTotals(observed: StoredTotals | undefined) {
      totals = observed
    },
    observeDroppedConnection() {
      droppedConnections += 1
    },
    observeCutResponse() {
      cutResponses += 1
    },
    render: async () => ({ body: metrics.map(metricText).join(''), contentType: TEXT_FORMAT }),
    dispose: () => loop.disable(),
  }
}

const NANOSECONDS = 1e9
const MICROSECONDS = 1e6
const RESOLUTION_MS = 20

/** The metrics of the process, with the names that Prometheus client libraries use. */
function processMetrics(loop: ReturnType<typeof monitorEventLoopDelay>): readonly Metric[] {
  // Recorded values include the interval of the sampling timer, so the interval is subtracted.
  const lag = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000) || 0
  const user = () => process.cpuUsage().user / MICROSECONDS
  const system = () => process.cpuUsage().system / MICROSECONDS
  const startedAt = Date.now() / 1000 - process.uptime()
  return [
    value('process_cpu_user_seconds_total', 'User CPU time, all threads.', 'counter', user),
    value('process_cpu_system_seconds_total', 'System CPU time, all threads.', 'counter', system),
    value('process_cpu_seconds_total', 'CPU time, all threads.', 'counter', () => user() + system()),
    value('process_start_time_seconds', 'When the process started, in unix seconds.', 'gauge', () => startedAt),
    value('process_uptime_seconds', 'How long the process has run.', 'gauge', () => process.uptime()),
    value('process_resident_memory_bytes', 'Resident memory.', 'gauge', () => process.memoryUsage.rss()),
    value(
      'nodejs_heap_size_used_bytes',
      'Used heap of the main thread.',
      'gauge',
      () => getHeapStatistics().used_heap_size,
    ),
    value(
      'nodejs_external_memory_bytes',
      'Memory outside the heap.',
      'gauge',
      () => getHeapStatistics().external_memory,
    ),
    value('nodejs_eventloop_lag_mean_seconds', 'Mean lag since the last scrape.', 'gauge', () => lag(loop.mean)),
    value('nodejs_eventloop_lag_p99_seconds', '99th percentile of it.', 'gauge', () => lag(loop.percentile(99))),
    // This metric is rendered last, so its callback also resets the histogram for the next scrape.
    value('nodejs_eventloop_lag_max_seconds', 'Longest lag since the last scrape.', 'gauge', () => {
      const longest = lag(loop.max)
      loop.reset()
      return longest
    }),
  ]
}

/** Content type of the text format (Prometheus documentation, "Exposition formats"). */
const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8'

type Labels = Readonly<Record<string, string | number>>
/** The suffix and labels of a series, and its value. */
type Sample = readonly [series: string, value: number]

interface Metric {
  readonly header: string
  readonly name: string
  readonly samples: () => Iterable<Sample>
}

function metric(name: string, help: string, type: string, samples: () => Iterable<Sample>): Metric {
  return { name, header: `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`, samples }
}

function value(name: string, help: string, type: 'counter' | 'gauge', read: () => number): Metric {
  return metric(name, help, type, () => [['', read()]])
}

function counter(name: string, help: string) {
  const counts = new Map<string, number>()
  return {
    ...metric(name, help, 'counter', () => counts),
    increment(labels: Labels) {
      const series = `{${labelText(labels)}}`
      counts.set(series, (counts.get(series) ?? 0) + 1)
    },
  }
}

/** @param bounds upper bounds of the buckets, ascending, without infinity */
function histogram(name: string, help: string, bounds: readonly number[]) {
  const all = new Map<string, { readonly values: number[]; sum: number; count: number }>()
  function* samples(): Iterable<Sample> {
    for (const [labels, { values, sum, count }] of all) {
      for (const [index, bound] of bounds.entries()) yield [`_bucket{${labels},le="${bound}"}`, values[index] ?? 0]
      yield [`_bucket{${labels},le="+Inf"}`, count]
      yield [`_sum{${labels}}`, sum]
      yield [`_count{${labels}}`, count]
    }
  }
  return {
    ...metric(name, help, 'histogram', samples),
    observe(labels: Labels, seconds: number) {
      const key = labelText(labels)
      const one = all.get(key) ?? { values: bounds.map(() => 0), sum: 0, count: 0 }
      all.set(key, one)
      for (const [index, bound] of bounds.entries())
        if (seconds <= bound) one.values[index] = (one.values[index] ?? 0) + 1
      one.sum += seconds
      one.count += 1
    },
  }
}

function metricText({ name, header, samples }: Metric): string {
  const lines = Array.from(samples(), ([series, value]) => `${name}${series} ${value}\n`)
  return lines.length === 0 ? '' : header + lines.join('')
}

/** Label values come from the contract and the settings, and never need escaping. */
function labelText(labels: Labels): string {
  let text = ''
  for (const name in labels) text += `${text && ','}${name}="${labels[name]}"`
  return text
}
