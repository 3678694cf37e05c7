import { describe, expect, it } from 'vitest'
import { startTestServer } from './running.ts'

const ADMIN = { FISH_ADMIN_USERNAME: 'boss', FISH_ADMIN_PASSWORD: 'boss-password' }

/** Reads the metrics, and returns the samples by series. Fails on a line that does not match the text format. */
async function scrape(url: string): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  expect(text.endsWith('\n')).toBe(true)
  const typed = new Set<string>()
  const samples = new Map<string, number>()
  for (const line of text.trimEnd().split('\n')) {
    const [, keyword, described = ''] = /^# (HELP|TYPE) ([a-z0-9_]+) \S.*$/.exec(line) ?? []
    if (keyword) {
      if (keyword === 'TYPE') {
        expect(typed, `${described} is described twice`).not.toContain(described)
        typed.add(described)
      }
      continue
    }
    const label = '[a-z_]+="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"'
    const [, name = '', labels = '', value] =
      new RegExp(`^([a-z_0-9]+)(\\{${label}(?:,${label})*\\})? (\\S+)$`).exec(line) ?? []
    expect(value, line).toBeDefined()
    expect(Number.isFinite(Number(value)), line).toBe(true)
    expect(samples.has(name + labels), `${line} stands twice`).toBe(false)
    expect(typed, line).toContain(typed.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''))
    samples.set(name + labels, Number(value))
  }
  return samples
}

