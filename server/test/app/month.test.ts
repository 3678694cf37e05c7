import { createFernet } from '@fish-crab/sdk/fernet'
import { describe, expect, it } from 'vitest'
import { type MonthCollection, monthOf, recentMonth } from '../../src/app/catches/month.ts'
import { createSlices } from '../../src/app/core/slices.ts'
import type { PageView } from '../../src/app/http/response.ts'
import type { PageData } from '../../src/page-data.ts'
import { render } from '../../web/src/collection/render.tsx'
import { asRoot } from './administration.ts'
import { createMemoryService } from './memory-service.ts'

const time = (text: string) => Date.parse(text)
const species = (name: string, label: string | null, first: string, last = first, count = 1) => ({
  name,
  label,
  count,
  first: time(first),
  last: time(last),
})
const day = (text: string, label: string | null = 'Gold', count = 1) => ({ day: text, label, count })
const month = (collections: readonly MonthCollection[], name = '2026-10') =>
  monthOf(collections, { user: 'Alex', month: name, slices: createSlices() })

describe('the month of a player', () => {
  it('counts its days, kinds and labels, and names its best day, streak and neighbours', async () => {
    const { figures, ...rest } = await month([
      {
        kind: 'fish',
        species: [],
        days: [
          day('2026-08-31', 'Mythical', 9),
          day('2026-10-01', 'Gold', 2),
          day('2026-10-02', 'Bronze'),
          day('2026-10-31', 'Gold'),
          day('2026-12-01'),
        ],
      },
      { kind: 'crab', species: [], days: [day('2026-10-02', null, 4), day('2026-09-30', null)] },
    ])
    expect(rest).toEqual({ user: 'Alex', month: '2026-10', earlier: '2026-09', later: '2026-12' })
    expect(figures).toMatchObject({ total: 8, fish: 4, crabs: 4, activeDays: 3, streak: 2 })
    expect(figures?.bestDay).toEqual({ day: '2026-10-02', count: 5 })
    expect(figures?.byRarity).toMatchObject({ Gold: 3, Bronze: 1, Mythical: 0 })
    expect(figures?.days).toEqual([2, 5, ...Array(28).fill(0), 1])
  })

  it.each([
    ['2024-02', 29],
    ['2026-02', 28],
    ['2026-12', 31],
  ])('%s has %i days', async (name, days) => {
    expect((await month([{ kind: 'fish', species: [], days: [] }], name)).figures?.days).toHaveLength(days)
  })

  it('has the species that were caught for the first time of all, in any gamemode and rarity', async () => {
    const { figures } = await month([
      {
        kind: 'fish',
        days: [day('2026-10-05', 'Gold', 3)],
        species: [
          species('Koi', 'Gold', '2026-10-05'),
          species('Eel', 'Bronze', '2026-10-01T00:00:00.000Z'),
          species('Eel', 'Gold', '2026-10-31T23:59:59.999Z'),
          species('Cod', 'Gold', '2026-09-30T23:59:59.999Z'),
          species('Ray', 'Gold', '2026-11-01T00:00:00.000Z'),
        ],
      },
      { kind: 'fish', days: [], species: [species('Koi', 'Bronze', '2026-09-01')] },
      {
        kind: 'fish',
        days: [],
        species: [species('Pike', 'Bronze', '2026-10-09'), species('Pike', 'Mythical', '2026-11-09')],
      },
      { kind: 'crab', days: [], species: [species('Koi', null, '2026-10-09')] },
    ])
    expect(figures?.fresh).toEqual({
      count: 3,
      rarest: [
        { kind: 'fish', name: 'Eel', rarity: 'Gold' },
        { kind: 'fish', name: 'Pike', rarity: 'Bronze' },
        { kind: 'crab', name: 'Koi', rarity: undefined },
      ],
    })
  })

  it('names its best catch only if the tallies contain one, which they do for a first and a last catch', async () => {
    const days = [day('2026-10-05', 'Gold')]
    const best = async (...some: readonly ReturnType<typeof species>[]) =>
      (await month([{ kind: 'fish', days, species: some }])).figures?.best
    expect(await best(species('Koi', 'Gold', '2026-09-01', '2026-10-05', 9))).toEqual({ rarity: 'Gold', name: 'Koi' })
    expect(await best(species('Koi', 'Gold', '2026-09-01', '2026-11-05', 9))).toEqual({ rarity: 'Gold' })
    expect((await month([{ kind: 'fish', days: [], species: [] }])).figures?.best).toBeUndefined()
    // A removal leaves the first and last time of a species unknown until they are counted again.
    expect(await best({ ...species('Koi', 'Gold', '2026-10-05'), first: Number.NaN, last: Number.NaN })).toEqual({
      rarity: 'Gold',
    })
  })

  it('has no figures of a collection with too many days, and no new species of one with too many species', async () => {
    const rest = { kind: 'fish' as const, days: [day('2026-10-05')], species: [] }
    expect((await month([rest, { kind: 'crab', days: null, species: [] }])).figures).toBeUndefined()
    const { figures } = await month([rest, { kind: 'crab', days: [], species: null }])
    expect([figures?.total, figures?.fresh]).toEqual([1, undefined])
  })

  it.each([
    ['2026-11-01', '2026-10'],
    ['2026-11-07', '2026-10'],
    ['2026-11-08', undefined],
    ['2026-12-01', undefined],
  ])('is linked from the page on %s as %s', (now, expected) => {
    expect(recentMonth([{ day: '2026-10-31', count: 1 }], time(now))).toBe(expected)
  })

  it('of January is linked as December of the year before', () => {
    expect(recentMonth([{ day: '2025-12-01', count: 1 }], time('2026-01-02'))).toBe('2025-12')
  })
})

