import type { Client } from '@fish-crab/sdk'
import { GAMEMODES } from '@fish-crab/sdk/constants'
import { describe, expect, it } from 'vitest'
import { demoPath, playerPath, readAddress, versusPath } from '../../web/src/data/address.ts'
import { bookOf, inOrder, matching, type Order, rarestOf, USUAL_BOOK } from '../../web/src/data/book.ts'
import { type Cabinet, collectionOf, freshOf, withCatches } from '../../web/src/data/cabinet.ts'
import { demoCabinet } from '../../web/src/data/demo.ts'
import { historyOf, localDays } from '../../web/src/data/history.ts'
import { loadPlayer } from '../../web/src/data/load.ts'
import { milestonesOf } from '../../web/src/data/milestones.ts'
import { caughtSince, summarize } from '../../web/src/data/summary.ts'

const FISH = summarize([
  { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-02T00:00:00.000Z' },
  { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-01T00:00:00.000Z' },
  { name: 'salmon trout', rarity: 'Unknown/Other', caughtAt: '2026-01-05T00:00:00.000Z' },
  { name: 'Salmon', rarity: 'Mythical', caughtAt: '2026-01-03T00:00:00.000Z' },
])
const CRAB = summarize([{ name: 'crab', caughtAt: '2026-01-04T00:00:00.000Z' }])
const BOOK = bookOf({ fish: FISH, crab: CRAB })

describe('a summary', () => {
  it('counts catches by name and rarity, and counts each name as one species', () => {
    expect(FISH).toMatchObject({ total: 4, unique: 2 })
    expect(FISH.species[0]).toEqual({
      name: 'Salmon',
      rarity: 'Gold',
      count: 2,
      firstCaughtAt: '2026-01-01T00:00:00.000Z',
      lastCaughtAt: '2026-01-02T00:00:00.000Z',
    })
  })

  it('accepts entries without times, and fish with the names of object properties', () => {
    const { species } = summarize([
      { name: '__proto__', rarity: 'Gold' },
      { name: '__proto__', rarity: 'Gold' },
    ])
    expect(species).toEqual([{ name: '__proto__', rarity: 'Gold', count: 2 }])
  })

  it('reports only increases since the previous summary as new', () => {
    const before = { ...FISH, species: FISH.species.slice(0, 1).map((one) => ({ ...one, count: 1 })) }
    expect(caughtSince(before, FISH).map(({ name, rarity, added }) => [name, rarity, added])).toEqual([
      ['Salmon', 'Gold', 1],
      ['salmon trout', 'Unknown/Other', 1],
      ['Salmon', 'Mythical', 1],
    ])
    expect(caughtSince(FISH, FISH)).toEqual([])
    expect(caughtSince(FISH, before)).toEqual([])
  })
})

describe('a partial summary', () => {
  const profile = {
    ...{ user: 'Alex', total: 3, unique: 0, byRarity: {}, rarest: [], latest: [], days: [] },
    streak: { current: 0, longest: 0 },
    gamemodes: [
      {
        gamemode: 'earth',
        fish: { total: 2, lastCaughtAt: '2026-01-02T00:00:00.000Z', complete: false },
        crab: { total: 0, unique: 0 },
      },
      { gamemode: 'survival', fish: { total: 1, unique: 1, species: [] }, crab: { total: 0, unique: 0 } },
    ],
  }
  const load = async () => {
    const client = { profile: async () => profile } as unknown as Client
    return (await loadPlayer('Alex')(client, new AbortController().signal)).cabinet
  }

  it('counts its catches and knows its last catch, although its species are unknown', async () => {
    const cabinet = await load()
    expect(collectionOf(cabinet).fish).toMatchObject({ total: 3, isPartial: true })
    expect(latestGamemode(cabinet)).toBe('earth')
  })

  it('includes a streamed catch that is not later than its last catch', async () => {
    const cabinet = await load()
    const caught = (day: string) =>
      ({ kind: 'fish', gamemode: 'earth', name: 'Koi', rarity: 'Gold', caughtAt: `${day}T00:00:00.000Z` }) as const
    expect(hasCatch(cabinet, caught('2026-01-02'))).toBe(true)
    expect(hasCatch(cabinet, caught('2026-01-03'))).toBe(false)
  })
})

describe('the book', () => {
  it('has one entry for each species, with rarities from the rarest to the most common', () => {
    expect(BOOK.map(({ name, count }) => [name, count])).toEqual([
      ['Salmon', 3],
      ['salmon trout', 1],
      ['crab', 1],
    ])
    expect(BOOK[0]).toMatchObject({
      kind: 'fish',
      rarity: 'Mythical',
      firstCaughtAt: '2026-01-01T00:00:00.000Z',
      lastCaughtAt: '2026-01-03T00:00:00.000Z',
      rarities: [
        { rarity: 'Mythical', count: 1 },
        { rarity: 'Gold', count: 2 },
      ],
    })
    expect(BOOK[2]?.rarities).toEqual([])
  })

  it.each<[Order, string[]]>([
    ['count', ['Salmon', 'salmon trout', 'crab']],
    ['rarity', ['Salmon', 'salmon trout', 'crab']],
    ['first', ['Salmon', 'crab', 'salmon trout']],
    ['last', ['salmon trout', 'crab', 'Salmon']],
    ['name', ['crab', 'Salmon', 'salmon trout']],
  ])('is sorted by %s', (order, expected) => {
    expect(inOrder(BOOK, order).map(({ name }) => name)).toEqual(expected)
  })

  it('finds entries by kind, by rarity, and by name in any letter case', () => {
    const find = (choice: Partial<Parameters<typeof matching>[1]>) =>
      matching(BOOK, { text: '', only: undefined, ...choice }).length
    expect(find({})).toBe(3)
    expect(find({ text: ' SALMON ' })).toBe(2)
    expect(find({ text: 'trout' })).toBe(1)
    expect(find({ only: 'crab' })).toBe(1)
    expect(find({ only: 'Gold' })).toBe(1)
    expect(find({ text: 'x' })).toBe(0)
  })

  it('lists the rarest species first, and equally rare species by the fewest catches', () => {
    const book = bookOf({
      crab: CRAB,
      fish: summarize([
        { name: 'Cod', rarity: 'Gold' },
        { name: 'Cod', rarity: 'Gold' },
        { name: 'Eel', rarity: 'Gold' },
        { name: 'Koi', rarity: 'Diamond' },
      ]),
    })
    expect(rarestOf(book, 3).map(({ name }) => name)).toEqual(['Koi', 'Eel', 'Cod'])
  })
})

describe('a cabinet', () => {
  const gamemode = (name: string, ...fish: Parameters<typeof summarize>[0][number][]) => {
    return { gamemode: name, fish: summarize(fish), crab: summarize([]) }
  }
  const cabinet: Cabinet = {
    user: 'Alex',
    gamemodes: [
      gamemode('earth', { name: 'Cod', rarity: 'Bronze', caughtAt: '2026-01-02T00:00:00.000Z' }),
      gamemode('survival', { name: 'Cod', rarity: 'Bronze', caughtAt: '2026-01-05T00:00:00.000Z' }),
    ],
    days: [{ day: '2026-01-02', count: 1 }],
    streak: { current: 0, longest: 1 },
  }

  it('has a collection for each gamemode, and a combined collection', () => {
    expect(collectionOf(cabinet, 'earth').fish.total).toBe(1)
    expect(collectionOf(cabinet, 'factions').fish.total).toBe(0)
    expect(collectionOf(cabinet).fish).toMatchObject({
      total: 2,
      unique: 1,
      species: [{ count: 2, firstCaughtAt: '2026-01-02T00:00:00.000Z', lastCaughtAt: '2026-01-05T00:00:00.000Z' }],
    })
  })

  it('adds catches to the right gamemode and day, and reports the catches as new', () => {
    const koi = { name: 'Koi', rarity: 'Gold', caughtAt: '2026-01-02T01:00:00.000Z' } as const
    const grown = withCatches(cabinet, [{ ...koi, kind: 'fish', gamemode: 'earth' }])
    expect(grown.days).toEqual([{ day: '2026-01-02', count: 2 }])
    expect(collectionOf(grown, 'survival').fish.total).toBe(1)
    expect(freshOf(cabinet, grown)).toMatchObject([{ name: 'Koi', gamemode: 'earth', kind: 'fish', added: 1 }])
  })
})

it('the demo collection is identical for every visitor, and contains fish of all rarities and crabs', () => {
  const now = Date.UTC(2026, 0, 1)
  const { fish, crab } = collectionOf(demoCabinet(now))
  expect(demoCabinet(now)).toEqual(demoCabinet(now))
  expect(new Set(fish.species.map(({ rarity }) => rarity)).size).toBe(7)
  expect(fish.total).toBeGreaterThan(300)
  expect(crab.unique).toBeGreaterThan(1)
  expect(demoCabinet(now).days.length).toBe(demoCabinet(now).streak.longest)
})

describe('milestones', () => {
  it('are the first catch, round numbers of species, the first catches of rare rarities and the best day, latest first', () => {
    const fish = Array.from({ length: 10 }, (_, index) => ({
      name: `Species ${index}`,
      rarity: index === 4 ? ('Mythical' as const) : ('Bronze' as const),
      caughtAt: `2026-01-1${index}T00:00:00.000Z`,
    }))
    const days = [
      { day: '2026-01-12', count: 1 },
      { day: '2026-01-13', count: 7 },
    ]
    const milestones = milestonesOf(bookOf({ fish: summarize(fish), crab: summarize([]) }), days)
    expect(milestones.map(({ title, species }) => [title, species?.name])).toEqual([
      ['10 species', 'Species 9'],
      ['First Mythical', 'Species 4'],
      ['Best day: 7 catches', undefined],
      ['First catch', 'Species 0'],
    ])
  })

  it('contain the earliest catch of each rarity, whatever the order of the species', () => {
    const fish = summarize([
      { name: 'Late', rarity: 'Gold', caughtAt: '2026-01-03T00:00:00.000Z' },
      { name: 'Late', rarity: 'Gold', caughtAt: '2026-01-04T00:00:00.000Z' },
      { name: 'Early', rarity: 'Gold', caughtAt: '2026-01-02T00:00:00.000Z' },
    ])
    const firsts = milestonesOf(bookOf({ fish, crab: summarize([]) }), [])
    expect(firsts.find(({ title }) => title === 'First Gold')?.species?.name).toBe('Early')
  })

  it('omit the best day if each day has only one catch', () => {
    const days = ['2026-01-12', '2026-01-13'].map((day) => ({ day, count: 1 }))
    expect(milestonesOf([], days)).toEqual([])
  })
})

describe('the history', () => {
  const at = (year: number, month: number, day: number) => new Date(year, month - 1, day, 13).getTime()
  const days = (...times: number[]) => {
    const groups = Map.groupBy(times, (time) => new Date(time).toLocaleDateString('sv'))
    return localDays(Array.from(groups, ([day, { length: count }]) => ({ day, count })))
  }
  const now = at(2026, 3, 15)

  it('is grouped by day, week or month, without gaps, until now', () => {
    const byDay = historyOf(days(at(2026, 3, 13), at(2026, 3, 13), at(2026, 3, 15)), now)
    expect(byDay).toMatchObject({ unit: 'day', periods: [{ count: 2 }, { count: 0 }, { count: 1 }] })
    const byWeek = historyOf(days(at(2025, 12, 31), at(2026, 1, 1)), now)
    expect(byWeek?.unit).toBe('week')
    expect(byWeek?.periods[0]).toEqual({ start: new Date(2025, 11, 29).getTime(), count: 2 })
    const byMonth = historyOf(days(at(2024, 1, 31)), now)
    expect(byMonth?.unit).toBe('month')
    expect(byMonth?.periods).toHaveLength(27)
  })

  it('has a maximum length, and omits catches whose time is in the future because of a wrong clock', () => {
    expect(historyOf(days(at(1970, 1, 2)), now)?.periods).toHaveLength(60)
    expect(historyOf(days(at(2050, 1, 1)), now)).toBeUndefined()
    expect(historyOf(days(), now)).toBeUndefined()
  })
})

describe('the address of a page', () => {
  const book = USUAL_BOOK
  it.each([
    ['/', '', { view: 'home' }],
    ['/', '?demo', { view: 'demo', book }],
    ['/leaderboard/', '', { view: 'leaderboard', kind: 'fish' }],
    ['/leaderboard', '?kind=crab', { view: 'leaderboard', kind: 'crab' }],
    ['/@Alex', '?gamemode=earth', { view: 'player', name: 'Alex', gamemode: 'earth', book }],
    ['/v1/@Alex/', '?gamemode=Earth', { view: 'player', name: 'Alex', gamemode: 'earth', book }],
    ['/@Alex', '?gamemode=moon&sort=constructor', { view: 'player', name: 'Alex', gamemode: undefined, book }],
    ['/%40Al%65x', '', { view: 'player', name: 'Alex', gamemode: undefined, book }],
    ['/@%E0', '', { view: 'player', name: '%E0', gamemode: undefined, book }],
    ['/@Alex/vs/@Mia', '', { view: 'versus', names: ['Alex', 'Mia'] }],
    ['/nowhere', '', { view: 'unknown' }],
  ])('%s%s is parsed to its view', (pathname, search, expected) => {
    expect(readAddress({ pathname, search }, GAMEMODES)).toEqual(expected)
  })

  it('contains the search, the filters and the order of the book, and is parsed to the values from which it was created', () => {
    const options = {
      text: 'Größe & <b>',
      only: 'Unknown/Other',
      order: 'last',
      isTable: true,
    } as const
    const path = new URL(playerPath('Al.ex', 'earth', options), 'https://fish.example')
    expect(readAddress(path, GAMEMODES)).toEqual({ view: 'player', name: 'Al.ex', gamemode: 'earth', book: options })
    expect(readAddress(new URL(demoPath(options), path), GAMEMODES)).toEqual({ view: 'demo', book: options })
    expect(readAddress(new URL(versusPath('A*', '_b'), path), GAMEMODES)).toMatchObject({ names: ['A*', '_b'] })
    expect([playerPath('Alex'), demoPath(USUAL_BOOK)]).toEqual(['/@Alex', '/?demo'])
  })
})
