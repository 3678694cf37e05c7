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
  const requests = counter(
    'fish_http_requests_total',
    'Requests by route, method and status.',
    'route',
    'method',
    'status',
  )
  const errors = counter('fish_http_errors_total', 'Error responses by route and code.', 'route', 'code')
  const durations = histogram(
    'fish_http_request_duration_seconds',
    'Time until the response is ready to be sent, by route.',
    'route',
    REQUEST_SECONDS,
  )
  const decisions = counter(
    'fish_rate_limit_decisions_total',
    'Decisions of the rate limit of the public endpoints.',
    'decision',
  )
  const operations = histogram(
    'fish_storage_operation_duration_seconds',
    'Duration of storage operations, failed ones included.',
    'operation',
    STORAGE_SECONDS,
  )
  const failures = counter('fish_storage_operation_failures_total', 'Storage operations that failed.', 'operation')
  let totals: StoredTotals | undefined
  let remainingReserve: (() => number) | undefined
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
      (totals?.catches ?? []).map(({ kind, gamemode, count }) => [
        `{${labelText(Object.entries({ kind, gamemode }))}}`,
        count,
      ]),
    ),
    metric(
      'fish_storage_reserve_remaining_ratio',
      'Unused share of the reserve for a full disk, from 0 to 1.',
      'gauge',
      () => (remainingReserve ? [['', remainingReserve()]] : []),
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
      requests.increment(route, method, String(status))
      if (code !== undefined) errors.increment(route, code)
      durations.observe(route, seconds)
    },
    observeRateLimit: (decision: RateLimitDecision) => decisions.increment(decision),
    observeStorage({ operation, seconds, failed }: StorageObservation) {
      operations.observe(operation, seconds)
      if (failed) failures.increment(operation)
    },
    observeStreams(count: number) {
      streams = count
    },
    observeTotals(observed: StoredTotals | undefined) {
      totals = observed
    },
    /** @param remaining returns the unused share of the reserve of the storage */
    observeReserve(remaining: () => number) {
      remainingReserve = remaining
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

/**
 * Finds the series of some label values. Labels are formatted once for each series, because formatting them takes longer
 * than counting.
 * @param names the names of the labels
 */
function createSeries<Series>(names: readonly string[], create: (labels: string) => Series) {
  const all = new Map<string, Series>()
  return {
    all: () => all.values(),
    of(...values: readonly string[]): Series {
      const key = values.length === 1 ? (values[0] as string) : values.join(' ')
      const existing = all.get(key)
      if (existing) return existing
      const added = create(labelText(names.map((name, index) => [name, values[index]])))
      all.set(key, added)
      return added
    },
  }
}

/** @param names the names of the labels */
function counter(name: string, help: string, ...names: readonly string[]) {
  const series = createSeries(names, (labels) => ({ labels, count: 0 }))
  return {
    ...metric(name, help, 'counter', () =>
      Array.from(series.all(), ({ labels, count }): Sample => [`{${labels}}`, count]),
    ),
    increment(...values: readonly string[]) {
      series.of(...values).count += 1
    },
  }
}

/** @param bounds upper bounds of the buckets, ascending, without infinity */
function histogram(name: string, help: string, label: string, bounds: readonly number[]) {
  // The last bucket has no bound. A bucket counts only its own values, so that a value changes one bucket.
  const series = createSeries([label], (labels) => ({ labels, buckets: [...bounds, 0].map(() => 0), sum: 0 }))
  function* samples(): Iterable<Sample> {
    for (const { labels, buckets, sum } of series.all()) {
      let count = 0
      for (const [index, inBucket] of buckets.entries()) {
        count += inBucket
        yield [`_bucket{${labels},le="${bounds[index] ?? '+Inf'}"}`, count]
      }
      yield [`_sum{${labels}}`, sum]
      yield [`_count{${labels}}`, count]
    }
  }
  return {
    ...metric(name, help, 'histogram', samples),
    observe(value: string, seconds: number) {
      const one = series.of(value)
      let bucket = 0
      while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1
      one.buckets[bucket] = (one.buckets[bucket] as number) + 1
      one.sum += seconds
    },
  }
}

function metricText({ name, header, samples }: Metric): string {
  const lines = Array.from(samples(), ([series, value]) => `${name}${series} ${value}\n`)
  return lines.length === 0 ? '' : header + lines.join('')
}

/** Label values come from the contract and the settings, and never need escaping. */
function labelText(labels: readonly (readonly [name: string, value: string | undefined])[]): string {
  return labels.map(([name, value]) => `${name}="${value}"`).join(',')
}
