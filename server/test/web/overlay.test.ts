import type { RarityLabel } from '@fish-crab/sdk'
import { GAMEMODES } from '@fish-crab/sdk/constants'
import { describe, expect, it } from 'vitest'
import {
  ignoredOptions,
  type OverlayOptions,
  overlayName,
  overlayPath,
  readAddress,
  readOptions,
  sourceSize,
} from '../../web/src/data/overlay-options.ts'
import { type Collection, emptyProfile, freshOf, withCatches } from '../../web/src/data/profile.ts'
import { type Entry, NO_CATCHES, withEntries } from '../../web/src/data/summary.ts'
import { alertsAt, NO_ALERTS, withAlerts } from '../../web/src/overlay/alerts.ts'
import { notesOf } from '../../web/src/overlay/chime.ts'
import { firstItems, loudness, rarestOf, stillIn, withFresh } from '../../web/src/overlay/feed.ts'
import { startGoal, withCounted } from '../../web/src/overlay/goal.ts'
import { NEW_SESSION, withCaught } from '../../web/src/overlay/session.ts'
import { afterUpdate, NOTHING_SHOWN } from '../../web/src/overlay/shown.ts'

const summarize = (entries: readonly Entry[]) => withEntries(NO_CATCHES, entries)
const COLLECTION: Collection = {
  fish: summarize([
    { name: 'Koi', rarity: 'Diamond', caughtAt: '2026-01-01T00:00:00.000Z' },
    { name: 'Cod', rarity: 'Bronze', caughtAt: '2026-01-04T00:00:00.000Z' },
    { name: 'Eel', rarity: 'Diamond', caughtAt: '2026-01-02T00:00:00.000Z' },
    { name: 'Ray', rarity: 'Gold', caughtAt: '2026-01-03T00:00:00.000Z' },
  ]),
  crab: summarize([{ name: 'Hermit', caughtAt: '2026-01-05T00:00:00.000Z' }]),
}
const EMPTY: Collection = { fish: NO_CATCHES, crab: NO_CATCHES }

const USUAL: OverlayOptions = {
  gamemode: undefined,
  kind: undefined,
  mode: 'feed',
  parts: ['last', 'total', 'rarest'],
  goal: 50,
  rarity: undefined,
  corner: 'top-left',
  size: 'medium',
  theme: 'dark',
  hasSound: false,
}

const fresh = (name: string, rarity?: RarityLabel, added = 1) =>
  ({ kind: rarity ? 'fish' : 'crab', gamemode: 'earth', name, rarity, added }) as const

/** Returns a local time in Unix milliseconds. */
const at = (time: string) => new Date(`2026-01-10T${time}`).getTime()
const NOON = at('12:00:00')

