import { DEMO_USER, HEADERS, KINDS, PAGE_ROUTES, PAGE_TYPES, RARITY_LABELS, ROUTES } from '@fish-crab/sdk/contract'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'
import { OPTIONAL_LEADERBOARD } from './routes.ts'

export const statusChecks = checksOf('status', [
  check('status-ok', 'GET /status returns "ok", the time in UTC and the version.', async ({ request }) => {
    const response = await request('/status')
    const { status, timestamp, version } = expect.json(response)
    expect.same(status, 'ok', '"status"', response)
    expect.dateTime(timestamp, '"timestamp"', response)
    expect.that(String(timestamp).endsWith('Z'), '"timestamp" in UTC', timestamp, response)
    expect.text(version, '"version"', response)
  }),
  ...KINDS.map((kind) =>
    check(
      `demo-${kind}`,
      `GET /demo/${kind} returns the same entries every time, in the format of reads.`,
      async (t) => {
        const [response, again] = [await t.request(`/demo/${kind}`), await t.request(`/demo/${kind}`)]
        const { user } = expect.success(response, kind === 'fish' ? 'demoFish' : 'demoCrab')
        expect.same(user, DEMO_USER, '"user"', response)
        expect.same(expect.json(again), expect.json(response), 'the second response', again)
        const entries = expect.list(response, kind)
        for (const { name: _, rarity: __, ...more } of entries) expect.same(more, {}, 'further fields', response)
        const rarities = [...new Set(entries.map(({ rarity }) => rarity))].sort()
        const wanted = kind === 'fish' ? [...RARITY_LABELS].sort() : [undefined]
        expect.same(rarities, wanted, 'the rarities', response)
      },
    ),
  ),
])

interface Document {
  readonly openapi?: unknown
  readonly info?: { readonly version?: unknown }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export const operationsChecks = checksOf('operations', [
  ...(['livez', 'readyz'] as const).map((name) =>
    check(
      `operations-${name}`,
      `GET ${ROUTES[name].path} responds 200 while the service is healthy, and is not counted.`,
      async ({ send }) => {
        const response = await send(ROUTES[name].path)
        expect.status(response, 200)
        expect.header(response, HEADERS.rateRemaining, null)
      },
    ),
  ),
  check(
    'operations-openapi',
    'GET /openapi.json returns an OpenAPI 3.1 document that describes every endpoint.',
    async ({ send }) => {
      const response = await send(ROUTES.openapi.path)
      const { openapi, info, paths = {} } = expect.json(response) as Document
      expect.that(typeof openapi === 'string' && openapi.startsWith('3.1.'), '"openapi": 3.1', openapi, response)
      expect.that(typeof info?.version === 'string', 'a version', info?.version, response)
      for (const [name, { method, path, access }] of Object.entries(ROUTES)) {
        if (access === 'operations' || name in PAGE_ROUTES || name === OPTIONAL_LEADERBOARD) continue
        const template = path.replace(/:(\w+)/g, '{$1}')
        const isDescribed = paths[template]?.[method.toLowerCase()] !== undefined
        expect.that(isDescribed, `${method} ${template}`, 'none', response)
      }
    },
  ),
  check('operations-metrics', 'GET /metrics returns metrics in the Prometheus text format.', async ({ send }) => {
    const response = await send(ROUTES.metrics.path)
    expect.status(response, 200)
    expect.type(response, 'text/plain', 'application/openmetrics-text')
    expect.that(/^# TYPE \S+ (counter|gauge|histogram|summary)$/m.test(response.text), 'metrics', 'none', response)
  }),
  check('operations-docs', 'GET /docs returns a page that loads nothing from other origins.', async ({ send }) => {
    const response = await send(ROUTES.docs.path)
    expect.status(response, 200)
    expect.type(response, PAGE_TYPES.html)
    const foreign = /\b(?:src|href)=["']?(?:https?:)?\/\/[^"'\s>]+/i.exec(response.text)?.[0]
    expect.that(foreign === undefined, 'no script, style or image from another host', foreign ?? '', response)
  }),
])
