import { HEADERS } from '@fish-crab/sdk/contract'
import { describe, expect, it, test } from 'vitest'
import { creatureOf } from '../../src/drawings/creature.ts'
import { asRoot } from './administration.ts'
import { write } from './catches.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService } from './memory-service.ts'
import { ADDRESS_HEADER, UNLIMITED } from './test-service.ts'

const pages = {
  template: async () =>
    '<title>{{title}}</title><meta property="og:description" content="{{description}}"><!--{{preview}}-->',
  asset: async () => undefined,
}
const publicUrl = 'https://fish.example'
const COUNT = HEADERS.rateRemaining

/** Creates a renderer that returns the SVG instead of a PNG, so that tests can read the text of a card. */
function createRenderer() {
  const rendered: string[] = []
  const renderCard = async (svg: string) => {
    rendered.push(svg)
    return new TextEncoder().encode(svg)
  }
  return { rendered, renderCard }
}

async function openService(options: Parameters<typeof createMemoryService>[0] = {}) {
  const { rendered, renderCard } = createRenderer()
  const service = await createMemoryService({ pages, publicUrl, renderCard, ...options })
  const text = async (path: string, init?: RequestInit) => (await service.request(path, init)).text()
  return { ...service, rendered, text }
}

const fish = (...names: readonly string[]) => ({ fish: names.map((name) => ({ name, rarity: 7 })) })
const HOSTILE = [
  '<script>alert(1)</script>',
  `"' onload="alert(1)`,
  ']]></style>{{title}}<!--{{preview}}-->',
  'שלום \u202Eevil\u2066',
  'W'.repeat(100),
  '漢字',
]