describe('the address of an overlay', () => {
  it('is parsed to the options from which it was created', () => {
    for (const options of [
      USUAL,
      { ...USUAL, gamemode: 'survival', kind: 'crab', parts: ['total'], theme: 'plain', corner: 'bottom-right' },
      { ...USUAL, mode: 'goal', goal: 7, rarity: 'Unknown/Other', size: 'large', hasSound: true },
    ] as const) {
      const { pathname, search } = new URL(overlayPath('Alex', options), 'https://fish.example')
      expect([overlayName(pathname), readOptions(search, GAMEMODES)]).toEqual(['Alex', options])
    }
  })

  it('contains only options that its mode uses and that differ from the defaults', () => {
    const options = { ...USUAL, gamemode: 'earth', parts: ['last', 'rarest'], goal: 9, rarity: 'Gold' } as const
    expect(overlayPath('Alex', USUAL)).toBe('/overlay/Alex')
    expect(overlayPath('Alex', { ...options, kind: 'fish', theme: 'light' })).toBe(
      '/overlay/Alex?gamemode=earth&kind=fish&show=last,rarest&theme=light',
    )
    expect(overlayPath('Alex', { ...options, mode: 'alert' })).toBe('/overlay/Alex?gamemode=earth&mode=alert')
    expect(overlayPath('Alex', { ...options, mode: 'goal', corner: 'top-right', size: 'small', hasSound: true })).toBe(
      '/overlay/Alex?gamemode=earth&mode=goal&goal=9&rarity=Gold&corner=top-right&size=small&sound=on',
    )
  })

  it('is parsed to the defaults if values are missing or unknown', () => {
    expect(readOptions('', GAMEMODES)).toEqual(USUAL)
    const unknown =
      '?gamemode=Moon&kind=whale&show=all,,&theme=constructor&mode=x&goal=0&rarity=x&corner=x&size=9&sound=1'
    expect(readOptions(unknown, GAMEMODES)).toEqual(USUAL)
    expect(readOptions('?show=rarest,moon,last', GAMEMODES).parts).toEqual(['last', 'rarest'])
    expect(readOptions('?rarity=gold', GAMEMODES).rarity).toBe('Gold')
    expect(overlayName('/overlay/%E0')).toBe('%E0')
  })

  it('is parsed from pasted text, with a list of its unknown options', () => {
    const text = ' https://fish.example/overlay/Alex?gamemode=Moon&show=total,all&theme=light&size=9&constructor=1 '
    expect(readAddress(text, GAMEMODES)).toEqual({
      name: 'Alex',
      options: { ...USUAL, parts: ['total'], theme: 'light' },
      ignored: ['gamemode=Moon', 'show=all', 'size=9', 'constructor=1'],
    })
    const known =
      '?gamemode=earth&kind=crab&show=last,rarest&theme=plain&mode=goal&goal=9&rarity=gold&sound=on&size=large'
    expect(ignoredOptions(known, GAMEMODES)).toEqual([])
    expect(ignoredOptions('?goal=1.5&goal=100001&sound=loud&corner=middle', GAMEMODES)).toEqual([
      'goal=1.5',
      'goal=100001',
      'sound=loud',
      'corner=middle',
    ])
    for (const none of ['', 'Alex', 'overlay', 'https://fish.example/overlay', 'https://fish.example/@Alex']) {
      expect(readAddress(none, GAMEMODES)).toBeUndefined()
    }
    expect(readAddress('https://:/overlay/Alex', GAMEMODES)).toBeUndefined()
  })
})

it('the recommended source size of an overlay grows with the size of the overlay', () => {
  expect(sourceSize({ mode: 'feed', size: 'medium' })).toEqual({ width: 600, height: 500 })
  expect(sourceSize({ mode: 'feed', size: 'large' })).toEqual({ width: 600, height: 700 })
  expect(sourceSize({ mode: 'alert', size: 'small' })).toEqual({ width: 640, height: 288 })
})

describe('the last catches', () => {
  it('are the latest catches when the overlay opens, newest first, at most four', () => {
    const items = firstItems(COLLECTION, undefined)
    expect(items.map(({ name }) => name)).toEqual(['Hermit', 'Cod', 'Ray', 'Eel'])
    expect(items.some(({ isNew }) => isNew)).toBe(false)
    expect(firstItems(COLLECTION, 'crab').map(({ name }) => name)).toEqual(['Hermit'])
  })

  it('begin with new catches, the rarest of simultaneous catches first, and each catch has its own key', () => {
    const first = firstItems(COLLECTION, undefined)
    const once = withFresh(first, [fresh('Roach', 'Bronze', 3), fresh('Leviathan', 'Mythical')])
    expect(once.map(({ name, count, isNew }) => [name, count, isNew])).toEqual([
      ['Leviathan', 1, true],
      ['Roach', 3, true],
      ['Hermit', 1, false],
      ['Cod', 1, false],
    ])
    const together = withFresh([], [fresh('Ray', 'Gold'), fresh('Pike', 'Gold')])
    expect(together.map(({ name }) => name)).toEqual(['Pike', 'Ray'])
    const twice = withFresh(once, [fresh('Roach', 'Bronze')])
    expect(new Set([...once, ...twice].map(({ key }) => key)).size).toBe(5)
  })

  it('omit catches that were removed from the collection', () => {
    const items = firstItems(COLLECTION, undefined)
    expect(stillIn({ ...COLLECTION, crab: NO_CATCHES }, items).map(({ name }) => name)).toEqual(['Cod', 'Ray', 'Eel'])
    expect(stillIn(EMPTY, items)).toEqual([])
  })
})

