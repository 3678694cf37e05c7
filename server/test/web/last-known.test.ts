import { beforeEach, expect, it, vi } from 'vitest'
import type { Cabinet } from '../../web/src/data/cabinet.ts'
import { forgetLastKnown, readLastKnown, saveLastKnown } from '../../web/src/data/last-known.ts'
import { summarize } from '../../web/src/data/summary.ts'

const cabinetOf = (user: string, species = 1): Cabinet => {
  const fish = summarize(Array.from({ length: species }, (_, index) => ({ name: `Species ${index}`, rarity: 'Gold' })))
  return {
    user,
    gamemodes: [{ gamemode: 'earth', fish, crab: summarize([]) }],
    days: [],
    streak: { current: 0, longest: 0 },
  }
}

beforeEach(() => {
  const items = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
  })
  return () => vi.unstubAllGlobals()
})

it('the browser stores the last cabinet, which is found by the name of its player in any letter case', () => {
  expect(readLastKnown()).toBeUndefined()
  saveLastKnown({ cabinet: cabinetOf('Mia'), updatedAt: 1 })
  saveLastKnown({ cabinet: cabinetOf('Alex'), updatedAt: 2 })
  expect(readLastKnown()).toEqual({ cabinet: cabinetOf('Alex'), updatedAt: 2 })
  expect(readLastKnown('aLEX')?.updatedAt).toBe(2)
  expect(readLastKnown('Mia')).toBeUndefined()
})

it('a cabinet that would take too long to write is not stored', () => {
  saveLastKnown({ cabinet: cabinetOf('Alex', 3001), updatedAt: 1 })
  expect(readLastKnown()).toBeUndefined()
  saveLastKnown({ cabinet: cabinetOf('Alex', 3000), updatedAt: 1 })
  expect(readLastKnown()).toBeDefined()
})

it('the cabinet of a player who no longer exists is removed, but a cabinet of a different player is kept', () => {
  saveLastKnown({ cabinet: cabinetOf('Alex'), updatedAt: 1 })
  forgetLastKnown('Mia')
  expect(readLastKnown()).toBeDefined()
  forgetLastKnown('alex')
  expect(readLastKnown()).toBeUndefined()
})

it('if the browser stores nothing, a read finds no cabinet, and a write does not fail', () => {
  vi.stubGlobal('localStorage', undefined)
  saveLastKnown({ cabinet: cabinetOf('Alex'), updatedAt: 1 })
  expect(readLastKnown()).toBeUndefined()
})