test('the trophies of a card share its whole width, and an empty card has a panel with a sentence', async () => {
  const service = await openService({ ...UNLIMITED })
  const widths = async () => {
    await service.text('/@Alex/card.png')
    return [...(service.rendered.at(-1) ?? '').matchAll(/<rect x="\d+" y="366" width="(\d+)/g)].map(
      ([, width]) => width,
    )
  }
  expect(await widths()).toEqual(['1088'])
  expect(service.rendered[0]).toContain('The first catch is still out there.')
  await write(service, 'fish', fish('Koi'))
  expect(await widths()).toEqual(['1088', '1088'])
})

describe('the page of a player', () => {
  it('has the counts and the picture of the player in its link preview', async () => {
    const service = await openService({ ...UNLIMITED })
    await write(service, 'fish', fish('Leviathan', 'Leviathan', 'Koi'))
    await write(service, 'fish', { fish: 'Boot', rarity: 5 })
    await write(service, 'crab', { fish: 'crab' })
    expect((await service.text('/@alex')).split(/(?<=>)\n?/)).toEqual([
      '<title>',
      'Alex · Fish and Crab Collection</title>',
      '<meta property="og:description" content="4 fish and 1 crab of 4 species. Rarest: Mythical Koi.">',
      '<link rel="canonical" href="https://fish.example/@Alex">',
      '<meta property="og:url" content="https://fish.example/@Alex">',
      '<meta property="og:image" content="https://fish.example/@Alex/card.png">',
      '<meta property="og:image:width" content="1200">',
      '<meta property="og:image:height" content="630">',
      '<meta property="og:image:alt" content="The rarest catches and the totals of Alex">',
      '<meta name="twitter:card" content="summary_large_image">',
    ])
  })

  it('has the streak in its link preview, and omits an unknown rarity', async () => {
    const service = await openService({ ...UNLIMITED })
    const day = (ago: number) => new Date(service.now() - ago * 24 * 60 * 60 * 1000).toISOString()
    await write(service, 'fish', { fish: [0, 1].map((ago) => ({ name: 'Boot', rarity: 5, caughtAt: day(ago) })) })
    expect(await service.text('/@Alex')).toContain('content="2 fish of 1 species. Rarest: Boot. 2-day streak."')
  })

  it('has a link preview even if the player has no catches, or only crabs', async () => {
    const service = await openService({ ...UNLIMITED })
    expect(await service.text('/@Alex')).toContain('content="No catches yet."')
    await write(service, 'crab', { crab: [{}, {}] })
    expect(await service.text('/@Alex')).toContain('content="2 crabs of 1 species."')
  })

  test.each([['renderCard'], ['publicUrl']])(
    'has no picture in its link preview if the option %s is not set',
    async (option) => {
      const service = await openService({ [option]: undefined })
      const html = await service.text('/@Alex')
      expect(html).not.toContain('og:image')
      expect(html).toContain('<meta name="twitter:card" content="summary">')
    },
  )

  it('has status 404 for an unknown player', async () => {
    const service = await openService()
    const response = await service.request('/@Nobody')
    expect([response.status, response.headers.get(COUNT)]).toEqual([404, '24'])
    const html = await response.text()
    expect(html).toContain('<title>Player not found · Fish and Crab Collection</title>')
    expect(html).not.toContain('Nobody')
  })

  it('has a new ETag after a catch, and responds 304 for the current ETag', async () => {
    const service = await openService({ ...UNLIMITED })
    const first = await service.request('/@Alex')
    const headers = { 'if-none-match': String(first.headers.get('etag')) }
    expect((await service.request('/@Alex', { headers })).status).toBe(304)
    await write(service, 'fish', fish('Koi'))
    const second = await service.request('/@Alex', { headers })
    expect([second.status, second.headers.get('cache-control')]).toEqual([200, 'no-cache'])
  })

  it('omits the counts if the client exceeds the rate limit, but still has status 200', async () => {
    const service = await openService({ rateLimit: { requests: 1, windowMs: 1000 } })
    expect(await service.text('/@Alex')).toContain('No catches yet.')
    for (const path of ['/@Alex', '/@Nobody']) {
      const response = await service.request(path)
      expect([response.status, response.headers.get(COUNT)]).toEqual([200, '0'])
      expect(await response.text()).toContain('species, rarities, counts and dates.')
    }
  })

  it('omits the counts while the storage is unavailable', async () => {
    const { storage, failAt } = createFailingStorage()
    const service = await openService({ storage })
    for (const operations of [/^countInWindow/, /^items\.getItem/, /^version/, /^collectionTallies/]) {
      failAt(operations)
      const response = await service.request('/@Alex')
      expect([response.status, await response.text()]).toMatchObject([200, /counts and dates/])
    }
  })

  it('ignores the name in the query', async () => {
    const service = await openService()
    await service.app.users.create({ name: 'Ben' })
    expect(await service.text('/@Alex?name=Ben')).toContain('<title>Alex ·')
    expect(await service.text('/@Alex/badge.svg?name=Ben')).toContain('Alex')
  })
})

describe.each(['/@Alex', '/v1/@Alex/', '/%40Alex', '/@Alex/card.png', '/%40alex/card.png', '/v1/@Alex/badge.svg'])(
  '%s',
  (path) => {
    it('counts as one request, for GET and for HEAD', async () => {
      const service = await openService()
      for (const [method, remaining] of [
        ['GET', '24'],
        ['HEAD', '23'],
      ] as const) {
        const response = await service.request(path, { method })
        expect([response.status, response.headers.get(COUNT)]).toEqual([200, remaining])
      }
    })

    it('is not counted for requests with an API key or from an allowed origin', async () => {
      const service = await openService({ allowedOrigins: ['https://friend.example'] })
      for (const headers of [{ 'x-api-key': service.alex.apiKey }, { origin: 'https://friend.example' }]) {
        const response = await service.request(path, { headers })
        expect([response.status, response.headers.get(COUNT)]).toEqual([200, null])
      }
      expect((await service.request(path)).headers.get(COUNT)).toBe('24')
    })
  },
)

describe.each([
  ['card.png', 'image/png'],
  ['badge.svg', 'image/svg+xml'],
])('/@NAME/%s', (file, type) => {
  const path = `/@Alex/${file}`

  it('is a picture that caches may store for five minutes, and has a new ETag after a catch', async () => {
    const service = await openService({ ...UNLIMITED })
    const first = await service.request(path)
    expect([first.status, first.headers.get('content-type')]).toEqual([200, type])
    expect(first.headers.get('cache-control')).toBe('public, max-age=300')
    expect(first.headers.get('x-content-type-options')).toBe('nosniff')
    expect(first.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'")
    const headers = { 'if-none-match': String(first.headers.get('etag')) }
    const unchanged = await service.request(path, { headers })
    expect([unchanged.status, unchanged.headers.get('cache-control')]).toEqual([304, 'public, max-age=300'])
    await write(service, 'fish', fish('Koi'))
    expect((await service.request(path, { headers })).status).toBe(200)
  })

  it('responds 429 if the client exceeds the rate limit', async () => {
    const service = await openService({ rateLimit: { requests: 1, windowMs: 1000 } })
    await service.request('/status')
    const response = await service.request(path)
    expect([response.status, await response.json()]).toMatchObject([429, { code: 'rate_limited' }])
  })

  it.each(['Nobody', '-x', '%3Cscript%3E', 'x'.repeat(33)])('responds 404 for %s', async (name) => {
    const service = await openService()
    const response = await service.request(`/@${name}/${file}`)
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'user_not_found' }])
  })

  it('responds storage_error while the storage is unavailable', async () => {
    const { storage, failAt } = createFailingStorage()
    const service = await openService({ storage })
    failAt(/^version/)
    const response = await service.request(path)
    expect([response.status, await response.json()]).toMatchObject([500, { code: 'storage_error' }])
  })
})