it('the rarest catch is the latest catch of the highest rarity, and is never a crab', () => {
  expect(rarestOf(COLLECTION)?.name).toBe('Eel')
  expect(rarestOf({ ...COLLECTION, fish: NO_CATCHES })).toBeUndefined()
})

it('rarer catches have a higher loudness level', () => {
  const of = (rarity?: 'Gold' | 'Diamond' | 'Platinum' | 'Mythical') => loudness({ rarity })
  expect([of(), of('Gold'), of('Diamond'), of('Platinum'), of('Mythical')]).toEqual([
    'usual',
    'usual',
    'rare',
    'rare',
    'rarest',
  ])
})

describe('alerts', () => {
  const names = (queue: typeof NO_ALERTS) => [queue.current?.name, ...queue.waiting.map(({ name }) => name)]

  it('are shown one after the other, and the rarest of several new catches is shown first', () => {
    const first = withAlerts(NO_ALERTS, [fresh('Roach', 'Bronze'), fresh('Ray', 'Gold')], NOON)
    expect(names(first)).toEqual(['Ray', 'Roach'])
    expect(names(withAlerts(NO_ALERTS, [fresh('Ray', 'Gold'), fresh('Pike', 'Gold')], NOON))).toEqual(['Ray', 'Pike'])
    expect(alertsAt(first, NOON + 7999)).toBe(first)
    const second = alertsAt(first, NOON + 8000)
    expect(names(second)).toEqual(['Roach'])
    expect(second.current?.key).not.toBe(first.current?.key)
    expect(alertsAt(second, second.endsAt).current).toBeUndefined()
  })

  it('stay longer for rarer catches', () => {
    const durations = (['Gold', 'Diamond', 'Mythical'] as const).map(
      (rarity) => withAlerts(NO_ALERTS, [fresh('Ray', rarity)], NOON).endsAt - NOON,
    )
    expect(durations).toEqual([8000, 10_000, 14_000])
  })

  it('are limited to ten waiting alerts, and alerts of the most common catches are dropped', () => {
    const many = Array.from({ length: 30 }, (_, index) => fresh(`Roach ${index}`, 'Bronze'))
    const full = withAlerts(NO_ALERTS, many, NOON)
    expect(full.waiting).toHaveLength(10)
    const rare = withAlerts(full, [fresh('Leviathan', 'Mythical')], NOON + 1)
    expect(rare.waiting).toHaveLength(10)
    expect(rare.waiting.at(-1)?.name).toBe('Leviathan')
    expect(withAlerts(rare, [fresh('Hermit')], NOON + 2).waiting).toEqual(rare.waiting)
  })
})

describe('a session', () => {
  it('counts fish, crabs and new species, and contains the rarest catch', () => {
    const session = withCaught(NEW_SESSION, COLLECTION, [
      fresh('Hermit', undefined, 2),
      fresh('Koi', 'Bronze', 3),
      fresh('Pike', 'Bronze'),
      fresh('Pike', 'Gold'),
    ])
    expect(session).toMatchObject({ fish: 5, crab: 2, rarest: { name: 'Pike', rarity: 'Gold' } })
    expect(session.newSpecies.size).toBe(1)
  })

  it('has as its rarest catch the latest of several equally rare catches, and never a crab', () => {
    expect(withCaught(NEW_SESSION, EMPTY, [fresh('Hermit')]).rarest).toBeUndefined()
    const first = withCaught(NEW_SESSION, EMPTY, [fresh('Pike', 'Gold')])
    expect(withCaught(first, EMPTY, [fresh('Ray', 'Gold')]).rarest?.name).toBe('Ray')
    expect(withCaught(first, EMPTY, [fresh('Roach', 'Bronze'), fresh('Hermit')]).rarest?.name).toBe('Pike')
  })
})

