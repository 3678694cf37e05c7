import { GAMEMODES } from '@fish-crab/sdk/constants'
import { describe, expect, it } from 'vitest'
import type { Collection } from '../../web/src/data/cabinet.ts'
import {
  ignoredOptions,
  overlayName,
  overlayPath,
  readAddress,
  readOptions,
} from '../../web/src/data/overlay-options.ts'
import { summarize } from '../../web/src/data/summary.ts'
import { firstItems, loudness, rarestOf, stillIn, withFresh } from '../../web/src/overlay/feed.ts'

const COLLECTION: Collection = {
  fish: summarize([
    { name: 'Koi', rarity: 'Diamond', caughtAt: '2026-01-01T00:00:00.000Z' },
    { name: 'Cod', rarity: 'Bronze', caughtAt: '2026-01-04T00:00:00.000Z' },
    { name: 'Eel', rarity: 'Diamond', caughtAt: '2026-01-02T00:00:00.000Z' },
    { name: 'Ray', rarity: 'Gold', caughtAt: '2026-01-03T00:00:00.000Z' },
  ]),
  crab: summarize([{ name: 'Hermit', caughtAt: '2026-01-05T00:00:00.000Z' }]),
}
const EMPTY: Collection = { fish: summarize([]), crab: summarize([]) }

const fresh = (name: string, rarity: 'Bronze' | 'Mythical' | undefined, added = 1) =>
  ({ kind: rarity ? 'fish' : 'crab', gamemode: 'earth', name, rarity, count: 9, added }) as const

describe('the address of an overlay', () => {
  it('is read as it is written', () => {
    for (const options of [
      { gamemode: 'earth', kind: undefined, parts: ['last', 'total', 'rarest'], theme: 'dark' },
      { gamemode: 'survival', kind: 'crab', parts: ['total'], theme: 'plain' },
    ] as const) {
      const { pathname, search } = new URL(overlayPath('Alex', options), 'https://fish.example')
      expect([overlayName(pathname), readOptions(search, GAMEMODES)]).toEqual(['Alex', options])
    }
    expect(overlayPath('Alex', { gamemode: 'earth', kind: 'fish', parts: ['last', 'rarest'], theme: 'light' })).toBe(
      '/overlay/Alex?gamemode=earth&kind=fish&show=last,rarest&theme=light',
    )
  })

  it('shows all there is where it asks for nothing, or for what there is not', () => {
    const usual = { gamemode: 'oneblock', kind: undefined, parts: ['last', 'total', 'rarest'], theme: 'dark' }
    expect(readOptions('', GAMEMODES)).toEqual(usual)
    expect(readOptions('?gamemode=Moon&kind=whale&show=all,,&theme=constructor', GAMEMODES)).toEqual(usual)
    expect(readOptions('?show=rarest,moon,last', GAMEMODES).parts).toEqual(['last', 'rarest'])
    expect(overlayName('/overlay/%E0')).toBe('%E0')
  })

  it('is read from a text, with what it asks for in vain', () => {
    const text = ' https://fish.example/overlay/Alex?gamemode=Moon&show=total,all&theme=light&size=9&constructor=1 '
    expect(readAddress(text, GAMEMODES)).toEqual({
      name: 'Alex',
      options: { gamemode: 'oneblock', kind: undefined, parts: ['total'], theme: 'light' },
      ignored: ['gamemode=Moon', 'show=all', 'size=9', 'constructor=1'],
    })
    expect(ignoredOptions('?gamemode=earth&kind=crab&show=last,rarest&theme=plain', GAMEMODES)).toEqual([])
    for (const none of ['', 'Alex', 'overlay', 'https://fish.example/overlay', 'https://fish.example/@Alex']) {
      expect(readAddress(none, GAMEMODES)).toBeUndefined()
    }
    expect(readAddress('https://:/overlay/Alex', GAMEMODES)).toBeUndefined()
  })
})

describe('the last catches', () => {
  it('are those that were caught last before it was opened, newest first, at most four', () => {
    const items = firstItems(COLLECTION, undefined)
    expect(items.map(({ name }) => name)).toEqual(['Hermit', 'Cod', 'Ray', 'Eel'])
    expect(items.some(({ isNew }) => isNew)).toBe(false)
    expect(firstItems(COLLECTION, 'crab').map(({ name }) => name)).toEqual(['Hermit'])
  })

  it('begin with what is new, of several at once with the rarest, each with a key of its own', () => {
    const first = firstItems(COLLECTION, undefined)
    const once = withFresh(first, [fresh('Leviathan', 'Mythical'), fresh('Roach', 'Bronze', 3)], undefined)
    expect(once.map(({ name, count, isNew }) => [name, count, isNew])).toEqual([
      ['Leviathan', 1, true],
      ['Roach', 3, true],
      ['Hermit', 1, false],
      ['Cod', 1, false],
    ])
    const twice = withFresh(once, [fresh('Roach', 'Bronze')], undefined)
    expect(new Set([...once, ...twice].map(({ key }) => key)).size).toBe(5)
    expect(withFresh(first, [fresh('Roach', 'Bronze')], 'crab')).toEqual(first)
  })

  it('lose what was removed from the collection', () => {
    const items = firstItems(COLLECTION, undefined)
    expect(stillIn({ ...COLLECTION, crab: summarize([]) }, items).map(({ name }) => name)).toEqual([
      'Cod',
      'Ray',
      'Eel',
    ])
    expect(stillIn(EMPTY, items)).toEqual([])
  })
})

it('the rarest catch is the last one of the highest rarity, and there is none among crabs', () => {
  expect(rarestOf(COLLECTION, undefined)?.name).toBe('Eel')
  expect(rarestOf(COLLECTION, 'crab')).toBeUndefined()
  expect(rarestOf(EMPTY, undefined)).toBeUndefined()
})

it('rare catches are louder, and the rarest the loudest', () => {
  const of = (rarity?: 'Gold' | 'Diamond' | 'Platinum' | 'Mythical') => loudness({ rarity })
  expect([of(), of('Gold'), of('Diamond'), of('Platinum'), of('Mythical')]).toEqual([
    'usual',
    'usual',
    'rare',
    'rare',
    'rarest',
  ])
})