const pages = {
  template: async () => '<title>{{title}}</title><p>{{description}}</p><!--{{preview}}--><body><!--{{app}}--></body>',
  asset: async () => undefined,
  render: async (view: PageView) => render(view as Parameters<typeof render>[0]),
}
const HOSTILE = '</script><!--<script>\u2028"\'&'
const NOW = time('2026-11-03')

async function openService(options: Parameters<typeof createMemoryService>[0] = {}) {
  const renderCard = async (svg: string) => new TextEncoder().encode(svg)
  const service = await createMemoryService({
    pages,
    publicUrl: 'https://fish.example',
    renderCard,
    startAt: NOW,
    ...options,
  })
  const status = async (path: string, init?: RequestInit) => (await service.request(path, init)).status
  const text = async (path: string) => (await service.request(path)).text()
  return { ...service, service, status, text }
}

async function addOctober(service: Awaited<ReturnType<typeof openService>>['service']) {
  const body = JSON.stringify({
    fish: [
      { name: HOSTILE, rarity: 7, caughtAt: '2026-10-05T12:00:00Z' },
      { name: 'Koi', rarity: 1, caughtAt: '2026-10-06T12:00:00Z' },
    ],
  })
  const encrypted = await createFernet(service.alex.fernetKey).encrypt(body, { now: service.now() })
  const headers = { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth' }
  await service.request('/post/fish?name=Alex', { method: 'POST', headers, body: encrypted })
}

describe('the page of a month', () => {
  it('shows its figures with the link preview and the neighbours, and contains hostile names only as text', async () => {
    const { service, text } = await openService()
    await addOctober(service)
    const html = await text('/@alex/2026-10')
    expect(html).toContain('<title>Alex in October 2026 · Fish and Crab Collection</title>')
    expect(html).toContain('content="https://fish.example/@Alex/2026-10/card.png"')
    expect(html).toContain('2 fish')
    const [, json = ''] = /id="page-data">(.*?)<\/script>/s.exec(html) ?? []
    const data = JSON.parse(json) as Extract<PageData, { view: 'month' }>
    expect(data).toMatchObject({ view: 'month', user: 'Alex', month: '2026-10' })
    expect(data.figures?.best).toEqual({ rarity: 'Mythical', name: HOSTILE })
    expect(html.match(/<\/?script|<!--/g)).toEqual(['<script', '</script'])
    expect(html).not.toContain('style=')
    expect(await text('/@Alex/2026-11')).toMatch(
      /No catches in November 2026\..*href="\/@Alex\/2026-10"|2026-10.*No catches/s,
    )
    expect(await text('/@Alex')).toContain('href="/@Alex/2026-10"')
  })

  it.each(['2026-13', '2026-1', '0000-00', '2026-00', '2026-10-05', '02026-10'])(
    '%s is an unknown path',
    async (name) => {
      const { status } = await openService()
      expect([await status(`/@Alex/${name}`), await status(`/@Alex/${name}/card.png`)]).toEqual([404, 404])
      expect(await status(`/@Alex/${name}`, { method: 'POST' })).toBe(404)
    },
  )

  it('counts as one request, and above the limit the page says so and the card is refused', async () => {
    const { request, text } = await openService({ rateLimit: { requests: 2, windowMs: 60_000 } })
    const remaining = async (path: string) => (await request(path)).headers.get('x-ratelimit-remaining')
    expect([await remaining('/@Alex/2026-10'), await remaining('/@Alex/2026-10/card.png')]).toEqual(['1', '0'])
    const plain = await text('/@Alex/2026-10')
    expect(plain).toContain('Alex in October 2026')
    expect(plain).toContain('"view":"problem","title":"Alex in October 2026","problem":{"kind":"limited"')
    expect((await request('/@Alex/2026-10/card.png')).status).toBe(429)
  })

  it('is revalidated, moves with the name of a player, and is hidden with the player', async () => {
    const { service, request, status } = await openService({ rateLimit: { requests: 100, windowMs: 60_000 } })
    await addOctober(service)
    for (const path of ['/@Alex/2026-10', '/@Alex/2026-10/card.png']) {
      const etag = (await request(path)).headers.get('etag') as string
      expect(await status(path, { headers: { 'if-none-match': etag } })).toBe(304)
    }
    const admin = await asRoot(service)
    await admin('POST', '/admin/users/Alex/rename', { name: 'Alexa' })
    const location = async (path: string) => (await request(path)).headers.get('location')
    expect(await location('/@Alex/2026-10')).toBe('/@Alexa/2026-10')
    expect(await location('/@Alex/2026-10/card.png')).toBe('/@Alexa/2026-10/card.png')
    expect(await (await request('/@Alexa/2026-10')).text()).toContain('<title>Alexa in October 2026')
    await admin('POST', '/admin/users/Alexa/suspend', { hide: true })
    expect([await status('/@Alexa/2026-10'), await status('/@Alexa/2026-10/card.png')]).toEqual([404, 404])
  })

  it('has a card with its name, figures and days', async () => {
    const { service, text } = await openService()
    await addOctober(service)
    const card = await text('/@Alex/2026-10/card.png')
    expect(card).toContain('October 2026 · Fish and Crab Collection')
    expect(card).toContain('fish.example/@Alex/2026-10')
    expect(card).toContain('>new species</text>')
    expect(card.match(/<rect [^>]*rx="3"/g)).toHaveLength(31)
    expect(card).not.toContain('<script')
    expect(await text('/@Alex/2026-12/card.png')).toContain('No catches in this month.')
  })
})
