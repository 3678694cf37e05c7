import type { Metrics } from '../../app/metrics.ts'
import { createCounter, createHistogram, createReading, renderText, TEXT_FORMAT } from './exposition.ts'
import { createProcessMetrics } from './process-metrics.ts'

/** The metrics of one server. */
export interface ServiceMetrics extends Metrics {
  /** Counts a connection that was refused because there were too many. */
  observeDroppedConnection(): void
  /** Stops watching the process. */
  dispose(): void
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STORAGE_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const LABELLED = { labelled: true }

/** What {@link createServiceMetrics} reads when it is scraped. */
export interface ServiceReadings {
  /** Lines that the log has dropped so far. */
  readonly droppedLogLines: () => number
}

/** Makes the metrics of a server: each server has its own, so that two in one process do not count together. */
export function createServiceMetrics({ droppedLogLines }: ServiceReadings): ServiceMetrics {
  const requests = createCounter(
    { name: 'fish_http_requests_total', help: 'Answered requests by route, method and status.' },
    LABELLED,
  )
  const durations = createHistogram(
    { name: 'fish_http_request_duration_seconds', help: 'Time until an answer was ready to be sent, by route.' },
    REQUEST_SECONDS,
  )
  const decisions = createCounter(
    { name: 'fish_rate_limit_decisions_total', help: 'What the rate limit of the public endpoints decided.' },
    LABELLED,
  )
  const operations = createHistogram(
    { name: 'fish_storage_operation_duration_seconds', help: 'Duration of storage operations, failed ones included.' },
    STORAGE_SECONDS,
  )
  const failures = createCounter(
    { name: 'fish_storage_operation_failures_total', help: 'Storage operations that failed.' },
    LABELLED,
  )
  const dropped = createCounter(
    { name: 'fish_connections_dropped_total', help: 'Connections refused because there were too many.' },
    { labelled: false },
  )
  const droppedLines = createReading(
    { name: 'fish_log_lines_dropped_total', help: 'Log lines dropped because nothing read the log fast enough.' },
    'counter',
    droppedLogLines,
  )
  const ofProcess = createProcessMetrics()
  const all = [requests, durations, decisions, operations, failures, dropped, droppedLines, ...ofProcess.metrics]

  return {
    now: () => performance.now(),
    observeRequest({ route, method, status, seconds }) {
      requests.increment({ route, method, status })
      durations.observe(seconds, { route })
    },
    observeAdmission: (decision) => decisions.increment({ decision }),
    observeStorage({ operation, seconds, failed }) {
      operations.observe(seconds, { operation })
      if (failed) failures.increment({ operation })
    },
    observeDroppedConnection: () => dropped.increment(),
    render: async () => ({ body: renderText(all), contentType: TEXT_FORMAT }),
    dispose: () => ofProcess.dispose(),
  }
}
