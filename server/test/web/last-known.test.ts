import { beforeEach, expect, it, vi } from 'vitest'
import { forgetLastKnown, readLastKnown, saveLastKnown } from '../../web/src/data/last-known.ts'
import { emptyProfile, type PlayerProfile, withCatches } from '../../web/src/data/profile.ts'
import { stubLocalStorage } from './local-storage.ts'

const profileOf = (user: string, species = 1): PlayerProfile => {
  const names = Array.from({ length: species }, (_, index) => `Species ${index}`)
  const catchOf = (name: string) =>
    ({ name, kind: 'crab', gamemode: 'earth', caughtAt: '2026-01-01T00:00:00.000Z' }) as const
  return withCatches(emptyProfile(user, ['earth']), names.map(catchOf))
}

beforeEach(stubLocalStorage)

it('the browser stores the last profile, which is found by the name of its player in any letter case', () => {
  expect(readLastKnown()).toBeUndefined()
  saveLastKnown({ profile: profileOf('Mia'), updatedAt: 1 })
  saveLastKnown({ profile: profileOf('Alex'), updatedAt: 2 })
  expect(readLastKnown()).toMatchObject({ profile: { user: 'Alex', total: 1 }, updatedAt: 2 })
  expect(readLastKnown('aLEX')?.updatedAt).toBe(2)
  expect(readLastKnown('Mia')).toBeUndefined()
})

it('a profile that would take too long to write is not stored', () => {
  saveLastKnown({ profile: profileOf('Alex', 3001), updatedAt: 1 })
  expect(readLastKnown()).toBeUndefined()
  saveLastKnown({ profile: profileOf('Alex', 3000), updatedAt: 1 })
  expect(readLastKnown()).toBeDefined()
})

it('the profile of a player who no longer exists is removed, but a profile of a different player is kept', () => {
  saveLastKnown({ profile: profileOf('Alex'), updatedAt: 1 })
  forgetLastKnown('Mia')
  expect(readLastKnown()).toBeDefined()
  forgetLastKnown('alex')
  expect(readLastKnown()).toBeUndefined()
})

it('if the browser stores nothing, a read finds no profile, and a write does not fail', () => {
  vi.stubGlobal('localStorage', undefined)
  saveLastKnown({ profile: profileOf('Alex'), updatedAt: 1 })
  expect(readLastKnown()).toBeUndefined()
})
