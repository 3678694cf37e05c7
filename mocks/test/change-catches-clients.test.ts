import { createMock } from '@fish-crab/mocks'
import { AuthenticationError, createClient, NotFoundError, ValidationError } from '@fish-crab/sdk'
import { expect, test } from 'vitest'

const PASSWORD = 'alex-password'

async function openPlayer() {
  const mock = await createMock({ seed: { users: [{ name: 'Alex', password: PASSWORD }, { name: 'Bea' }] } })
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
  const names = async (gamemode: string) => (await client.fish.list({ gamemode })).fish.map(({ name }) => name)
  return { mock, client, names }
}

test('a player can remove a record, and resending the token that added the record does not restore the record', async () => {
  const { client, names } = await openPlayer()
  const token = await client.fish.encrypt({ name: 'Cod', rarity: 1 })
  const { id } = await client.fish.send(token)
  await client.fish.add({ name: 'Koi', rarity: 1 })
  expect(await client.fish.remove(id, { password: PASSWORD })).toMatchObject({
    requestId: expect.any(String),
  })
  expect(await client.fish.send(token)).toMatchObject({ id, replayed: true })
  expect(await names('earth')).toEqual(['Koi'])
})

test('moving a record to a different gamemode preserves its id and time, and repeating the move has no effect', async () => {
  const { client } = await openPlayer()
  const { id } = await client.crabs.add({ name: 'Hermit', caughtAt: new Date(0) })
  for (let count = 0; count < 2; count += 1) {
    await client.crabs.move(id, { to: 'survival', password: PASSWORD })
  }
  expect((await client.crabs.list()).crab).toEqual([])
  const { crab } = await client.crabs.list({ gamemode: 'survival', detail: 'full' })
  expect(crab).toEqual([{ name: 'Hermit', id, entry: 0, caughtAt: new Date(0).toISOString() }])
})

test('a call succeeds although its response is lost, and a retry never reports success for a move that failed', async () => {
  const { mock, client, names } = await openPlayer()
  const [{ id: one }, { id: two }] = [
    await client.fish.add({ name: 'Cod', rarity: 1 }),
    await client.fish.add({ name: 'Koi', rarity: 1 }),
  ]
  mock.fail('lost-response', { on: 'deleteOwnFish' })
  await client.fish.remove(one, { password: PASSWORD })
  mock.fail('lost-response', { on: 'moveOwnFish' })
  await client.fish.move(two, { to: 'survival', password: PASSWORD })
  expect([await names('earth'), await names('survival')]).toEqual([[], ['Koi']])
  mock.fail('reset', { on: 'moveOwnFish' })
  const wrong = client.fish.move(two, { to: 'factions', password: PASSWORD })
  await expect(wrong).rejects.toMatchObject({ code: 'record_not_found' })
})

test('neither a player who does not own a record nor a client with a wrong password can change the record', async () => {
  const { mock, client, names } = await openPlayer()
  const { id } = await client.fish.add({ name: 'Cod', rarity: 1 })
  const bea = createClient({ ...mock.client('Bea'), gamemode: 'earth' })
  const { password } = mock.user('Bea')
  await expect(bea.fish.remove(id, { password })).rejects.toBeInstanceOf(NotFoundError)
  await expect(bea.fish.move(id, { to: 'survival', password })).rejects.toBeInstanceOf(NotFoundError)
  await expect(client.fish.remove(id, { password })).rejects.toBeInstanceOf(AuthenticationError)
  expect(await names('earth')).toEqual(['Cod'])
})

test('invalid options are rejected before any request, and the error does not contain the password', async () => {
  const { mock, client } = await openPlayer()
  const wrong = { gamemode: 'Moon', to: '', password: 'secret\n' }
  const error = await client.fish.move('..', wrong).catch((failure: unknown) => failure)
  expect(error).toBeInstanceOf(ValidationError)
  expect((error as ValidationError).issues.map(({ path }) => path)).toEqual(['gamemode', 'to', 'password', 'id'])
  const kind = await client.fish.remove('id', { kind: 'fish', password: PASSWORD } as never).catch((failure) => failure)
  expect(kind).toMatchObject({ issues: [{ path: 'kind', message: 'Unknown option.' }] })
  expect(String(error)).not.toContain('secret')
  expect(mock.requests).toEqual([])
})