describe('a goal', () => {
  const days = [{ day: new Date(NOON).toISOString().slice(0, 10), count: 12 }]

  it('starts with the catches of the current UTC day, unless the goal counts only one kind or rarity', () => {
    expect(startGoal(days, USUAL, NOON).count).toBe(12)
    expect(startGoal([], USUAL, NOON).count).toBe(0)
    expect(startGoal(days, { ...USUAL, rarity: 'Gold' }, NOON).count).toBe(0)
    expect(startGoal(days, { ...USUAL, kind: 'fish' }, NOON).count).toBe(0)
  })

  it('counts all catches, or only catches of its rarity', () => {
    const catches = [fresh('Ray', 'Gold', 2), fresh('Roach', 'Bronze', 3), fresh('Hermit')]
    expect(withCounted(startGoal(days, USUAL, NOON), catches, USUAL, NOON).count).toBe(18)
    const gold = { ...USUAL, rarity: 'Gold' } as const
    expect(withCounted(startGoal(days, gold, NOON), catches, gold, NOON).count).toBe(2)
  })

  it('starts again at local midnight', () => {
    const late = withCounted(startGoal([], USUAL, NOON), [fresh('Ray', 'Gold', 4)], USUAL, at('23:59:59.999'))
    expect(late.count).toBe(4)
    expect(withCounted(late, [], USUAL, at('23:59:59.999') + 1).count).toBe(0)
  })
})

describe('an update', () => {
  const options = { ...USUAL, gamemode: 'earth' } as const
  const gamemodes = [
    { gamemode: 'earth', ...COLLECTION },
    { gamemode: 'survival', ...EMPTY },
  ]
  const profile = { ...emptyProfile('Alex', []), gamemodes }
  const first = afterUpdate(NOTHING_SHOWN, { profile, fresh: [] }, options, NOON)
  const caught = (gamemode: string, kind: 'fish' | 'crab' = 'fish') => {
    const entry = { kind, gamemode, name: 'Pike', caughtAt: '2026-01-10T12:00:00.000Z' }
    const next = withCatches(profile, [kind === 'fish' ? { ...entry, rarity: 'Gold' } : entry])
    return { profile: next, fresh: freshOf(profile, next) }
  }
  const counts = ({ items, session, goal, alerts }: typeof first) => {
    const { fish, crab } = session
    return [items.filter(({ isNew }) => isNew).length, fish + crab, goal?.count, alerts.current ? 1 : 0]
  }

  it('shows a catch once in every mode, even if a problem or a reload repeats the catch', () => {
    expect(counts(first)).toEqual([0, 0, 0, 0])
    const update = caught('earth')
    const once = afterUpdate(first, update, options, NOON)
    expect(counts(once)).toEqual([1, 1, 1, 1])
    const broken = afterUpdate(once, { ...update, problem: { kind: 'offline' } }, options, NOON)
    const reloaded = afterUpdate(broken, { ...update, profile: { ...update.profile } }, options, NOON)
    expect([counts(broken), counts(reloaded)]).toEqual([counts(once), counts(once)])
  })

  it('shows only catches of its gamemode and kind', () => {
    expect(counts(afterUpdate(first, caught('survival'), { ...options, gamemode: undefined }, NOON))[0]).toBe(1)
    expect(counts(afterUpdate(first, caught('survival'), options, NOON))).toEqual(counts(first))
    expect(counts(afterUpdate(first, caught('earth', 'crab'), { ...options, kind: 'fish' }, NOON))).toEqual(
      counts(first),
    )
  })
})

it('the chime of a rarer catch is higher and longer', () => {
  const chimes = [undefined, 'Bronze', 'Gold', 'Mythical'] as const
  const notes = chimes.map((rarity) => notesOf({ rarity }))
  expect(notes.map(({ length }) => length)).toEqual(notes.map(({ length }) => length).toSorted((a, b) => a - b))
  expect(new Set(notes.map((some) => Math.max(...some))).size).toBe(chimes.length)
})
