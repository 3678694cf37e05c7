import { describe, expect, it } from 'vitest'
import type { PageView } from '../../src/app/http/response.ts'
import type { PageData } from '../../src/page-data.ts'
import { render } from '../../web/src/collection/render.tsx'
import { type AsAdmin, asRoot } from './administration.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService } from './memory-service.ts'

const pages = {
  template: async () => '<title>{{title}}</title><!--{{preview}}--><body><!--{{app}}--></body>',
  asset: async () => undefined,
  render: async (view: PageView) => render(view as Parameters<typeof render>[0]),
}

const HOSTILE = '</script><!--<script>\u2028"\'&'

async function open(options: Parameters<typeof createMemoryService>[0] = {}) {
  const service = await createMemoryService({ pages, ...options })
  const admin = await asRoot(service)
  await admin('POST', '/admin/users', { name: 'Ben' })
  return { service, admin }
}

const add = (admin: AsAdmin, fish: readonly { name: string; rarity: number }[], name = 'Alex') =>
  admin('POST', `/admin/users/${name}/fish?gamemode=earth`, { fish })

function dataOf(html: string): PageData {
  const [, text = 'null'] = /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(text)
}

const headingsOf = (html: string) => [...html.matchAll(/<h1[^>]*>(.*?)<\/h1>/g)].map(([, text]) => text)
const cardsOf = (html: string) =>
  [...html.matchAll(/class="card-name"[^>]*><a [^>]*>(.*?)<\/a><\/p>/g)].map(([, text]) => text)

