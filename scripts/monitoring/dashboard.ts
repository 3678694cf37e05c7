import { STREAM_LIMITS } from '@fish-crab/sdk/contract'
import { JOB } from './alerts.ts'
import { checkQuery, serverMetrics } from './metric-names.ts'

interface Panel {
  readonly title: string
  readonly description?: string
  /** A name of a unit in Grafana. @default a plain number */
  readonly unit?: string
  /** Queries, each with the text of its legend. The default selects the chosen servers in every series. */
  readonly queries: readonly (readonly [query: string, legend: string])[]
}

/** Queries contain `[rate]` in place of the range of a rate, and `{…}` in place of the selector of the chosen servers. */
const NUMBERS: readonly Panel[] = [
  { title: 'Servers up', queries: [[`sum(up{job="${JOB}"})`, '']] },
  { title: 'Players', queries: [['max(fish_users{})', '']] },
  { title: 'Catches', queries: [['sum(max by (kind, gamemode) (fish_catches{}))', '']] },
  { title: 'Open event streams', queries: [['sum(fish_event_streams{})', '']] },
  {
    title: 'Server errors',
    description: 'The share of responses with a 5xx status.',
    unit: 'percentunit',
    queries: [
      [
        '(sum(rate(fish_http_requests_total{status=~"5.."}[rate])) or vector(0)) / sum(rate(fish_http_requests_total{}[rate]))',
        '',
      ],
    ],
  },
  {
    title: 'Unused reserve',
    description: 'Below 50 %, players cannot change their catches until the disk has space.',
    unit: 'percentunit',
    queries: [['min(fish_storage_reserve_remaining_ratio{})', '']],
  },
]

const GRAPHS: readonly Panel[] = [
  {
    title: 'Requests by status',
    unit: 'reqps',
    queries: [['sum by (status) (rate(fish_http_requests_total{}[rate]))', '{{status}}']],
  },
  {
    title: 'Requests by route',
    unit: 'reqps',
    queries: [['topk(10, sum by (route) (rate(fish_http_requests_total{}[rate])))', '{{route}}']],
  },
  {
    title: 'Duration of requests',
    description: 'The time until the response is ready.',
    unit: 's',
    queries: [0.5, 0.99].map((share) => [
      `histogram_quantile(${share}, sum by (le) (rate(fish_http_request_duration_seconds_bucket{}[rate])))`,
      `${share * 100} %`,
    ]),
  },
  {
    title: 'Errors by code',
    unit: 'reqps',
    queries: [['sum by (route, code) (rate(fish_http_errors_total{}[rate]))', '{{code}} ({{route}})']],
  },
  {
    title: 'Rate limit',
    description: 'An API key or an allowed origin bypasses the limit.',
    unit: 'reqps',
    queries: [['sum by (decision) (rate(fish_rate_limit_decisions_total{}[rate]))', '{{decision}}']],
  },
  {
    title: 'Slowest routes',
    description: 'The duration of the slowest 1 % of the requests. Logins hash a password, which is slow on purpose.',
    unit: 's',
    queries: [
      [
        'topk(10, histogram_quantile(0.99, sum by (route, le) (rate(fish_http_request_duration_seconds_bucket{}[rate]))))',
        '{{route}}',
      ],
    ],
  },
  {
    title: 'Storage operations',
    unit: 'ops',
    queries: [['sum by (operation) (rate(fish_storage_operation_duration_seconds_count{}[rate]))', '{{operation}}']],
  },
  {
    title: 'Duration of storage operations',
    description: 'The duration of the slowest 1 % of the operations.',
    unit: 's',
    queries: [
      [
        'histogram_quantile(0.99, sum by (operation, le) (rate(fish_storage_operation_duration_seconds_bucket{}[rate])))',
        '{{operation}}',
      ],
    ],
  },
  {
    title: 'Failed storage operations',
    unit: 'ops',
    queries: [['sum by (operation) (rate(fish_storage_operation_failures_total{}[rate]))', '{{operation}}']],
  },
  {
    title: 'Event streams',
    description: `A server opens at most ${STREAM_LIMITS.total} streams.`,
    queries: [['fish_event_streams{}', '{{instance}}']],
  },
  {
    title: 'Catches by gamemode',
    queries: [['max by (kind, gamemode) (fish_catches{})', '{{kind}}, {{gamemode}}']],
  },
  {
    title: 'Refused and cut',
    description: 'Connections above the limits, responses that an error cut short, and log lines that nothing read.',
    unit: 'ops',
    queries: [
      ['sum(rate(fish_connections_dropped_total{}[rate]))', 'connections'],
      ['sum(rate(fish_responses_cut_total{}[rate]))', 'responses'],
      ['sum(rate(fish_log_lines_dropped_total{}[rate]))', 'log lines'],
    ],
  },
  {
    title: 'CPU',
    description: '1 is one full core.',
    queries: [['rate(process_cpu_seconds_total{}[rate])', '{{instance}}']],
  },
  {
    title: 'Memory',
    unit: 'bytes',
    queries: [
      ['process_resident_memory_bytes{}', 'resident, {{instance}}'],
      ['nodejs_heap_size_used_bytes{}', 'heap, {{instance}}'],
      ['nodejs_external_memory_bytes{}', 'external, {{instance}}'],
    ],
  },
  {
    title: 'Event-loop lag',
    unit: 's',
    queries: [
      ['nodejs_eventloop_lag_p99_seconds{}', '99 %, {{instance}}'],
      ['nodejs_eventloop_lag_max_seconds{}', 'longest, {{instance}}'],
    ],
  },
]