describe('the card', () => {
  it('shows the name, the totals, the rarest species and the URL of the player', async () => {
    const service = await openService({ ...UNLIMITED })
    await write(service, 'fish', fish('Leviathan', 'Koi', 'Koi'))
    await write(service, 'crab', { crab: [{ name: 'King Crab' }] })
    const svg = await service.text('/@Alex/card.png')
    const texts = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)
    expect(texts).toEqual([
      ...['Alex', 'Fish and Crab Collection', '3', 'fish', '1', 'crab', '3', 'species'],
      ...['Leviathan', 'Mythical', 'Koi', 'Mythical', 'King Crab', 'Crab', 'fish.example/@Alex'],
    ])
  })

  it('is rendered only once until its content changes', async () => {
    const service = await openService({ ...UNLIMITED })
    for (let count = 0; count < 3; count += 1) await service.request('/@Alex/card.png')
    expect(service.rendered).toHaveLength(1)
    await write(service, 'fish', fish('Koi'))
    await service.request('/@Alex/card.png')
    expect(service.rendered).toHaveLength(2)
  })

  it('is rendered only once for clients that request it at the same time', async () => {
    const rendering = Promise.withResolvers<Uint8Array<ArrayBuffer>>()
    const rendered: string[] = []
    const renderCard = (svg: string) => {
      rendered.push(svg)
      return rendering.promise
    }
    const service = await openService({ ...UNLIMITED, renderCard })
    const requests = [1, 2, 3].map((client) =>
      service.request('/@Alex/card.png', { headers: { [ADDRESS_HEADER]: `198.51.100.${client}` } }),
    )
    await expect.poll(() => rendered.length).toBeGreaterThan(0)
    // The response to a later request that also needs the profile shows that the requests above wait for the card.
    await service.request('/@Alex/badge.svg')
    rendering.resolve(new TextEncoder().encode('a picture'))
    for (const response of await Promise.all(requests)) expect(await response.text()).toBe('a picture')
    expect(rendered).toHaveLength(1)
  })

  it('does not take turns of reads while it is rendered', async () => {
    let renders = 0
    const renderCard = () => {
      renders += 1
      return new Promise<never>(() => {})
    }
    const service = await openService({ ...UNLIMITED, renderCard })
    await write(service, 'fish', fish('Koi'))
    const names = ['Alex', 'Ben', 'Cid', 'Dan', 'Eve']
    for (const name of names.slice(1)) await service.app.users.create({ name, password: 'a-password' })
    for (const [client, name] of names.entries()) {
      void service.request(`/@${name}/card.png`, { headers: { [ADDRESS_HEADER]: `198.51.100.${client}` } })
    }
    await expect.poll(() => renders).toBeGreaterThan(1)
    expect(await service.text('/get/fish?name=Alex&gamemode=earth')).toContain('Koi')
  })

  it('gets 404 if the service has no renderer', async () => {
    const service = await createMemoryService({ pages, publicUrl })
    const response = await service.request('/@Alex/card.png')
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
    expect((await service.request('/@Alex/badge.svg')).status).toBe(200)
  })

  it.each(HOSTILE)('shows a species called %s as text that fits on the card', async (name) => {
    const service = await openService({ ...UNLIMITED })
    await write(service, 'fish', fish(name))
    const svg = await service.text('/@Alex/card.png')
    expect(svg).not.toMatch(/<script|onload="|\]\]>|[\u202E\u2066]/)
    for (const [, text = ''] of svg.matchAll(/<text[^>]*>([^<]*)</g)) expect(text.length).toBeLessThan(60)
    expect(svg.match(/<text/g)).toHaveLength(11)
  })
})

