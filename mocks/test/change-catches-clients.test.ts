import { createMock } from '@fish-crab/mocks'
import {
  AuthenticationError,
  createClient,
  deleteCatch,
  moveCatch,
  NotFoundError,
  ValidationError,
} from '@fish-crab/sdk'
import { expect, test } from 'vitest'

const PASSWORD = 'alex-password'

async function openPlayer() {
  const mock = await createMock({ seed: { users: [{ name: 'Alex', password: PASSWORD }, { name: 'Bea' }] } })
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
  const names = async (gamemode: string) => (await client.fish.list({ gamemode })).fish.map(({ name }) => name)
  return { mock, client, names }
}

test('a player deletes a record, which does not come back with its token', async () => {
  const { client, names } = await openPlayer()
  const token = await client.fish.encrypt({ name: 'Cod', rarity: 1 })
  const { id } = await client.fish.send(token)
  await client.fish.add({ name: 'Koi', rarity: 1 })
  expect(await deleteCatch(client, { kind: 'fish', id, password: PASSWORD })).toMatchObject({
    requestId: expect.any(String),
  })
  expect(await client.fish.send(token)).toMatchObject({ id, replayed: true })
  expect(await names('earth')).toEqual(['Koi'])
})

test('a player moves a record to another gamemode, with its id and time, and may repeat it', async () => {
  const { client } = await openPlayer()
  const { id } = await client.crabs.add({ name: 'Hermit', caughtAt: new Date(0) })
  for (let count = 0; count < 2; count += 1) {
    await moveCatch(client, { kind: 'crab', id, to: 'survival', password: PASSWORD })
  }
  expect((await client.crabs.list()).crab).toEqual([])
  const { crab } = await client.crabs.list({ gamemode: 'survival', detail: 'full' })
  expect(crab).toEqual([{ name: 'Hermit', id, caughtAt: new Date(0).toISOString() }])
})

test('a lost response is no failure, and a retry never calls a move done that was not', async () => {
  const { mock, client, names } = await openPlayer()
  const [{ id: one }, { id: two }] = [
    await client.fish.add({ name: 'Cod', rarity: 1 }),
    await client.fish.add({ name: 'Koi', rarity: 1 }),
  ]
  mock.fail('lost-response', { on: 'deleteOwnFish' })
  await deleteCatch(client, { kind: 'fish', id: one, password: PASSWORD })
  mock.fail('lost-response', { on: 'moveOwnFish' })
  await moveCatch(client, { kind: 'fish', id: two, to: 'survival', password: PASSWORD })
  expect([await names('earth'), await names('survival')]).toEqual([[], ['Koi']])
  mock.fail('reset', { on: 'moveOwnFish' })
  const wrong = moveCatch(client, { kind: 'fish', id: two, to: 'factions', password: PASSWORD })
  await expect(wrong).rejects.toMatchObject({ code: 'record_not_found' })
})

test('neither another player nor a wrong password changes a record', async () => {
  const { mock, client, names } = await openPlayer()
  const { id } = await client.fish.add({ name: 'Cod', rarity: 1 })
  const bea = createClient({ ...mock.client('Bea'), gamemode: 'earth' })
  const { password } = mock.user('Bea')
  await expect(deleteCatch(bea, { kind: 'fish', id, password })).rejects.toBeInstanceOf(NotFoundError)
  await expect(moveCatch(bea, { kind: 'fish', id, to: 'survival', password })).rejects.toBeInstanceOf(NotFoundError)
  await expect(deleteCatch(client, { kind: 'fish', id, password })).rejects.toBeInstanceOf(AuthenticationError)
  expect(await names('earth')).toEqual(['Cod'])
})

test('wrong options are refused before anything is sent, without a word of the password', async () => {
  const { mock, client } = await openPlayer()
  const wrong = { kind: 'whale' as 'fish', id: '..', gamemode: 'moon', to: '', password: 'secret\n' }
  const error = await moveCatch(client, wrong).catch((failure: unknown) => failure)
  expect(error).toBeInstanceOf(ValidationError)
  expect(String(error)).toMatch(/kind.*id|id.*kind/s)
  expect(String(error)).not.toContain('secret')
  expect(mock.requests).toEqual([])
})
