import type { RarityLabel } from '@fish-crab/sdk'
import { expect, it } from 'vitest'
import { NO_TOASTS, summarize, withCaught, withNext } from '../../web/src/collection/player/toasts.tsx'
import { playerTexts } from '../../web/src/texts/player.tsx'

const fresh = (name: string, rarity?: RarityLabel, added = 1) =>
  ({ kind: rarity ? 'fish' : 'crab', gamemode: 'earth', name, rarity, added }) as const

const KOI = fresh('Koi', 'Mythical')
const COD = fresh('Cod', 'Bronze', 20)

it('the catches of one update are one toast with its rarest catch', () => {
  const state = withCaught(NO_TOASTS, [fresh('Hermit'), COD, KOI, fresh('Eel', 'Gold', 3)])
  expect(state.shown).toHaveLength(4)
  expect(summarize(state.shown)).toEqual({ rarest: KOI, count: 1, more: 24 })
  expect(summarize([COD])).toEqual({ rarest: COD, count: 20, more: 0 })
  expect(summarize([COD, { ...COD, gamemode: 'survival', added: 2 }])).toMatchObject({ count: 22, more: 0 })
  expect(summarize([])).toBeUndefined()
})

it('catches wait for the end of the current toast, and then are one toast', () => {
  const first = withCaught(NO_TOASTS, [KOI])
  const busy = withCaught(withCaught(first, [COD]), [fresh('Hermit')])
  expect(busy.shown).toBe(first.shown)
  const next = withNext(busy)
  expect([next.count, next.shown]).toEqual([1, [COD, fresh('Hermit')]])
  expect(withNext(next)).toEqual({ count: 2, shown: [], waiting: [] })
})

it('the age of a collection is told in one unit', () => {
  expect(
    [0, 999, 40_000, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, 200_000_000].map(playerTexts.updated),
  ).toEqual(
    ['0 s', '0 s', '40 s', '59 s', '1 min', '59 min', '1 h', '1 day', '2 days'].map((age) => `Updated ${age} ago`),
  )
})
