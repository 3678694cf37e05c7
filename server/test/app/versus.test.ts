import { describe, expect, it } from 'vitest'
import type { PageView } from '../../src/app/http/response.ts'
import type { Versus } from '../../src/page-data.ts'
import { render } from '../../web/src/collection/render.tsx'
import { asRoot } from './administration.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

const pages = {
  template: async () => '<title>{{title}}</title><!--{{preview}}--><body><!--{{app}}--></body>',
  asset: async () => undefined,
  render: async (view: PageView) => render(view as Parameters<typeof render>[0]),
}
const publicUrl = 'https://fish.example'
const renderCard = async (svg: string) => new TextEncoder().encode(svg)

interface Caught {
  readonly name: string
  readonly rarity: number
}

async function open(fish: Readonly<Record<string, readonly Caught[]>>) {
  const service = await createMemoryService({ pages, publicUrl, renderCard, ...UNLIMITED })
  const admin = await asRoot(service)
  await admin('POST', '/admin/users', { name: 'Ben' })
  for (const [name, caught] of Object.entries(fish)) {
    for (let at = 0; at < caught.length; at += 500) {
      await admin('POST', `/admin/users/${name}/fish?gamemode=earth`, { fish: caught.slice(at, at + 500) })
    }
  }
  const text = async (path: string) => (await service.request(path)).text()
  return { service, admin, text }
}

function dataOf(html: string): Versus {
  const [, text = 'null'] = /id="page-data">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(text)
}

const namesOf = (html: string) => [...html.matchAll(/class="versus-name">(.*?)</g)].map(([, name]) => name)

