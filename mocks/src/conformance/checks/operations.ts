import { HEADERS, ROUTES } from '@fish-crab/sdk/contract'
import { expectJson, expectStatus } from '../context/expect-answer.ts'
import { expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

interface Document {
  readonly openapi?: unknown
  readonly info?: { readonly version?: unknown }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const rows: readonly CheckRow[] = [
  ...(['livez', 'readyz'] as const).map(
    (name): CheckRow => [
      `operations-${name}`,
      `GET ${ROUTES[name].path} is 200 while the service is well, and not counted.`,
      async ({ send }) => {
        const answer = await send(ROUTES[name].path)
        expectStatus(answer, 200)
        const header = HEADERS.rateRemaining
        expectThat(!answer.headers.has(header), `no ${header}`, 'one', answer)
      },
    ],
  ),
  [
    'operations-openapi',
    'GET /openapi.json is an OpenAPI 3.1 document.',
    async ({ send }) => {
      const answer = await send(ROUTES.openapi.path)
      const { openapi, info, paths } = expectJson(answer) as Document
      expectThat(typeof openapi === 'string' && openapi.startsWith('3.1.'), '"openapi": 3.1', openapi, answer)
      expectThat(typeof info?.version === 'string', 'a version', info?.version, answer)
      expectThat(typeof paths === 'object', '"paths"', typeof paths, answer)
    },
  ],
  [
    'operations-openapi-is-complete',
    'The OpenAPI document describes every public and every admin endpoint.',
    async ({ send }) => {
      const answer = await send(ROUTES.openapi.path)
      const { paths = {} } = expectJson(answer) as Document
      for (const { method, path, access } of Object.values(ROUTES)) {
        const template = path.replace(/:(\w+)/g, '{$1}')
        const isDescribed = paths[template]?.[method.toLowerCase()] !== undefined
        expectThat(access === 'operations' || isDescribed, `${method} ${template}`, 'none', answer)
      }
    },
  ],
  [
    'operations-metrics',
    'GET /metrics is Prometheus text.',
    async ({ send }) => {
      const answer = await send(ROUTES.metrics.path)
      expectStatus(answer, 200)
      const type = answer.headers.get('content-type') ?? 'none'
      expectThat(/^(text\/plain|application\/openmetrics-text)\b/.test(type), 'a text type', type, answer)
      expectThat(/^# TYPE \S+ (counter|gauge|histogram|summary)$/m.test(answer.text), 'metrics', 'none', answer)
    },
  ],
  [
    'operations-docs',
    'GET /docs is a page that asks nobody else for anything.',
    async ({ send }) => {
      const answer = await send(ROUTES.docs.path)
      expectStatus(answer, 200)
      const type = answer.headers.get('content-type') ?? 'none'
      expectThat(type.startsWith('text/html'), 'an HTML page', type, answer)
      const foreign = /\b(?:src|href)=["']?(?:https?:)?\/\/[^"'\s>]+/i.exec(answer.text)?.[0]
      expectThat(foreign === undefined, 'no script, style or image of another host', foreign ?? '', answer)
    },
  ],
]

/** What operators and tools look at. */
export const operationsChecks = checksOf('operations', rows)
