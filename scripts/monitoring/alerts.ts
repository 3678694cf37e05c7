import { type ErrorCode, OWN_ROUTES, type RouteName, STREAM_LIMITS } from '@fish-crab/sdk/contract'
import { checkQuery, serverMetrics } from './metric-names.ts'

/** The name of the scrape job in docs/monitoring.md. */
export const JOB = 'fish-crab'

interface Alert {
  readonly name: string
  readonly query: string
  /** How long the query must return a result. */
  readonly after: string
  readonly severity: 'critical' | 'warning'
  /** The problem, in one sentence. */
  readonly summary: string
  /** The next step of the operator. */
  readonly runbook: string
}

const routes = (...names: readonly RouteName[]) => names.join('|')
const code = (name: ErrorCode) => `code="${name}"`
const PROBES = routes('livez', 'readyz', 'metrics')
/** The routes that hash a password. Such requests take their turn in a queue, and thus take long. */
const LOGINS = routes('adminLogin', 'getUserKey', ...(Object.keys(OWN_ROUTES) as RouteName[]))
const MANY_STREAMS = 0.8 * STREAM_LIMITS.total

/** Sums a counter of each server. */
const perServer = (rate: string) => `sum by (job, instance) (${rate})`
/** Below this number of requests per second, a single request would decide a ratio or a percentile. */
const MIN_RATE = 0.2

// One client beyond its limit of event streams would raise the ratio, and streams have an alert of their own.
const ANSWERED = `route!~"${PROBES}|${routes('events')}"`
const REQUESTS = perServer(`rate(fish_http_requests_total{${ANSWERED}}[5m])`)
const TIMED = `route!~"${PROBES}|${LOGINS}"`

const ALERTS: readonly Alert[] = [
  {
    name: 'FishDown',
    query: `up{job="${JOB}"} == 0 or absent(up{job="${JOB}"})`,
    after: '2m',
    severity: 'critical',
    summary: 'Prometheus cannot read the metrics of the service.',
    runbook:
      'Request /livez on the host of the server. If the request fails, read the end of the log, and start the server again.',
  },
  {
    name: 'FishStorageFailing',
    query:
      'sum by (job, instance, operation) (rate(fish_storage_operation_failures_total[5m])) / ' +
      'sum by (job, instance, operation) (rate(fish_storage_operation_duration_seconds_count[5m])) > 0.01',
    after: '2m',
    severity: 'critical',
    summary: 'More than 1 % of the storage operations of one kind fail.',
    runbook: 'Request /readyz, which names the problem. Then check the disk of the data folder, or the Redis server.',
  },
  {
    name: 'FishStorageFull',
    query: `${perServer(`increase(fish_http_errors_total{${code('storage_full')}}[5m])`)} > 0`,
    after: '1m',
    severity: 'critical',
    summary: 'The storage is full, and the service rejects catches.',
    runbook:
      'Free space on the disk of the data folder, or raise maxmemory of Redis. The service then accepts catches again without a restart.',
  },
  {
    name: 'FishReserveUsed',
    query: 'fish_storage_reserve_remaining_ratio < 0.5',
    after: '1m',
    severity: 'critical',
    summary: 'More than half of the reserve for a full disk is used, and players cannot change their catches.',
    runbook:
      'Free space on the disk of the data folder now. Without the rest of the reserve, administrators cannot delete players either.',
  },
  {
    name: 'FishServerErrors',
    query:
      `${perServer(`rate(fish_http_requests_total{status=~"5..",${ANSWERED}}[5m])`)} / ${REQUESTS} > 0.05 ` +
      `and ${REQUESTS} > ${MIN_RATE}`,
    after: '5m',
    severity: 'critical',
    summary: 'More than 5 % of the requests fail with a 5xx status.',
    runbook:
      'Look for the most common code under "Errors by code" on the dashboard. Then search the log for the errors of this route.',
  },
  {
    name: 'FishSlowRequests',
    query:
      `histogram_quantile(0.99, sum by (job, instance, le) (rate(fish_http_request_duration_seconds_bucket{${TIMED}}[5m]))) > 1 ` +
      `and ${perServer(`rate(fish_http_request_duration_seconds_count{${TIMED}}[5m])`)} > ${MIN_RATE}`,
    after: '10m',
    severity: 'warning',
    summary: 'The slowest 1 % of the requests, without logins, take longer than 1 s.',
    runbook:
      'Compare "Duration of storage operations" with "Event-loop lag" on the dashboard. Slow operations point to the disk or Redis, and a long lag points to the CPU.',
  },
  {
    name: 'FishLoginsRefused',
    query:
      `${perServer(`increase(fish_http_errors_total{${code('unavailable')},route=~"${LOGINS}"}[5m])`)} > 0 ` +
      `unless ${perServer('rate(fish_storage_operation_failures_total[5m])')} > 0`,
    after: '2m',
    severity: 'warning',
    summary: 'Logins wait longer than 10 s for the hash of their password, and are refused.',
    runbook: 'Look for the addresses of failed logins with fish-cli audit, and limit these clients in the proxy.',
  },
  {
    name: 'FishManyEventStreams',
    query: `fish_event_streams > ${MANY_STREAMS}`,
    after: '5m',
    severity: 'warning',
    summary: `More than ${MANY_STREAMS} of ${STREAM_LIMITS.total} event streams are open.`,
    runbook:
      'Look for clients with many requests to /events in the log of the proxy, and limit them. With Redis, you can start another server.',
  },
]

/** Returns the rule file for Prometheus. */
export async function alertRules(): Promise<string> {
  const metrics = await serverMetrics()
  // A JSON string is also a YAML string.
  const rules = ALERTS.map(
    ({ name, query, after, severity, summary, runbook }) => `      - alert: ${name}
        expr: >-
          ${checkQuery(query, metrics)}
        for: ${after}
        labels:
          severity: ${severity}
        annotations:
          summary: ${JSON.stringify(summary)}
          runbook: ${JSON.stringify(runbook)}
`,
  )
  return `# Generated from scripts/monitoring/alerts.ts by \`npm run generate\`.
groups:
  - name: ${JOB}
    rules:
${rules.join('\n')}`
}

/** Returns the alerts as a Markdown list. */
export function alertList(): string {
  return ALERTS.map(
    ({ name, after, severity, summary, runbook }) =>
      `- **${name}** (${severity}, after ${after}): ${summary} ${runbook}`,
  ).join('\n')
}