describe('GET /metrics', () => {
  it('counts requests by route, method and status, and the decisions of the rate limit', async () => {
    const { url } = await startTestServer({ FISH_RATE_LIMIT: '2' })
    for (const path of ['/demo/fish', '/demo/fish', '/demo/fish', '/livez']) await fetch(`${url}${path}`)
    const samples = await scrape(url)
    const of = (name: string) => samples.get(name)
    expect(of('fish_http_requests_total{route="demoFish",method="GET",status="200"}')).toBe(2)
    expect(of('fish_http_requests_total{route="demoFish",method="GET",status="429"}')).toBe(1)
    expect(of('fish_http_requests_total{route="livez",method="GET",status="200"}')).toBe(1)
    expect(of('fish_rate_limit_decisions_total{decision="allowed"}')).toBe(2)
    expect(of('fish_http_errors_total{route="demoFish",code="rate_limited"}')).toBe(1)
    expect(of('fish_responses_cut_total')).toBe(0)
    expect(of('fish_users')).toBe(0)
    expect(of('fish_storage_reserve_remaining_ratio')).toBe(1)
    expect(of('fish_rate_limit_decisions_total{decision="refused"}')).toBe(1)
    expect(of('fish_connections_dropped_total')).toBe(0)
    expect(of('fish_storage_operation_duration_seconds_count{operation="countInWindow"}')).toBe(3)
  })

  it('has cumulative histograms whose last bucket equals the count', async () => {
    const { url } = await startTestServer()
    for (let index = 0; index < 5; index += 1) await fetch(`${url}/demo/crab`)
    const samples = await scrape(url)
    const prefix = 'fish_http_request_duration_seconds'
    const buckets = [...samples].filter(([series]) => series.startsWith(`${prefix}_bucket{route="demoCrab"`))
    const counts = buckets.map(([, count]) => count)
    expect(buckets.length).toBeGreaterThan(5)
    expect(counts).toEqual([...counts].sort((one, other) => one - other))
    expect(buckets.at(-1)).toEqual([`${prefix}_bucket{route="demoCrab",le="+Inf"}`, 5])
    expect(samples.get(`${prefix}_count{route="demoCrab"}`)).toBe(5)
    expect(samples.get(`${prefix}_sum{route="demoCrab"}`)).toBeGreaterThan(0)
  })

  it('reports the memory, CPU time, event loop lag and uptime of the process', async () => {
    const { url } = await startTestServer()
    const samples = await scrape(url)
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e7)
    expect(samples.get('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(samples.get('process_uptime_seconds')).toBeGreaterThan(0)
    expect(samples.get('nodejs_eventloop_lag_max_seconds')).toBeGreaterThanOrEqual(0)
    expect(Math.abs((samples.get('process_start_time_seconds') ?? 0) - Date.now() / 1000)).toBeLessThan(3600)
  })

  it('counts only the requests of this server, even if another server runs in the same process', async () => {
    const [one, other] = [await startTestServer(), await startTestServer()]
    await fetch(`${one.url}/demo/fish`)
    const series = 'fish_http_requests_total{route="demoFish",method="GET",status="200"}'
    expect((await scrape(one.url)).get(series)).toBe(1)
    expect((await scrape(other.url)).get(series)).toBeUndefined()
  })
})

describe('metrics', () => {
  const statusAt = async (address: string) => (await fetch(address)).status

  it('are on the main listener or disabled, as configured', async () => {
    const on = await startTestServer({ FISH_METRICS: 'on' })
    expect([on.metrics, await statusAt(on.metrics)]).toEqual([`${on.url}/metrics`, 200])
    const off = await startTestServer({ FISH_METRICS: 'off' })
    expect([off.metrics, await statusAt(`${off.url}/metrics`)]).toEqual(['off', 404])
    expect(await (await fetch(`${off.url}/openapi.json`)).json()).not.toHaveProperty(['paths', '/metrics'])
  })

  it('are served only at the separate address if such an address is configured, and that address serves nothing else', async () => {
    const { url, metrics } = await startTestServer({ FISH_METRICS: '127.0.0.1:0', FISH_RATE_LIMIT: '1' })
    const apart = new URL(metrics).origin
    expect(apart).not.toBe(url)
    expect(await statusAt(`${url}/metrics`)).toBe(404)
    await fetch(`${url}/livez`)
    const series = 'fish_http_requests_total{route="livez",method="GET",status="200"}'
    expect((await scrape(apart)).get(series)).toBe(1)
    expect((await fetch(metrics, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(metrics, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD')
    for (const path of ['/status', '/livez', '/admin/login', '/openapi.json', '/docs']) {
      const response = await fetch(`${apart}${path}`)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.json()).toMatchObject({ code: 'not_found' })
    }
  })

  it('are unreachable after the server stops', async () => {
    const { metrics, close } = await startTestServer({ FISH_METRICS: '127.0.0.1:0' })
    await close()
    await expect(fetch(metrics)).rejects.toThrow()
  })
})

describe('the routes for operators', () => {
  it.each(['/metrics', '/livez', '/readyz', '/openapi.json', '/docs', '/docs/', '/docs/swagger-ui.css', '/docs/x'])(
    '%s is never counted or refused by the rate limit',
    async (path) => {
      const { url } = await startTestServer({ FISH_RATE_LIMIT: '1' })
      await fetch(`${url}/status`)
      expect((await fetch(`${url}/status`)).status).toBe(429)
      const response = await fetch(`${url}${path}`)
      expect(response.status).toBe(path === '/docs/x' ? 404 : 200)
      expect(response.headers.get('x-ratelimit-limit')).toBeNull()
      await response.arrayBuffer()
    },
  )
})

describe('GET /docs', () => {
  it('is a page without inline scripts, and the policy of the page allows only resources of this server', async () => {
    const { url } = await startTestServer(ADMIN)
    const response = await fetch(`${url}/docs`)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toMatch(/script-src 'self'(;|$)/)
    const page = await response.text()
    expect(page).not.toMatch(/https?:|<script>|\son\w+=/)
    const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => String(link))
    expect(links.length).toBeGreaterThan(3)
    for (const link of links) expect([link, (await fetch(`${url}${link}`)).status]).toEqual([link, 200])
  })

  it.each([
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
    ['/docs/reference.css', 'text/css; charset=utf-8'],
    ['/docs/start.js', 'text/javascript; charset=utf-8'],
    ['/v1/docs/icon.svg', 'image/svg+xml'],
  ])('%s has the right content type, a length and an ETag, and supports 304', async (path, type) => {
    const { url } = await startTestServer()
    const response = await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'identity' } })
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(Number(response.headers.get('content-length'))).toBe((await response.arrayBuffer()).byteLength)
    const etag = String(response.headers.get('etag'))
    expect((await fetch(`${url}${path}`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const head = await fetch(`${url}${path}`, { method: 'HEAD' })
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag])
  })

  it('compresses large files', async () => {
    const { url } = await startTestServer()
    const response = await fetch(`${url}/docs/swagger-ui-bundle.js`, { headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    const sent = Number(response.headers.get('content-length'))
    expect(sent).toBeLessThan((await response.arrayBuffer()).byteLength / 2)
  })

  it.each([
    '/docs/package.json',
    '/docs/..%2fpackage.json',
    '/docs/swagger-ui.css.map',
    '/docs/__proto__',
    '/docs/a/b',
  ])('does not serve %s', async (path) => {
    const { url } = await startTestServer()
    expect((await fetch(`${url}${path}`)).status).toBe(404)
  })

  it('refuses methods other than GET and HEAD', async () => {
    const { url } = await startTestServer()
    for (const path of ['/docs', '/docs/start.js']) {
      const response = await fetch(`${url}${path}`, { method: 'POST' })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })
})
