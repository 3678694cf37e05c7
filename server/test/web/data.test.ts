import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { GAMEMODES } from '@fish-crab/sdk/constants'
import { describe, expect, it, test } from 'vitest'
import {
  demoPath,
  playerPath,
  readAddress,
  readVersusPart,
  speciesPath,
  versusPath,
} from '../../web/src/data/address.ts'
import { demoProfile } from '../../web/src/data/demo.ts'
import { historyOf, localDays } from '../../web/src/data/history.ts'
import { loadPlayer } from '../../web/src/data/load.ts'
import { milestonesOf } from '../../web/src/data/milestones.ts'
import { collectionOf, emptyProfile, freshOf, type PlayerProfile, withCatches } from '../../web/src/data/profile.ts'
import { daysOf, gamemodesOf, loadedGamemodes, rarityRows, spanOf } from '../../web/src/data/species.ts'
import { entriesOf, findEntry, inOrder, matching, type Order, USUAL_LIST } from '../../web/src/data/species-list.ts'
import { caughtSince, type Entry, mergeSummaries, NO_CATCHES, withEntries } from '../../web/src/data/summary.ts'
import { formatCompact } from '../../web/src/parts/format.ts'
import { createMemoryService } from '../app/memory-service.ts'

const summarize = (entries: readonly Entry[]) => withEntries(NO_CATCHES, entries)
const FISH = summarize([
  { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-02T00:00:00.000Z' },
  { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-01T00:00:00.000Z' },
  { name: 'salmon trout', rarity: 'Unknown/Other', caughtAt: '2026-01-05T00:00:00.000Z' },
  { name: 'Salmon', rarity: 'Mythical', caughtAt: '2026-01-03T00:00:00.000Z' },
])
const CRAB = summarize([{ name: 'crab', caughtAt: '2026-01-04T00:00:00.000Z' }])
const ENTRIES = entriesOf({ fish: FISH, crab: CRAB })

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

  it('counts fish with the names of object properties', () => {
    const entry = { name: '__proto__', rarity: 'Gold', caughtAt: '2026-01-01T00:00:00.000Z' } as const
    expect(summarize([entry, entry]).species).toMatchObject([{ name: '__proto__', rarity: 'Gold', count: 2 }])
  })

  it('stays without a number of species if the service lists no species, and counts streamed catches', () => {
    const unlisted = { total: 20_000, unique: undefined, species: [] }
    expect(mergeSummaries([FISH, unlisted])).toMatchObject({ total: 20_004, unique: undefined })
    const entry = { name: 'Cod', rarity: 'Gold', caughtAt: '2026-01-01T00:00:00.000Z' } as const
    expect(withEntries(unlisted, [entry])).toMatchObject({ total: 20_001, unique: undefined, species: [{ count: 1 }] })
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

describe('the list of species', () => {
  it('has one entry for each species, with rarities from the rarest to the most common', () => {
    expect(ENTRIES.map(({ name, count }) => [name, count])).toEqual([
      ['Salmon', 3],
      ['salmon trout', 1],
      ['crab', 1],
    ])
    expect(ENTRIES[0]).toMatchObject({
      kind: 'fish',
      rarity: 'Mythical',
      firstCaughtAt: '2026-01-01T00:00:00.000Z',
      lastCaughtAt: '2026-01-03T00:00:00.000Z',
      rarities: [
        { rarity: 'Mythical', count: 1 },
        { rarity: 'Gold', count: 2 },
      ],
    })
    expect(ENTRIES[2]?.rarities).toEqual([])
  })

  it.each<[Order, string[]]>([
    ['count', ['Salmon', 'salmon trout', 'crab']],
    ['rarity', ['Salmon', 'salmon trout', 'crab']],
    ['first', ['Salmon', 'crab', 'salmon trout']],
    ['last', ['salmon trout', 'crab', 'Salmon']],
    ['name', ['crab', 'Salmon', 'salmon trout']],
  ])('is sorted by %s', (order, expected) => {
    expect(inOrder(ENTRIES, order).map(({ name }) => name)).toEqual(expected)
  })

  it('finds entries by kind, by rarity, and by name in any letter case', () => {
    const find = (choice: Partial<Parameters<typeof matching>[1]>) =>
      matching(ENTRIES, { text: '', only: undefined, ...choice }).length
    expect(find({})).toBe(3)
    expect(find({ text: ' SALMON ' })).toBe(2)
    expect(find({ text: 'trout' })).toBe(1)
    expect(find({ only: 'crab' })).toBe(1)
    expect(find({ only: 'Gold' })).toBe(1)
    expect(find({ text: 'x' })).toBe(0)
  })
})

describe('a profile', () => {
  const cod = { kind: 'fish', name: 'Cod', rarity: 'Bronze' } as const
  const profile = withCatches(emptyProfile('Alex', ['earth', 'survival']), [
    { ...cod, gamemode: 'earth', caughtAt: '2026-01-02T00:00:00.000Z' },
    { ...cod, gamemode: 'survival', caughtAt: '2026-01-05T00:00:00.000Z' },
  ])

  it('has a collection for each gamemode, and a combined collection', () => {
    expect(collectionOf(profile, 'earth').fish.total).toBe(1)
    expect(collectionOf(profile, 'factions').fish.total).toBe(0)
    expect(collectionOf(profile).fish).toMatchObject({
      total: 2,
      unique: 1,
      species: [{ count: 2, firstCaughtAt: '2026-01-02T00:00:00.000Z', lastCaughtAt: '2026-01-05T00:00:00.000Z' }],
    })
  })

  it('adds catches to the right gamemode and day, and reports the catches as new', () => {
    const koi = { name: 'Koi', rarity: 'Gold', caughtAt: '2026-01-02T01:00:00.000Z' } as const
    const grown = withCatches(profile, [{ ...koi, kind: 'fish', gamemode: 'earth' }])
    expect(grown.days[0]).toEqual({ day: '2026-01-02', count: 2 })
    expect(collectionOf(grown, 'survival').fish.total).toBe(1)
    expect(freshOf(profile, grown)).toMatchObject([{ name: 'Koi', gamemode: 'earth', kind: 'fish', added: 1 }])
  })

  it('is the same after streamed catches as after a load', async () => {
    const { app, root } = await createMemoryService()
    const fetch = ((input: string, init: RequestInit) => app.fetch(new Request(input, init))) as typeof globalThis.fetch
    const options = { baseUrl: 'http://service.test', fetch, maxWaitMs: 0, maxRetries: 0, pace: false }
    const [client, admin] = [createClient({ ...options, env: {} }), createAdminClient({ ...options, ...root })]
    const load = async () => (await loadPlayer('Alex')(client, new AbortController().signal)).profile
    const before = await load()
    const caught = [
      ['Salmon', 'Gold', 'earth', 7],
      ['Salmon', 'Gold', 'survival', 3],
      ['Salmon', 'Bronze', 'earth', 7],
      ['Eel', 'Gold', 'earth', 5],
      ['Koi', 'Mythical', 'survival', 3],
      ['Cod', 'Unknown/Other', 'earth', 4],
      ['Ray', 'Silver', 'earth', 4],
      ['crab', undefined, 'earth', 1],
    ] as const
    const entries = caught.map(([name, rarity, gamemode, day]) => {
      return {
        name,
        rarity,
        gamemode,
        kind: rarity ? 'fish' : 'crab',
        caughtAt: `2025-12-0${day}T00:00:00.000Z`,
      } as const
    })
    for (const { kind, gamemode, name, rarity = 'Gold', caughtAt } of entries) {
      if (kind === 'fish') await admin.fish.add('Alex', { name, rarity, caughtAt }, { gamemode })
      else await admin.crabs.add('Alex', { name, caughtAt }, { gamemode })
    }
    const [streamed, loaded] = [withCatches(before, entries), await load()]
    const shown = ({ streak: _, gamemodes: __, ...profile }: PlayerProfile) => profile
    expect(shown(streamed)).toEqual(shown(loaded))
    expect(loaded.rarest.map(({ name, count }) => [name, count])).toEqual([
      ['Koi', 1],
      ['Eel', 1],
      ['Salmon', 2],
      ['Ray', 1],
      ['Salmon', 1],
    ])
  })
})

it('the demo collection is identical for every visitor, and contains fish of all rarities and crabs', () => {
  const now = Date.UTC(2026, 0, 1)
  const { fish, crab } = collectionOf(demoProfile(now))
  expect(demoProfile(now)).toEqual(demoProfile(now))
  expect(new Set(fish.species.map(({ rarity }) => rarity)).size).toBe(7)
  expect(fish.total).toBeGreaterThan(300)
  expect(crab.unique).toBeGreaterThan(1)
  expect(demoProfile(now).days.length).toBe(demoProfile(now).streak.longest)
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
    const milestones = milestonesOf(entriesOf({ fish: summarize(fish), crab: NO_CATCHES }), { days, bestDay: days[1] })
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
    const firsts = milestonesOf(entriesOf({ fish, crab: NO_CATCHES }), { days: [] })
    expect(firsts.find(({ title }) => title === 'First Gold')?.species?.name).toBe('Early')
  })

  it('omit the best day if each day has only one catch', () => {
    const days = ['2026-01-12', '2026-01-13'].map((day) => ({ day, count: 1 }))
    expect(milestonesOf([], { days, bestDay: days[0] })).toEqual([])
  })
})

test('a compact number has a lower-case letter in every browser, and at most four characters below a million', () => {
  expect([0, 999, 1000, 1234, 12_345, 999_999].map(formatCompact)).toEqual(['0', '999', '1k', '1.2k', '12k', '1m'])
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
    expect(byDay?.unit).toBe('day')
    expect(byDay?.periods.slice(-3)).toMatchObject([{ count: 2 }, { count: 0 }, { count: 1 }])
    const byWeek = historyOf(days(at(2025, 12, 31), at(2026, 1, 1)), now)
    expect(byWeek?.unit).toBe('week')
    expect(byWeek?.periods.find(({ count }) => count > 0)).toEqual({
      start: new Date(2025, 11, 29).getTime(),
      count: 2,
    })
    const byMonth = historyOf(days(at(2024, 1, 31)), now)
    expect(byMonth?.unit).toBe('month')
    expect(byMonth?.periods).toHaveLength(27)
  })

  it('shows at least 14 periods, so that one catch is not one wide column', () => {
    const one = historyOf(days(now), now)
    expect(one?.periods.map(({ count }) => count)).toEqual([...Array(13).fill(0), 1])
  })

  it('has a maximum length, and omits catches whose time is in the future because of a wrong clock', () => {
    expect(historyOf(days(at(1970, 1, 2)), now)?.periods).toHaveLength(60)
    expect(historyOf(days(at(2050, 1, 1)), now)).toBeUndefined()
    expect(historyOf(days(), now)).toBeUndefined()
  })
})

