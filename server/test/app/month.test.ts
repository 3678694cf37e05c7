import { describe, expect, it } from 'vitest'
import { isMonth, type MonthCollection, monthOf, recentMonth } from '../../src/app/catches/month.ts'
import { createSlices } from '../../src/app/core/slices.ts'

const day = (text: string, count = 1, label: string | null = 'Bronze') => ({ day: text, label, count })
const tally = (name: string, first: string, { last = first, label = 'Bronze' as string | null, count = 1 } = {}) => {
  return { name, label, count, first: Date.parse(first), last: Date.parse(last) }
}
const fish = (part: Partial<MonthCollection>): MonthCollection => ({ kind: 'fish', days: [], species: [], ...part })
const crabs = (part: Partial<MonthCollection>) => ({ ...fish(part), kind: 'crab' as const })

const of = (month: string, ...collections: readonly MonthCollection[]) =>
  monthOf(collections, { user: 'Alex', month, slices: createSlices() })
const figuresOf = async (...args: Parameters<typeof of>) => (await of(...args)).figures

describe('the month of a player', () => {
  it('contains the catches of all gamemodes by kind, rarity and day, the best day and the longest streak', async () => {
    const figures = await figuresOf(
      '2026-11',
      fish({ days: [day('2026-11-01', 2), day('2026-11-02', 1, 'Gold'), day('2026-10-31', 9), day('2026-12-01', 9)] }),
      fish({ days: [day('2026-11-02', 3), day('2026-11-30', 4)] }),
      crabs({ days: [day('2026-11-03', 1, null)] }),
    )
    expect(figures).toMatchObject({ total: 11, fish: 10, crabs: 1, activeDays: 4, streak: 3 })
    expect(figures?.byRarity).toMatchObject({ Bronze: 9, Gold: 1, Mythical: 0 })
    expect(figures?.bestDay).toEqual({ day: '2026-11-02', count: 4 })
    expect(figures?.days).toEqual([2, 4, 1, ...Array(26).fill(0), 4])
  })

  it.each([
    ['2024-02', 29],
    ['2026-02', 28],
    ['2100-02', 28],
    ['2026-12', 31],
  ])('%s has %i days', async (month, count) => {
    expect((await figuresOf(month))?.days).toHaveLength(count)
  })

  it('has as new species those whose very first catch is in the month, the rarest first', async () => {
    const figures = await figuresOf(
      '2026-11',
      fish({
        species: [
          tally('Cod', '2026-11-05'),
          tally('Koi', '2026-11-30T23:59:59.999Z', { label: 'Mythical' }),
          tally('Koi', '2026-12-01', { label: 'Bronze' }),
          tally('Pike', '2026-11-05'),
          tally('Pike', '2026-12-05', { label: 'Mythical' }),
          tally('Salmon', '2026-11-05', { label: 'Gold' }),
          tally('Tuna', '2026-12-01'),
          tally('Reef', '2026-11-01'),
        ],
      }),
      fish({ species: [tally('Salmon', '2026-10-31T23:59:59.999Z', { last: '2026-11-20' })] }),
      crabs({ species: [tally('Reef', '2026-10-01', { label: null }), tally('King', '2026-11-01', { label: null })] }),
    )
    expect(figures?.fresh).toEqual({
      count: 5,
      rarest: [
        { kind: 'fish', name: 'Koi', rarity: 'Mythical' },
        { kind: 'fish', name: 'Cod', rarity: 'Bronze' },
        { kind: 'fish', name: 'Pike', rarity: 'Bronze' },
        { kind: 'fish', name: 'Reef', rarity: 'Bronze' },
        { kind: 'crab', name: 'King', rarity: undefined },
      ],
    })
  })

  it('lists the twelve rarest new species of thousands', async () => {
    const species = Array.from({ length: 3000 }, (_, index) =>
      tally(`Fish ${String(index).padStart(4, '0')}`, '2026-11-05', { label: index === 2999 ? 'Mythical' : 'Bronze' }),
    )
    const { count, rarest } = (await figuresOf('2026-11', fish({ species })))?.fresh ?? { count: 0, rarest: [] }
    expect([count, rarest.length, rarest[0]?.name, rarest[11]?.name]).toEqual([3000, 12, 'Fish 2999', 'Fish 0010'])
  })

  it('has the rarest label of the month as its best catch, with a name only if the tallies contain it', async () => {
    const days = [day('2026-11-05', 1, 'Platinum'), day('2026-12-05', 1, 'Mythical')]
    const rare = (first: string, last: string) => [
      tally('Koi', first, { last, label: 'Platinum', count: 2 }),
      tally('Cod', '2026-11-05', { label: 'Bronze' }),
    ]
    const bestOf = async (species: MonthCollection['species']) =>
      (await figuresOf('2026-11', fish({ days, species })))?.best
    expect(await bestOf(rare('2026-11-05', '2026-12-05'))).toEqual({ rarity: 'Platinum', name: 'Koi' })
    expect(await bestOf(rare('2026-01-05', '2026-11-05'))).toEqual({ rarity: 'Platinum', name: 'Koi' })
    expect(await bestOf(rare('2026-01-05', '2026-12-05'))).toEqual({ rarity: 'Platinum', name: undefined })
    expect(await bestOf(null)).toEqual({ rarity: 'Platinum', name: undefined })
  })

  it('has no best catch if it only has crabs, whose label does not count', async () => {
    const figures = await figuresOf('2026-11', crabs({ days: [day('2026-11-05', 1, 'Mythical')] }))
    expect([figures?.crabs, figures?.best, figures?.byRarity.Mythical]).toEqual([1, undefined, 0])
  })

  it('has no new species if a collection has too many species, and no figures if a collection has too many days', async () => {
    const known = fish({ days: [day('2026-11-05')], species: [tally('Cod', '2026-11-05')] })
    expect(await figuresOf('2026-11', known, crabs({ species: null }))).toMatchObject({ total: 1, fresh: undefined })
    expect(await of('2026-12', known, crabs({ days: null }))).toEqual({
      user: 'Alex',
      month: '2026-12',
      earlier: '2026-11',
    })
  })

  it('names the nearest months with catches, also if it has none', async () => {
    const days = ['2024-12-31', '2025-03-01', '2025-09-09', '2026-01-01', '0999-01-01'].map((one) => day(one))
    const neighbours = async (month: string) => {
      const { earlier, later, figures } = await of(month, fish({ days }))
      return [earlier, later, figures?.total]
    }
    expect(await neighbours('2025-05')).toEqual(['2025-03', '2025-09', 0])
    expect(await neighbours('2025-03')).toEqual(['2024-12', '2025-09', 1])
    expect(await neighbours('2024-12')).toEqual([undefined, '2025-03', 1])
    expect(await neighbours('2027-01')).toEqual(['2026-01', undefined, 0])
  })
})

it('a month is a year and a month with two digits', () => {
  expect(['2026-11', '1970-01', '9999-12'].filter((text) => !isMonth(text))).toEqual([])
  const invalid = ['2026-13', '2026-00', '2026-1', '0000-00', '0000-01', '02026-11', '2026-11-01', '2026-11\n', '']
  expect(invalid.filter(isMonth)).toEqual([])
})

it('the last month is recent in the first seven UTC days of a month if it has catches', () => {
  const days = [{ day: '2025-12-31', count: 1 }]
  const at = (text: string) => recentMonth(days, Date.parse(text))
  expect([at('2026-01-01T00:00:00Z'), at('2026-01-07T23:59:59Z')]).toEqual(['2025-12', '2025-12'])
  expect([at('2025-12-31T23:59:59Z'), at('2026-01-08T00:00:00Z'), at('2026-02-01T00:00:00Z')]).toEqual(
    Array(3).fill(undefined),
  )
})