/** The layout of Grafana has 24 columns. */
const COLUMNS = 24
const DATASOURCE = { type: 'prometheus', uid: '$datasource' }

/** Returns the dashboard in the format that Grafana imports. */
export async function dashboard(): Promise<string> {
  const metrics = await serverMetrics()
  const sized = [
    ...NUMBERS.map((panel, index) => ({ panel, type: 'stat', gridPos: position(index, { w: 4, h: 4, top: 0 }) })),
    ...GRAPHS.map((panel, index) => ({ panel, type: 'timeseries', gridPos: position(index, { w: 8, h: 8, top: 4 }) })),
  ]
  const panels = sized.map(({ panel, type, gridPos }, index) => ({
    id: index + 1,
    type,
    title: panel.title,
    description: panel.description ?? '',
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: { defaults: { unit: panel.unit ?? 'short', min: 0 }, overrides: [] },
    targets: panel.queries.map(([query, legend], target) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + target),
      datasource: DATASOURCE,
      expr: grafanaQuery(checkQuery(query, metrics)),
      legendFormat: legend,
    })),
  }))
  const variables = [
    { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
    {
      name: 'instance',
      label: 'Server',
      type: 'query',
      datasource: DATASOURCE,
      query: { refId: 'instance', query: `label_values(up{job="${JOB}"}, instance)` },
      refresh: 2,
      multi: true,
      includeAll: true,
      current: { text: ['All'], value: ['$__all'] },
    },
  ]
  const document = {
    uid: JOB,
    title: 'Fish and Crab',
    description: 'Generated from scripts/monitoring/dashboard.ts by `npm run generate`.',
    tags: [JOB],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: variables },
    panels,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function position(index: number, { w, h, top }: { readonly w: number; readonly h: number; readonly top: number }) {
  const perRow = COLUMNS / w
  return { x: (index % perRow) * w, y: top + Math.floor(index / perRow) * h, w, h }
}

function grafanaQuery(query: string): string {
  return query
    .replaceAll('[rate]', '[$__rate_interval]')
    .replaceAll(/\b((?:fish|process|nodejs)_\w+)\{(.*?)\}/g, (_, name, selector) => {
      const labels = [selector, 'instance=~"$instance"'].filter((label) => label !== '')
      return `${name}{${labels.join(',')}}`
    })
}
