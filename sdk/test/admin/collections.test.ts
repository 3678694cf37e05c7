import { NotFoundError } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { createService, failureOf } from './service.ts'

const EARTH = { gamemode: 'earth' } as const

test('an administrator can add fish without encryption, list fish with their details, and delete fish by record ID', async () => {
  const admin = (await createService()).admin()
  const caughtAt = new Date('2025-06-01T12:00:00Z')
  const two = [
    { name: 'Salmon', rarity: 'Gold', caughtAt },
    { name: 'Cod', rarity: 1 },
  ] as const
  const saved = await admin.fish.add('Alex', two, EARTH)
  expect(saved.message).toBe('2 fish saved for user Alex')
  const other = await admin.fish.add('Alex', { name: 'Koi', rarity: 'mythical' }, EARTH)
  const { user, fish } = await admin.fish.list('alex', EARTH)
  expect(user).toBe('Alex')
  expect(fish.map(({ name, rarity, id }) => [name, rarity, id])).toEqual([
    ['Salmon', 'Gold', saved.id],
    ['Cod', 'Bronze', saved.id],
    ['Koi', 'Mythical', other.id],
  ])
  expect(new Date(fish[0]?.caughtAt ?? '')).toEqual(caughtAt)

  await admin.fish.delete('Alex', saved.id, EARTH)
  expect((await admin.fish.list('Alex', EARTH)).fish.map(({ name }) => name)).toEqual(['Koi'])
  const again = await failureOf(admin.fish.delete('Alex', saved.id, EARTH))
  expect(again instanceof NotFoundError && again.code).toBe('record_not_found')
})

test('an administrator can add, list and delete crabs separately for each gamemode', async () => {
  const admin = (await createService()).admin()
  const { id } = await admin.crabs.add('Alex', [{}, { name: 'King Crab' }], EARTH)
  expect((await admin.crabs.list('Alex', EARTH)).crab.map(({ name }) => name)).toEqual(['crab', 'King Crab'])
  expect((await admin.crabs.list('Alex', { gamemode: 'survival' })).crab).toEqual([])
  await admin.crabs.delete('Alex', id, EARTH)
  expect((await admin.crabs.list('Alex', EARTH)).crab).toEqual([])
})

test('collection calls for an unknown user reject with NotFoundError', async () => {
  const admin = (await createService()).admin()
  const calls = [
    admin.fish.list('Nobody', EARTH),
    admin.crabs.add('Nobody', {}, EARTH),
    admin.fish.delete('Nobody', 'x', EARTH),
  ]
  for (const error of await Promise.all(calls.map(failureOf))) {
    expect(error instanceof NotFoundError && error.code).toBe('user_not_found')
  }
})