describe.each([
  ['\u{1f41f}', '\u{1f41f}'],
  ['\u{5d3}\u{5d2} \u202egold\u2066', '\u{5d3}\u{5d2} gold'],
  ['\u2764\ufe0f\u200d  fish', '\u2764 fish'],
])('the card of %j', (name, shown) => {
  it(`shows the name as ${JSON.stringify(shown)}`, async () => {
    const service = await openService(UNLIMITED)
    await write(service, 'fish', fish(name))
    expect(await service.text('/@Alex/card.png')).toContain(`>${shown}</text>`)
  })
})

describe('a player of a service with a list of species', () => {
  const list = ['Koi', 'Leviathan', 'Whale'].map((name) => ({ kind: 'fish' as const, name }))

  it('has the number of known species and a ring on the card and the badge', async () => {
    const service = await openService({ ...UNLIMITED, species: { list } })
    const rings = (svg: string) =>
      [...svg.matchAll(/stroke-dasharray="([\d.]+) ([\d.]+)"/g)].map(([, one, all]) => Number(one) / Number(all))
    await write(service, 'fish', fish('koi', 'Unheard of'))
    const card = await service.text('/@Alex/card.png')
    expect(card).toContain('>of 3 species</text>')
    expect(rings(card)[0]).toBeCloseTo(1 / 3, 2)
    const badge = await service.text('/@Alex/badge.svg')
    expect(badge).toContain('2 catches · 1 of 3 species')
    expect(rings(badge)[0]).toBeCloseTo(1 / 3, 1)
    await write(service, 'fish', fish('Leviathan', 'Whale'))
    expect(rings(await service.text('/@Alex/card.png'))[0]).toBeCloseTo(1, 2)
  })
})

