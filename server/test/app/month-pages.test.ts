import { describe, expect, it } from 'vitest'
import type { PageView } from '../../src/app/http/response.ts'
import { render } from '../../web/src/collection/render.tsx'
import { asRoot } from './administration.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

const HTML = { headers: { accept: 'text/html' } }
const pages = {
  template: async () => '<title>{{title}}</title><p>{{description}}</p><!--{{preview}}--><!--{{app}}-->',
  asset: async () => undefined,
  render: async (view: PageView) => render(view as Parameters<typeof render>[0]),
}
const HOSTILE = '</script><!--<script>"\'&'

async function open(options: Parameters<typeof createMemoryService>[0] = {}) {
  const service = await createMemoryService({
    pages,
    publicUrl: 'https://fish.example',
    // Tests read the text of a card.
    renderCard: async (svg) => new TextEncoder().encode(svg),
    ...UNLIMITED,
    ...options,
  })
  const admin = await asRoot(service)
  const add = (name: string, rarity: number, caughtAt: string) =>
    admin('POST', '/admin/users/Alex/fish?gamemode=earth', { fish: [{ name, rarity, caughtAt }] })
  const text = async (path: string) => (await service.request(path)).text()
  return { ...service, admin, add, text }
}

describe('the page of a month', () => {
  it('shows the figures of the month, with a preview and a card', async () => {
    const { add, text } = await open()
    await add('Cod', 1, '2025-11-30T23:59:59Z')
    await add('Koi', 7, '2025-12-01T00:00:00Z')
    await add('Cod', 1, '2025-12-02T12:00:00Z')
    const html = await text('/@alex/2025-12')
    expect(html).toContain('<title>Alex in December 2025 · Fish and Crab Collection</title>')
    expect(html).toContain('<p>2 fish on 2 days. 1 new species. Best catch: Mythical Koi. 2-day streak.</p>')
    expect(html).toContain('<link rel="canonical" href="https://fish.example/@Alex/2025-12">')
    expect(html).toContain('content="https://fish.example/@Alex/2025-12/card.png"')
    expect(html).toMatch(/<h1>Alex <span class="month-name">December 2025<\/span><\/h1>/)
    expect(html).toMatch(/<a href="\/@Alex\/2025-11" rel="prev">← November 2025<\/a>/)
    expect(html).not.toContain('style=')
    const card = await text('/@Alex/2025-12/card.png')
    for (const shown of ['Alex', 'December 2025 · Fish and Crab Collection', 'Koi', 'fish.example/@Alex/2025-12']) {
      expect(card).toContain(`>${shown}</text>`)
    }
  })

  it.each(['2025-11', '2030-01'])('says that %s has no catches', async (month) => {
    const { add, request, text } = await open()
    await add('Koi', 7, '2025-12-01T00:00:00Z')
    const response = await request(`/@Alex/${month}`)
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(/<strong>No catches in (November 2025|January 2030)\.<\/strong>/)
    expect(await text(`/@Alex/${month}/card.png`)).toContain('>No catches in this month.</text>')
  })

  it.each(['x', '2026-13', '2026-1', '0000-00', 'species', '2026-11-01'])(
    'does not exist for %s: programs get an error, browsers get a page, and the request counts',
    async (month) => {
      const { request } = await open({ rateLimit: { requests: 10, windowMs: 60_000 } })
      for (const [index, path] of [`/@Alex/${month}`, `/@Alex/${month}/card.png`].entries()) {
        const response = await request(path)
        expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
        expect(response.headers.get('x-ratelimit-remaining')).toBe(String(9 - 2 * index))
        const page = await request(path, HTML)
        expect([page.status, await page.text()]).toMatchObject([404, /<title>Page not found/])
      }
    },
  )

  it('leaves the pictures and the comparison of a player in place', async () => {
    const { request, text } = await open()
    for (const [path, type] of [
      ['/@Alex/card.png', 'image/png'],
      ['/@Alex/badge.svg', 'image/svg+xml'],
    ] as const) {
      expect((await request(path)).headers.get('content-type')).toBe(type)
    }
    expect(await text('/@Alex/vs/@Alex')).toContain('<title>Alex vs Alex')
  })

  it('counts as one request, and above the limit is the plain page, while its card gets 429', async () => {
    const { request } = await open({ rateLimit: { requests: 2, windowMs: 60_000 } })
    for (const [path, remaining] of [
      ['/@Alex/2025-12', '1'],
      ['/@Alex/2025-12/card.png', '0'],
    ] as const) {
      const response = await request(path)
      expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([200, remaining])
    }
    const plain = await request('/@Alex/2025-12')
    expect([plain.status, await plain.text()]).toMatchObject([200, /<div id="app"><\/div>/])
    expect((await request('/@Alex/2025-12/card.png')).status).toBe(429)
  })

  it('is revalidated, and changes with the collection', async () => {
    const { request, add } = await open()
    for (const path of ['/@Alex/2025-12', '/@Alex/2025-12/card.png']) {
      const etag = String((await request(path)).headers.get('etag'))
      const headers = { 'if-none-match': etag }
      expect((await request(path, { headers })).status).toBe(304)
      await add('Koi', 7, '2025-12-01T00:00:00Z')
      expect((await request(path, { headers })).status).toBe(200)
    }
  })

  it('moves with a renamed player, and is unknown for a hidden or unknown player', async () => {
    const { request, admin } = await open()
    await admin('POST', '/admin/users/Alex/rename', { name: 'Alexa' })
    for (const rest of ['2025-12', '2025-12/card.png']) {
      const moved = await request(`/@Alex/${rest}`)
      expect([moved.status, moved.headers.get('location')]).toEqual([301, `/@Alexa/${rest}`])
    }
    await admin('POST', '/admin/users/Alexa/suspend', { hide: true })
    for (const name of ['Alexa', 'Nobody', '-x']) {
      for (const rest of ['2025-12', '2025-12/card.png']) {
        const response = await request(`/@${name}/${rest}`)
        expect([response.status, (await response.text()).includes('page-data')]).toEqual([404, false])
      }
    }
  })

  it('contains hostile names only as text', async () => {
    const { add, text } = await open()
    await add(HOSTILE, 7, '2025-12-01T00:00:00Z')
    const html = await text('/@Alex/2025-12')
    expect(html.match(/<\/?script/g)).toEqual(['<script', '</script'])
    expect(html).not.toContain('<!--')
    expect(html).toContain('class="card-name">&lt;/script')
    expect(await text('/@Alex/2025-12/card.png')).not.toContain('<script')
  })

  it('counts a species from its next catch if its first catch was removed', async () => {
    const { add, admin, text } = await open()
    await add('Koi', 7, '2025-11-01T00:00:00Z')
    await add('Koi', 7, '2025-12-01T00:00:00Z')
    expect(await text('/@Alex/2025-12')).not.toContain('new species.')
    const { fish } = await (await admin('GET', '/admin/users/Alex/fish?gamemode=earth')).json()
    const { id } = fish.find(({ caughtAt }: { caughtAt: string }) => caughtAt.startsWith('2025-11'))
    await admin('DELETE', `/admin/users/Alex/fish/${id}?gamemode=earth`)
    expect(await text('/@Alex/2025-12')).toContain('1 new species.')
  })
})

it('the page of a player links to the last month for seven days if that month has catches', async () => {
  const { add, text, advance } = await open()
  const link = 'href="/@Alex/2025-12" class="button">Alex’s December 2025</a>'
  expect(await text('/@Alex')).not.toContain('2025-12')
  await add('Koi', 7, '2025-12-01T00:00:00Z')
  expect(await text('/@Alex')).toContain(link)
  advance(7 * 24 * 60 * 60 * 1000)
  expect(await text('/@Alex')).not.toContain(link)
})