describe('a species', () => {
  const profile: PlayerProfile = {
    ...emptyProfile('Alex', ['earth', 'survival', 'moon']),
    gamemodes: [
      { gamemode: 'earth', fish: FISH, crab: CRAB },
      { gamemode: 'survival', fish: FISH, crab: NO_CATCHES },
      { gamemode: 'moon', fish: { ...FISH, total: 6000 }, crab: NO_CATCHES },
    ],
  }
  const [salmon] = ENTRIES

  it('is found in its own spelling, or else in any letter case and with any spaces', () => {
    const entries = entriesOf({
      fish: summarize(['SALMON', 'Salmon'].map((name) => ({ name, rarity: 'Gold', caughtAt: '2026-01-01T00:00:00Z' }))),
      crab: CRAB,
    })
    const nameOf = (name: string, kind: 'fish' | 'crab' = 'fish') => findEntry(entries, { kind, name })?.name
    expect([nameOf('Salmon'), nameOf(' salmon '), nameOf('\u200b'), nameOf('Salmon', 'crab')]).toEqual([
      'Salmon',
      'SALMON',
      undefined,
      undefined,
    ])
  })

  it('has a row for each rarity, and a crab has one row', () => {
    const rows = rarityRows('fish', salmon, ['Mythical', 'Platinum', 'Gold'])
    expect(rows.map(({ rarity, caught }) => [rarity, caught?.count])).toEqual([
      ['Mythical', 1],
      ['Platinum', undefined],
      ['Gold', 2],
    ])
    expect(rarityRows('crab', undefined, ['Gold'])).toEqual([{ rarity: undefined, caught: undefined }])
  })

  it('has the span of each rarity on the time axis of all rarities', () => {
    const gold = salmon?.rarities[1]
    expect(gold && salmon && spanOf(gold, salmon)).toEqual({ start: 0, end: 50 })
    expect(
      gold && spanOf({ ...gold, lastCaughtAt: gold.firstCaughtAt }, { ...gold, lastCaughtAt: gold.firstCaughtAt }),
    ).toEqual({
      start: 50,
      end: 50,
    })
  })

  it('has the gamemodes in which it was caught', () => {
    expect(gamemodesOf(profile, { kind: 'crab', name: 'crab' })).toEqual([{ gamemode: 'earth', count: 1 }])
    expect(gamemodesOf(profile, { kind: 'fish', name: 'Salmon' })).toHaveLength(3)
  })

  it('is counted by day only if its gamemodes have few catches', () => {
    const few = [{ gamemode: 'earth', count: 3 }]
    expect(loadedGamemodes(profile, 'fish', few)).toEqual(['earth'])
    expect(loadedGamemodes(profile, 'fish', [...few, { gamemode: 'moon', count: 1 }])).toEqual([])
    const entries = ['2026-01-02T23:00:00Z', '2026-01-01T01:00:00Z', '2026-01-02T01:00:00Z'].map((caughtAt) => ({
      name: 'Koi',
      caughtAt,
    }))
    expect(daysOf([...entries, { name: 'Cod', caughtAt: '2026-01-01T00:00:00Z' }], 'Koi')).toEqual([
      { day: '2026-01-01', count: 1 },
      { day: '2026-01-02', count: 2 },
    ])
  })
})