describe('the card of a species', () => {
  it('shows the species, the player, the rarest of its rarities and the address of the player', async () => {
    const service = await openService(UNLIMITED)
    await write(service, 'fish', { fish: [7, 7, 6, 5, 4, 3].map((rarity) => ({ name: 'Koi', rarity })) })
    const texts = async (query: string) =>
      [...(await service.text(`/@alex/species/card.png?${query}`)).matchAll(/<text[^>]*>([^<]*)</g)].map(
        ([, text]) => text,
      )
    const shown = await texts('name=KOI')
    expect(shown.slice(0, 4)).toEqual(['Koi', 'Alex · Fish and Crab Collection', '2', 'Mythical'])
    expect(shown).toHaveLength(2 + 8 + 2)
    expect(shown.slice(-2)).toEqual([
      expect.stringMatching(/^6 catches · first on .* · 1 more rarity$/),
      'fish.example/@Alex',
    ])
    await write(service, 'crab', { crab: [{ name: 'King Crab' }] })
    expect((await texts('name=King+Crab&kind=crab'))[0]).toBe('King Crab')
  })

  it('gets 404 without a species that the player has caught, 301 for a renamed player, and 429 above the limit', async () => {
    const service = await openService({ rateLimit: { requests: 5, windowMs: 1000 } })
    for (const query of ['', '?name=', '?name=Nessie']) {
      expect((await service.request(`/@Alex/species/card.png${query}`)).status).toBe(404)
    }
    const admin = await asRoot(service)
    await admin('POST', '/admin/users/Alex/rename', { name: 'Alexa' })
    const response = await service.request('/@Alex/species/card.png?name=a%2Fb')
    expect([response.status, response.headers.get('location')]).toEqual([301, '/@Alexa/species/card.png?name=a%2Fb'])
    await service.request('/@Alexa/badge.svg')
    expect((await service.request('/@Alexa/species/card.png?name=Koi')).status).toBe(429)
  })

  it.each(HOSTILE)('shows a species called %s as text that fits on the card', async (name) => {
    const service = await openService(UNLIMITED)
    await write(service, 'fish', fish(name))
    const search = new URLSearchParams({ name })
    const response = await service.request(`/@Alex/species/card.png?${search}`)
    const headers = { 'if-none-match': String(response.headers.get('etag')) }
    expect((await service.request(`/@Alex/species/card.png?${search}`, { headers })).status).toBe(304)
    const svg = await response.text()
    expect(svg).not.toMatch(/<script|onload="|\]\]>|[\u202E\u2066]/)
    for (const [, text = ''] of svg.matchAll(/<text[^>]*>([^<]*)</g)) expect(text.length).toBeLessThan(60)
    expect(svg.match(/<text/g)).toHaveLength(6)
  })
})

describe('the badge', () => {
  it('has the drawing of the player, in at most 8 KB', async () => {
    const service = await openService(UNLIMITED)
    await write(service, 'fish', fish('Koi'))
    const badge = await service.text('/@Alex/badge.svg')
    expect(badge).toContain(creatureOf({ kind: 'fish', name: 'Alex', rarity: 'Mythical' })[0]?.d)
    expect(badge.length).toBeLessThan(8 * 1024)
  })

  it('shows the name, the totals and the highest rarity', async () => {
    const service = await openService({ ...UNLIMITED })
    await write(service, 'fish', fish('Leviathan', 'Koi'))
    expect(await service.text('/@Alex/badge.svg')).toContain('<title>Alex · 2 catches · 2 species · Mythical</title>')
  })

  it.each(HOSTILE)('does not contain the name of a species called %s', async (name) => {
    const service = await openService({ ...UNLIMITED })
    await write(service, 'fish', fish('Koi'))
    const before = await service.text('/@Alex/badge.svg')
    await write(service, 'fish', fish(name))
    const after = await service.text('/@Alex/badge.svg')
    expect(after.replaceAll(/\d+/g, '')).toBe(before.replaceAll(/\d+/g, '').replaceAll('catch ', 'catches '))
  })
})

it.each(HOSTILE)('a link preview shows a species called %s as text', async (name) => {
  const service = await openService({ ...UNLIMITED })
  await write(service, 'fish', fish(name))
  const html = await service.text('/@Alex')
  const [, description = ''] = /og:description" content="([^"]*)">/.exec(html) ?? []
  const decoded = description
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
  expect(decoded).toBe(`1 fish of 1 species. Rarest: Mythical ${name.replaceAll(/[\u202E\u2066]/g, '')}.`)
  expect(html).not.toContain('<script')
})

it('/@A/vs/@B shows both names, and does not read the storage', async () => {
  const service = await openService()
  await service.storage.dispose()
  const response = await service.request('/@Alex/vs/@nobody')
  expect([response.status, response.headers.get(COUNT)]).toEqual([200, null])
  const html = await response.text()
  expect(html).toContain('<title>Alex vs nobody · Fish and Crab Collection</title>')
  expect(html).toContain('<link rel="canonical" href="https://fish.example/@Alex/vs/@nobody">')
})
