import { createMock } from '@fish-crab/mocks'
import { createClient, GAMEMODES } from '@fish-crab/sdk'
import { expect, test } from 'vitest'

test('a client checks gamemodes against the list in the status, and caches the list for 5 minutes', async () => {
  const mock = await createMock({ gamemodes: ['earth', 'sky'], seed: { users: [{ name: 'Alex' }] } })
  const client = createClient(mock.client('Alex'))
  await expect(client.fish.list({ gamemode: 'moon' })).rejects.toMatchObject({ code: 'invalid_gamemode' })
  expect((await client.fish.list({ gamemode: 'sky' })).fish).toEqual([])
  expect((await client.status()).gamemodes).toEqual(['earth', 'sky'])
  const before = mock.requests.length
  const issues = [{ path: 'gamemode', message: 'Must be earth or sky.' }]
  await expect(client.fish.add({ name: 'Salmon', rarity: 3 }, { gamemode: 'moon' })).rejects.toMatchObject({ issues })
  await expect(client.crabs.list({ gamemode: 'survival' })).rejects.toMatchObject({ issues })
  expect(mock.requests).toHaveLength(before)
  // encrypt() accepts an unknown gamemode, since the service may have added the gamemode when the token is sent.
  expect(await client.fish.encrypt({ name: 'Salmon', rarity: 3 }, { gamemode: 'moon' })).toMatchObject({
    gamemode: 'moon',
  })
  await mock.clock.advance(5 * 60_000)
  await expect(client.fish.list({ gamemode: 'moon' })).rejects.toMatchObject({ code: 'invalid_gamemode' })
})

test('a status without gamemodes means the default gamemodes', async () => {
  const mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
  const client = createClient(mock.client('Alex'))
  expect((await client.status()).gamemodes).toEqual(GAMEMODES)
  const issues = [{ path: 'gamemode', message: `Must be ${GAMEMODES.join(' or ')}.` }]
  await expect(client.fish.list({ gamemode: 'sky' })).rejects.toMatchObject({ issues })
})

test('a call without a gamemode names the gamemodes of the service', async () => {
  const mock = await createMock({ gamemodes: ['earth', 'sky'], seed: { users: [{ name: 'Alex' }] } })
  const client = createClient({ ...mock.client('Alex'), env: {} })
  const messageOf = (gamemodes: string) => [
    { path: 'gamemode', message: `Missing. Pass gamemode, or set FISH_GAMEMODE: ${gamemodes}.` },
  ]
  await expect(client.fish.list()).rejects.toMatchObject({ issues: messageOf(GAMEMODES.join(', ')) })
  await client.status()
  await expect(client.fish.list()).rejects.toMatchObject({ issues: messageOf('earth, sky') })
})