describe('the address of a page', () => {
  const list = USUAL_LIST
  const ALEX = { view: 'player', name: 'Alex', gamemode: undefined, list }
  it.each([
    ['/', '', { view: 'unknown' }],
    ['/demo', '', { view: 'demo', list }],
    ['/@Alex', '?gamemode=earth', { view: 'player', name: 'Alex', gamemode: 'earth', list }],
    ['/v1/@Alex/', '?gamemode=Earth', { view: 'player', name: 'Alex', gamemode: 'earth', list }],
    ['/@Alex', '?gamemode=moon&sort=constructor', { view: 'player', name: 'Alex', gamemode: undefined, list }],
    ['/%40Al%65x', '', { view: 'player', name: 'Alex', gamemode: undefined, list }],
    ['/@%E0', '', { view: 'player', name: '%E0', gamemode: undefined, list }],
    ['/@Alex/species', '?name=Koi', { ...ALEX, species: { kind: 'fish', name: 'Koi' } }],
    [
      '/v1/%40Alex/species/',
      '?name=Koi&kind=crab&sort=name',
      {
        ...ALEX,
        list: { ...list, order: 'name' },
        species: { kind: 'crab', name: 'Koi' },
      },
    ],
    ['/@Alex/species', '?name=', { view: 'unknown' }],
    ['/@Alex/species/Koi', '', { view: 'unknown' }],
    ['/nowhere', '', { view: 'unknown' }],
  ])('%s%s is parsed to its view', (pathname, search, expected) => {
    expect(readAddress({ pathname, search }, GAMEMODES)).toEqual(expected)
  })

  it('contains the search, the filters and the order of the list, and is parsed to the values from which it was created', () => {
    const options = {
      text: 'Größe & <b>',
      only: 'Unknown/Other',
      part: 'missing',
      order: 'last',
      isTable: true,
    } as const
    const path = new URL(playerPath('Al.ex', 'earth', options), 'https://fish.example')
    expect(readAddress(path, GAMEMODES)).toEqual({ view: 'player', name: 'Al.ex', gamemode: 'earth', list: options })
    expect(readAddress(new URL(demoPath(options), path), GAMEMODES)).toEqual({ view: 'demo', list: options })
    expect([versusPath('A*', '_b'), versusPath('A*', '_b', 'both')]).toEqual(['/@A*/vs/@_b', '/@A*/vs/@_b?show=both'])
    expect(['?show=both', '?show=constructor', ''].map(readVersusPart)).toEqual(['both', 'all', 'all'])
    expect([playerPath('Alex'), demoPath(USUAL_LIST)]).toEqual(['/@Alex', '/demo'])
  })

  it.each(['..', 'a/b', 'card.png', '\u{1f41f}', '</script>', '<!--<script', '?&=#%41+ ', '\u202eevil', '__proto__'])(
    'names the species %j only in its query',
    (name) => {
      const species = { kind: 'crab', name } as const
      const options = { ...USUAL_LIST, text: 'o', isTable: true }
      const path = new URL(speciesPath('Alex', species, 'earth', options), 'https://fish.example')
      expect(path.pathname).toBe('/@Alex/species')
      const expected = { view: 'player', name: 'Alex', gamemode: 'earth', list: options, species }
      expect(readAddress(path, GAMEMODES)).toEqual(expected)
    },
  )
})
