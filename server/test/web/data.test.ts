import { GAMEMODES } from '@fish-crab/sdk/constants'
import { describe, expect, it } from 'vitest'
import { readAddress } from '../../web/src/data/address.ts'
import { historyOf, localDays } from '../../web/src/data/history.ts'
import { inOrder, matching, type Order, rowsOf } from '../../web/src/data/list.ts'
import { caughtSince, summarize } from '../../web/src/data/summary.ts'

const FISH = summarize([
  { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-02T00:00:00.000Z' },
  { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-01T00:00:00.000Z' },
  { name: 'salmon trout', rarity: 'Unknown/Other', caughtAt: '2026-01-05T00:00:00.000Z' },
  { name: 'Salmon', rarity: 'Mythical', caughtAt: '2026-01-03T00:00:00.000Z' },
])
const CRAB = summarize([{ name: 'crab', caughtAt: '2026-01-04T00:00:00.000Z' }])
const ROWS = rowsOf({ user: 'Alex', fish: FISH, crab: CRAB })

describe('a summary', () => {
  it('counts catches by name and rarity, and names whatever their rarity', () => {
    expect(FISH).toMatchObject({ total: 4, unique: 2 })
    expect(FISH.species[0]).toEqual({
      name: 'Salmon',
      rarity: 'Gold',
      count: 2,
      firstCaughtAt: '2026-01-01T00:00:00.000Z',
      lastCaughtAt: '2026-01-02T00:00:00.000Z',
    })
  })

  it('takes entries without times, and names that objects have', () => {
    const { species } = summarize([
      { name: '__proto__', rarity: 'Gold' },
      { name: '__proto__', rarity: 'Gold' },
    ])
    expect(species).toEqual([{ name: '__proto__', rarity: 'Gold', count: 2 }])
  })

  it('is compared with the one before: only what rose is new', () => {
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

describe('the list', () => {
  it.each<[Order, string[]]>([
    ['count', ['Gold', 'Unknown/Other', 'Mythical', 'crab']],
    ['rarity', ['Mythical', 'Gold', 'Unknown/Other', 'crab']],
    ['first', ['Gold', 'Mythical', 'crab', 'Unknown/Other']],
    ['last', ['Unknown/Other', 'crab', 'Mythical', 'Gold']],
    ['name', ['crab', 'Gold', 'Mythical', 'Unknown/Other']],
  ])('is ordered by %s', (order, expected) => {
    expect(inOrder(ROWS, order).map(({ rarity, name }) => rarity ?? name)).toEqual(expected)
  })

  it('finds names in any letter case, kinds and rarities', () => {
    const find = (choice: Partial<Parameters<typeof matching>[1]>) =>
      matching(ROWS, { text: '', kind: undefined, rarity: undefined, ...choice }).length
    expect(find({})).toBe(4)
    expect(find({ text: ' SALMON ' })).toBe(3)
    expect(find({ text: 'trout' })).toBe(1)
    expect(find({ kind: 'crab' })).toBe(1)
    expect(find({ rarity: 'Gold' })).toBe(1)
    expect(find({ text: 'x' })).toBe(0)
  })
})

describe('the history', () => {
  const at = (year: number, month: number, day: number) => new Date(year, month - 1, day, 13).getTime()
  const days = (...times: number[]) => {
    const groups = Map.groupBy(times, (time) => new Date(time).toLocaleDateString('sv'))
    return localDays(Array.from(groups, ([day, { length: count }]) => ({ day, count })))
  }
  const now = at(2026, 3, 15)

  it('is by day, week or month, without gaps, up to now', () => {
    const byDay = historyOf(days(at(2026, 3, 13), at(2026, 3, 13), at(2026, 3, 15)), now)
    expect(byDay).toMatchObject({ unit: 'day', periods: [{ count: 2 }, { count: 0 }, { count: 1 }] })
    const byWeek = historyOf(days(at(2025, 12, 31), at(2026, 1, 1)), now)
    expect(byWeek?.unit).toBe('week')
    expect(byWeek?.periods[0]).toEqual({ start: new Date(2025, 11, 29).getTime(), count: 2 })
    const byMonth = historyOf(days(at(2024, 1, 31)), now)
    expect(byMonth?.unit).toBe('month')
    expect(byMonth?.periods).toHaveLength(27)
  })

  it('is bounded, and leaves out what a wrong clock has put into the future', () => {
    expect(historyOf(days(at(1970, 1, 2)), now)?.periods).toHaveLength(60)
    expect(historyOf(days(at(2050, 1, 1)), now)).toBeUndefined()
    expect(historyOf(days(), now)).toBeUndefined()
  })
})

describe('an address', () => {
  it.each([
    ['/', '', { isDemo: false }],
    ['/', '?demo', { isDemo: true }],
    ['/@Alex', '?gamemode=earth', { name: 'Alex', isDemo: false, gamemode: 'earth' }],
    ['/v1/@Alex/', '?gamemode=Earth', { name: 'Alex', isDemo: false, gamemode: 'earth' }],
    ['/@Alex', '?gamemode=moon', { name: 'Alex', isDemo: false }],
    ['/%40Al%65x', '', { name: 'Alex', isDemo: false }],
    ['/@%E0', '', { name: '%E0', isDemo: false }],
  ])('%s%s is read', (pathname, search, expected) => {
    expect(readAddress({ pathname, search }, GAMEMODES)).toEqual({ gamemode: undefined, ...expected })
  })
})
