import { describe, expect, it } from 'vitest'
import { createMemoryService } from './memory-service.ts'

const SCRIPT = new TextEncoder().encode('start()')
const FILE = { contentType: 'text/javascript; charset=utf-8', body: SCRIPT, version: 'abc', isImmutable: true } as const

const pages = {
  template: async () =>
    '<title>{{title}}</title><meta name="description" content="{{description}}"><meta name="gamemodes" content="{{gamemodes}}"><meta name="public-url" content="{{publicUrl}}"><!--{{preview}}-->',
  asset: async (name: string) => (name === 'start-abc.js' ? FILE : undefined),
}

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const COUNT = 'x-ratelimit-remaining'

describe('the pages', () => {
  it('have a title and a description for link previews, even while the storage is unavailable', async () => {
    const { request, storage } = await createMemoryService({ pages })
    await storage.dispose()
    expect(await (await request('/')).text()).toContain('<title>Fish and Crab Collection</title>')
    const response = await request('/@Alex')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const html = await response.text()
    expect(html).toContain('<title>Alex · Fish and Crab Collection</title>')
    expect(html).toContain('content="The fish and crabs that Alex has caught: species, rarities, counts and dates."')
  })

  it.each(['/', '/@Alex', '/overlay', '/overlay/Alex', '/admin'])(
    '%s contains the gamemodes of the service',
    async (path) => {
      const { request } = await createMemoryService({ pages, gamemodes: ['boxsmp', 'earth'] })
      expect(await (await request(path)).text()).toContain('<meta name="gamemodes" content="boxsmp,earth">')
    },
  )

  it.each(['/', '/@Alex', '/overlay', '/admin'])(
    '%s contains the public URL of the service, if one is configured',
    async (path) => {
      const publicUrl = 'https://fish.example'
      const known = await createMemoryService({ pages, publicUrl })
      const html = await (await known.request(path)).text()
      expect(html).toContain(`<meta name="public-url" content="${publicUrl}">`)
      expect(html).toContain(`<meta property="og:url" content="${publicUrl}${path}">`)
      const unknown = await createMemoryService({ pages })
      expect(await (await unknown.request(path)).text()).not.toContain('og:url')
    },
  )

  it.each(['/', '/v1', '/v1/', '//', '/overlay', '/overlay/', '/leaderboard'])(
    '%s is a page outside the rate limit, and supports HEAD and ETags',
    async (path) => {
      const { request } = await createMemoryService({ pages, rateLimit: { requests: 1, windowMs: 1000 } })
      await request('/status')
      const response = await request(path)
      expect([response.status, response.headers.get(COUNT)]).toEqual([200, null])
      const etag = String(response.headers.get('etag'))
      expect(response.headers.get('cache-control')).toBe('no-cache')
      expect((await request(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
      const head = await request(path, { method: 'HEAD' })
      expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, ''])
    },
  )

  it.each(['/admin', '/admin/', '/v1/admin'])(
    '%s is a page outside the rate limit that must not be cached, and has the same content for every user',
    async (path) => {
      const { request, storage } = await createMemoryService({ pages, rateLimit: { requests: 1, windowMs: 1000 } })
      await request('/status')
      await storage.dispose()
      const response = await request(path)
      expect([response.status, response.headers.get(COUNT)]).toEqual([200, null])
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(response.headers.get('set-cookie')).toBeNull()
      expect(await response.text()).toContain('<title>Administration · Fish and Crab Collection</title>')
    },
  )

  it('have a different ETag for each name', async () => {
    const { request } = await createMemoryService({ pages })
    const etags = await Promise.all(
      ['/', '/@Alex', '/overlay/Alex', '/overlay/alex', '/@Alex/vs/@Ben'].map(async (path) =>
        (await request(path)).headers.get('etag'),
      ),
    )
    expect(new Set(etags).size).toBe(5)
  })

  it.each([
    '/@-x',
    '/@a b',
    '/@%3Cscript%3E',
    '/@a%22onload=1',
    '/@%00',
    '/@%E0',
    '/@%F0%9F%90%9F',
    `/@${'x'.repeat(33)}`,
    '/@Alex/vs/@-x',
    '/@%3Cb%3E/vs/@Alex',
    '/overlay/-x',
    '/overlay/%3Cscript%3E',
  ])('%s contains an invalid name, and gets a page with status 404 that does not repeat the name', async (path) => {
    const { request } = await createMemoryService({ pages, publicUrl: 'https://fish.example' })
    const response = await request(path, { headers: { 'if-none-match': '*' } })
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    const html = await response.text()
    expect(html).toBe(
      '<title>Player not found · Fish and Crab Collection</title><meta name="description" content="No player can have this name."><meta name="gamemodes" content="oneblock,earth,survival,factions"><meta name="public-url" content="https://fish.example"><link rel="canonical" href="https://fish.example/">\n<meta property="og:url" content="https://fish.example/">\n<meta name="twitter:card" content="summary">',
    )
  })

  it.each([
    '/@',
    '/@Alex/x',
    '/@Alex/vs/Ben',
    '/@Alex/card.png',
    '/overlay/Alex/x',
    '/assets',
    '/assets/',
    '/assets/other.js',
    '/assets/a/start-abc.js',
    '/assets/__proto__',
  ])('do not include %s', async (path) => {
    const { request } = await createMemoryService({ pages })
    const response = await request(path)
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
  })

  it.each(['/x', '/@', '/@Alex/x', '/overlay/Alex/x', '/%', '/v1/x'])(
    '%s is an unknown path, and gets a counted 404: a page for browsers, and a JSON error for other clients',
    async (path) => {
      const { request } = await createMemoryService({ pages })
      const response = await request(path, { headers: BROWSER })
      expect([response.status, response.headers.get(COUNT)]).toEqual([404, '24'])
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
      expect(await response.text()).toContain('<title>Page not found · Fish and Crab Collection</title>')
      for (const init of [{}, { headers: { accept: '*/*' } }, { method: 'POST', headers: BROWSER }]) {
        expect(await (await request(path, init)).json()).toMatchObject({ code: 'not_found' })
      }
    },
  )

  it.each(['/get/whale', '/post/', '/v1//get/whale', '/admin/x', '/user/x', '/events/x', '/docs/x', '/assets/x'])(
    '%s is below an API path, and gets a JSON error even for browsers',
    async (path) => {
      const { request } = await createMemoryService({ pages })
      const response = await request(path, { headers: BROWSER })
      expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
    },
  )

  it('are not served for unknown paths if the service has no pages', async () => {
    const { request } = await createMemoryService()
    expect(await (await request('/x', { headers: BROWSER })).json()).toMatchObject({ code: 'not_found' })
  })

  it('have files that browsers never revalidate, since the file names change with their content', async () => {
    const { request } = await createMemoryService({ pages, rateLimit: { requests: 1, windowMs: 1000 } })
    await request('/status')
    const response = await request('/assets/start-abc.js')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get(COUNT)).toBeNull()
    expect(await response.text()).toBe('start()')
  })

  it.each(['/', '/@Alex', '/@-', '/overlay', '/admin'])(
    '%s has a policy that allows only scripts of this server, and forbids HTML from strings and framing',
    async (path) => {
      const { request } = await createMemoryService({ pages })
      const { headers } = await request(path)
      const policy = String(headers.get('content-security-policy')).split('; ')
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
          "form-action 'none'",
          "require-trusted-types-for 'script'",
          "trusted-types 'none'",
        ]),
      )
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    },
  )

  it('can be framed only if they are overlays, which have no controls to click', async () => {
    const { request } = await createMemoryService({ pages })
    for (const path of ['/overlay/Alex', '/overlay/-']) {
      const policy = String((await request(path)).headers.get('content-security-policy')).split('; ')
      expect(policy).toEqual(
        expect.arrayContaining([
          'frame-ancestors *',
          "script-src 'self'",
          "trusted-types 'none'",
          "form-action 'none'",
        ]),
      )
    }
  })

  it('refuse methods other than GET and HEAD', async () => {
    const { request } = await createMemoryService({ pages })
    for (const path of ['/', '/@Alex', '/admin', '/assets/start-abc.js']) {
      const response = await request(path, { method: 'POST' })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  it.each([
    '/',
    '/v1',
    '/@Alex',
    '/@Alex/badge.svg',
    '/leaderboard',
    '/overlay',
    '/overlay/Alex',
    '/admin',
    '/assets/start-abc.js',
  ])('are unknown paths if the service has no pages: %s is counted and gets 404 not_found', async (path) => {
    const { request } = await createMemoryService()
    const response = await request(path)
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
    expect(response.headers.get(COUNT)).toBe('24')
  })

  it('are not in the OpenAPI document', async () => {
    const { request } = await createMemoryService({ pages })
    const { paths } = (await (await request('/openapi.json')).json()) as { paths: object }
    expect(Object.keys(paths).filter((path) => /^\/(@|overlay|leaderboard|admin$|$)/.test(path))).toEqual([])
  })
})