describe('a page that the service draws', () => {
  it('shows the head, the rarest, the latest and the first species of a player, and contains their data', async () => {
    const { service, admin } = await open()
    await add(admin, [
      { name: 'Cod', rarity: 1 },
      { name: 'Koi', rarity: 7 },
    ])
    const response = await service.request('/@alex')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const html = await response.text()
    expect(headingsOf(html)).toEqual(['Alex'])
    expect(cardsOf(html)).toEqual(['Koi', 'Cod'])
    expect(html).toMatch(/class="latest".*Koi.*Cod/s)
    expect(html).toMatch(/<time datetime="[^"]+"[^>]*>\d+ \w+ \d{4}<\/time>/)
    const profile = await (await service.request('/get/profile?name=Alex&species=true')).json()
    expect(dataOf(html)).toEqual({ view: 'player', isPartial: false, profile })
  })

  it('has no style attribute, which its policy would drop', async () => {
    const { service, admin } = await open({ publicLeaderboard: true })
    for (const name of ['Alex', 'Ben']) await add(admin, [{ name: 'Koi', rarity: 7 }], name)
    for (const path of ['/@Alex', '/@Alex?view=table', '/@Alex/species?name=koi', '/@Alex/vs/@Ben', '/leaderboard']) {
      const html = await (await service.request(path)).text()
      expect(html).toContain('<main')
      expect(html).not.toContain('style=')
    }
  })

  it('contains hostile names only as text', async () => {
    const { service, admin } = await open()
    await add(admin, [{ name: HOSTILE, rarity: 7 }])
    const html = await (await service.request('/@Alex')).text()
    expect(html.match(/<\/?script/g)).toEqual(['<script', '</script'])
    expect(html).not.toContain('<!--')
    expect(dataOf(html)).toMatchObject({ profile: { rarest: [{ name: HOSTILE }] } })
  })

  it('contains only the rarest species of a player with more than 250, in the order of the list', async () => {
    const { service, admin } = await open()
    const many = Array.from({ length: 251 }, (_, index) => ({
      name: `Fish ${index}`,
      rarity: index % 50 === 7 ? 7 : 1,
    }))
    await add(admin, [...many, { name: 'Fish 107', rarity: 1 }])
    const html = await (await service.request('/@Alex')).text()
    expect(cardsOf(html)).toHaveLength(6)
    expect(cardsOf(html)[0]).toBe('Fish 107')
    expect(/class="found">(.*?)</.exec(html)?.[1]).toBe('251')
    const data = dataOf(html)
    expect(data).toMatchObject({ view: 'player', isPartial: true, profile: { total: 252, unique: 251 } })
    expect(html.length).toBeLessThan(80_000)
    expect(cardsOf(await (await service.request('/@Alex?sort=name')).text())).toEqual([])
  })

  it('is drawn once for addresses that differ only in unknown parameters', async () => {
    const { service } = await open()
    const etags = await Promise.all(
      ['', '?x=1', '?utm_source=a&y'].map(async (query) =>
        (await service.request(`/@Alex${query}`)).headers.get('etag'),
      ),
    )
    expect(new Set(etags).size).toBe(1)
    // The home page is not counted, so no query may draw it again.
    const home = await Promise.all(
      ['', '?q=1', '?gamemode=earth'].map(async (query) => (await service.request(`/${query}`)).headers.get('etag')),
    )
    expect(new Set(home).size).toBe(1)
    expect(await (await service.request('/demo?q=1')).text()).toContain('<div id="app"></div>')
    expect(await (await service.request('/demo')).text()).toContain('Demo collection</h1>')
  })

  it('counts as one request, and above the limit says so or is drawn by the browser', async () => {
    const { service } = await open({ publicLeaderboard: true, rateLimit: { requests: 4, windowMs: 60_000 } })
    const paths = ['/@Alex', '/@Alex/species?name=Koi', '/@Alex/vs/@Ben', '/leaderboard']
    for (const [index, path] of paths.entries()) {
      const response = await service.request(path)
      expect(response.headers.get('x-ratelimit-remaining')).toBe(String(3 - index))
      expect(await response.text()).toContain('id="page-data"')
    }
    for (const path of paths) {
      const response = await service.request(path)
      expect(response.status).toBe(200)
      const html = await response.text()
      if (/vs|leaderboard/.test(path)) {
        const retryAt = Number(response.headers.get('x-ratelimit-reset')) * 1000
        expect(dataOf(html)).toMatchObject({ view: 'problem', problem: { kind: 'limited', retryAt } })
        expect([response.headers.get('cache-control'), html.includes('Too many requests')]).toEqual(['no-store', true])
      } else {
        expect(html).toContain('<div id="app"></div>')
        expect(html).toContain('This page needs JavaScript.')
      }
    }
  })

  it('reports a failure of the storage, and is never missing because of it', async () => {
    const { storage, failAt } = createFailingStorage()
    const { service } = await open({ publicLeaderboard: true, storage })
    failAt(/./)
    for (const path of ['/@Alex/vs/@Ben', '/@Alex/2026-10', '/leaderboard']) {
      const response = await service.request(path)
      const data = dataOf(await response.text())
      expect([path, response.status, data]).toMatchObject([path, 200, { view: 'problem', problem: { kind: 'failed' } }])
    }
    for (const path of ['/@Alex', '/overlay/Alex', '/']) expect((await service.request(path)).status).toBe(200)
  })

  it('is an overlay with status 404 for an unknown or hidden player, and leads to a renamed one', async () => {
    const { service, admin } = await open({ rateLimit: { requests: 5, windowMs: 60_000 } })
    const statusOf = async (path: string) => (await service.request(path)).status
    expect([await statusOf('/overlay/Alex'), await statusOf('/overlay/Nobody')]).toEqual([200, 404])
    await admin('POST', '/admin/users/Alex/rename', { name: 'Alexa' })
    await admin('POST', '/admin/users/Ben/suspend', { hide: true })
    const moved = await service.request('/overlay/Alex?mode=goal')
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '/overlay/Alexa?mode=goal'])
    expect([await statusOf('/overlay/Ben'), await statusOf('/overlay/Nobody')]).toEqual([404, 404])
    // Above the limit, nobody knows whether the player exists.
    expect(await statusOf('/overlay/Nobody')).toBe(200)
  })

  it('shows a species in all of its rarities, in any letter case, and in one gamemode', async () => {
    const { service, admin } = await open()
    await add(admin, [
      { name: 'Koi', rarity: 1 },
      { name: 'Koi', rarity: 7 },
    ])
    await admin('POST', '/admin/users/Alex/fish?gamemode=survival', { fish: [{ name: 'Koi', rarity: 7 }] })
    const rowsOf = (html: string) =>
      [...html.matchAll(/class="rarity-row (?!quiet).*?rarity-name">(.*?)<.*?×<\/span>(\d+)/g)].map((row) =>
        row.slice(1),
      )
    const html = await (await service.request('/@Alex/species?name=%20kOI')).text()
    expect(headingsOf(html)).toEqual(['<bdi>Koi</bdi>'])
    expect(html).toContain('<title>Koi · Alex · Fish and Crab Collection</title>')
    expect(rowsOf(html)).toEqual([
      ['Mythical', '2'],
      ['Bronze', '1'],
    ])
    expect(cardsOf(html)).toEqual([])
    expect(dataOf(html)).toMatchObject({ view: 'player', isPartial: false, profile: { user: 'Alex' } })
    const survival = await (await service.request('/@Alex/species?name=Koi&gamemode=survival')).text()
    expect(rowsOf(survival)).toEqual([['Mythical', '1']])
  })

  it('reports that a player has not caught a species, and that an address names none', async () => {
    const { service, admin } = await open()
    await add(admin, [{ name: 'Koi', rarity: 7 }])
    for (const query of ['?name=Nessie', '?name=Koi&kind=crab']) {
      const response = await service.request(`/@Alex/species${query}`)
      const html = await response.text()
      expect([response.status, html.includes('Not caught yet by <a href="/@Alex">Alex</a>')]).toEqual([200, true])
      // Anybody can write such an address, so other sites do not show its text.
      expect(html).toContain('<title>A species of Alex · Fish and Crab Collection</title>')
    }
    for (const query of ['', '?name=', '?kind=fish']) {
      const response = await service.request(`/@Alex/species${query}`)
      expect([response.status, dataOf(await response.text())]).toEqual([404, { view: 'missing' }])
    }
  })

  it('contains the wanted species of a player with more than 500, and no neighbours', async () => {
    const { service, admin } = await open()
    const many = Array.from({ length: 501 }, (_, index) => ({ name: `Fish ${index}`, rarity: index < 20 ? 7 : 1 }))
    await add(admin, many.slice(0, 500))
    await add(admin, many.slice(500))
    const html = await (await service.request('/@Alex/species?name=FISH+300')).text()
    expect(headingsOf(html)).toEqual(['<bdi>Fish 300</bdi>'])
    expect(html).not.toMatch(/Previous|Next/)
    const data = dataOf(html)
    expect(data).toMatchObject({ view: 'player', isPartial: true })
    expect(html.length).toBeLessThan(60_000)
  })

  it.each(['..', 'a/b', 'card.png', '\u{1f41f}', HOSTILE, '\u202eevil'])(
    'contains the species %j only as text',
    async (name) => {
      const { service, admin } = await open({
        publicUrl: 'https://fish.example',
        renderCard: async () => new Uint8Array(),
      })
      await add(admin, [
        { name, rarity: 7 },
        { name: 'Koi', rarity: 1 },
      ])
      const search = new URLSearchParams({ name })
      const html = await (await service.request(`/@Alex/species?${search}`)).text()
      expect(html.match(/<\/?script/g)).toEqual(['<script', '</script'])
      expect(html.slice(0, html.indexOf('<body>'))).not.toMatch(/<!--|\u202e/)
      expect(html).not.toContain('<!--')
      expect(html).toContain(`<link rel="canonical" href="https://fish.example/@Alex/species?${search}">`)
      expect(html).toContain(
        `<meta property="og:image" content="https://fish.example/@Alex/species/card.png?${search}">`,
      )
      const next = /class="sibling"[^>]*><a href="([^"]*)"/.exec(html)?.[1]
      expect(next).toBe('/@Alex/species?name=Koi')
    },
  )

  it('is revalidated, and changes with the collection, the address and the day', async () => {
    const { service, admin } = await open()
    const etagOf = async (path: string) => {
      const { headers } = await service.request(path)
      expect(headers.get('cache-control')).toBe('no-cache')
      return String(headers.get('etag'))
    }
    const etag = await etagOf('/@Alex')
    expect((await service.request('/@Alex', { headers: { 'if-none-match': etag } })).status).toBe(304)
    const table = await etagOf('/@Alex?view=table')
    const species = await etagOf('/@Alex/species?name=Koi')
    await add(admin, [{ name: 'Koi', rarity: 7 }])
    const later = await etagOf('/@Alex')
    service.advance(24 * 60 * 60 * 1000)
    expect(new Set([etag, table, species, later, await etagOf('/@Alex')]).size).toBe(5)
  })

  it('shows nothing of a hidden player, and leads to the new name of a renamed player', async () => {
    const { service, admin } = await open()
    await admin('POST', '/admin/users/Alex/rename', { name: 'Alexa' })
    const moved = await service.request('/@Alex/vs/@Ben?x=1')
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '/@Alexa/vs/@Ben?x=1'])
    const species = await service.request('/@Alex/species?name=a%2Fb&kind=crab')
    expect([species.status, species.headers.get('location')]).toEqual([301, '/@Alexa/species?name=a%2Fb&kind=crab'])
    await admin('POST', '/admin/users/Ben/suspend', { hide: true })
    for (const path of ['/@Ben', '/@Ben/species?name=Koi', '/@Alexa/vs/@Ben', '/@Ben/vs/@Alexa']) {
      const response = await service.request(path)
      const missing = { view: 'missing', names: ['Ben'] }
      expect([response.status, dataOf(await response.text())]).toEqual([404, missing])
    }
  })
})