describe('the comparison of two players', () => {
  it('has a winner for each figure, and a row for each species, rarest first', async () => {
    const { text } = await open({
      Alex: [
        { name: 'Koi', rarity: 1 },
        { name: 'Koi', rarity: 3 },
        { name: 'Cod', rarity: 1 },
      ],
      Ben: [
        { name: 'Koi', rarity: 7 },
        { name: 'Cod', rarity: 1 },
        { name: 'Cod', rarity: 1 },
        { name: 'Eel', rarity: 2 },
      ],
    })
    const html = await text('/@alex/vs/@BEN')
    expect(dataOf(html)).toEqual({
      view: 'versus',
      players: [
        { user: 'Alex', total: 3, unique: 2, rarest: { rarity: 'Gold', count: 1 }, ahead: 0 },
        { user: 'Ben', total: 4, unique: 3, rarest: { rarity: 'Mythical', count: 1 }, ahead: 3 },
      ],
      winners: { species: 1, catches: 1, rarest: 1, ahead: 1 },
      species: [
        {
          kind: 'fish',
          name: 'Koi',
          better: 1,
          sides: [
            { rarity: 'Gold', count: 2 },
            { rarity: 'Mythical', count: 1 },
          ],
        },
        { kind: 'fish', name: 'Eel', better: 1, sides: [null, { rarity: 'Silver', count: 1 }] },
        {
          kind: 'fish',
          name: 'Cod',
          better: 1,
          sides: [
            { rarity: 'Bronze', count: 1 },
            { rarity: 'Bronze', count: 2 },
          ],
        },
      ],
      counts: { all: 3, different: 2, one: 0, other: 1, both: 2 },
    })
    expect(html).toContain('0 : 4')
    expect(namesOf(html)).toEqual(['Koi', 'Eel', 'Cod'])
  })

  it('shows a part of the species that its address names', async () => {
    const { text } = await open({
      Alex: ['Koi', 'Cod', 'Carp'].map((name) => ({ name, rarity: 1 })),
      Ben: [
        { name: 'Koi', rarity: 1 },
        { name: 'Cod', rarity: 7 },
        { name: 'Eel', rarity: 1 },
      ],
    })
    const shown = async (part: string) => namesOf(await text(`/@Alex/vs/@Ben?show=${part}`)).sort()
    expect(await shown('all')).toEqual(['Carp', 'Cod', 'Eel', 'Koi'])
    expect(await shown('different')).toEqual(['Carp', 'Cod', 'Eel'])
    expect(await shown('one')).toEqual(['Carp'])
    expect(await shown('other')).toEqual(['Eel'])
    expect(await shown('both')).toEqual(['Cod', 'Koi'])
    expect(await shown('constructor')).toHaveLength(4)
  })

  it('is equal for equal collections, and for two players without catches', async () => {
    const same = [{ name: 'Koi', rarity: 7 }]
    const { text } = await open({ Alex: same, Ben: same })
    const nobody = { species: null, catches: null, rarest: null, ahead: null }
    const html = await text('/@Alex/vs/@Ben')
    expect([dataOf(html).winners, html.includes('0 : 0'), html.includes('equal')]).toEqual([nobody, true, true])
    const empty = await open({})
    const nothing = await empty.text('/@Alex/vs/@Ben')
    expect(dataOf(nothing).winners).toEqual(nobody)
    expect(nothing).toContain('Neither has caught anything yet.')
  })

  it('compares the number of fish of the rarest label if both have the label', async () => {
    const koi = { name: 'Koi', rarity: 7 }
    const { text } = await open({ Alex: [koi, koi], Ben: [koi, { name: 'Cod', rarity: 6 }] })
    expect(dataOf(await text('/@Alex/vs/@Ben')).winners.rarest).toBe(0)
  })

  it('lists the 1,000 rarest species, and counts all of them', async () => {
    const many = Array.from({ length: 1100 }, (_, at) => ({ name: `Fish ${at}`, rarity: at === 1099 ? 7 : 1 }))
    const { text } = await open({ Alex: many })
    const html = await text('/@Alex/vs/@Ben')
    const { species, counts, players } = dataOf(html)
    expect([species.length, species[0]?.name, counts.one, players[0].ahead]).toEqual([1000, 'Fish 1099', 1100, 1100])
    expect(html).toContain('The list has the 1,000 rarest species of 1,100.')
  })

  it('has no number of species, and nobody ahead, if a collection has too many species', async () => {
    const many = Array.from({ length: 10_001 }, (_, at) => ({ name: `Fish ${at}`, rarity: 1 }))
    const { text } = await open({ Alex: many, Ben: [{ name: 'Koi', rarity: 1 }] })
    const html = await text('/@Alex/vs/@Ben')
    const { winners, players } = dataOf(html)
    expect([winners, players[0].unique, players[1].ahead]).toEqual([
      { species: null, catches: 0, rarest: 0, ahead: null },
      undefined,
      undefined,
    ])
    expect(html).toContain('Alex has too many species to list')
  })

  it('is a sentence for a player who is on both sides, and has no card', async () => {
    const { service, text } = await open({ Alex: [{ name: 'Koi', rarity: 7 }] })
    expect(await text('/@Alex/vs/@alex')).toContain('Alex is on both sides')
    expect((await service.request('/@Alex/vs/@alex/card.png')).status).toBe(404)
  })

  it('has the score in its preview and on its card, and moves with the name of a player', async () => {
    const { service, admin, text } = await open({ Alex: [{ name: 'Koi', rarity: 7 }] })
    const html = await text('/@Alex/vs/@Ben')
    expect(html).toContain('<meta property="og:image" content="https://fish.example/@Alex/vs/@Ben/card.png">')
    const card = await text('/@Alex/vs/@Ben/card.png')
    const shown = [...card.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, shown]) => shown)
    expect(shown).toEqual(expect.arrayContaining(['Alex', 'Ben', '4 : 0', 'Mythical ×1', 'fish.example/@Alex/vs/@Ben']))
    await admin('POST', '/admin/users/Alex/rename', { name: 'Alexa' })
    const moved = await service.request('/@Alex/vs/@Ben/card.png')
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '/@Alexa/vs/@Ben/card.png'])
    for (const path of ['/@Alexa/vs/@Nobody/card.png', '/@Nobody/vs/@Alexa/card.png', '/@-x/vs/@Alexa/card.png']) {
      expect((await service.request(path)).status).toBe(404)
    }
  })
})
