import { type Gamemode, KINDS } from '@fish-crab/sdk/contract'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it, test } from 'vitest'
import { asRoot } from './administration.ts'
import { listed, SALMON, write } from './catches.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

test.each([
  ['an empty list', []],
  ['33 gamemodes', Array.from({ length: 33 }, (_, index) => `mode${index}`)],
  ['a duplicate gamemode', ['earth', 'sky', 'earth']],
  ['a gamemode in upper case', ['Earth']],
  ['a gamemode with a space', ['box smp']],
  ['an empty gamemode', ['earth', '']],
  ['a gamemode of 33 characters', ['x'.repeat(33)]],
  ['a string instead of a list', 'earth'],
])('createApp() refuses %s', async (_, gamemodes) => {
  const opening = createMemoryService({ gamemodes: gamemodes as string[] })
  await expect(opening).rejects.toThrow('createApp: gamemodes must be 1 to 32 different names of 1 to 32 characters')
})

test('a gamemode that contains catches cannot be removed, whatever the order of the remaining gamemodes', async () => {
  const storage = createMemoryStorage()
  const first = await createMemoryService({ storage, gamemodes: ['sky', 'earth', 'cave'] })
  await write(
    first,
    'fish',
    {
      fish: [
        { name: 'Cod', rarity: 1 },
        { name: 'Koi', rarity: 7 },
      ],
    },
    { gamemode: 'sky' },
  )
  await write(first, 'crab', { fish: 'crab' }, { gamemode: 'sky' })
  await write(first, 'fish', SALMON, { gamemode: 'cave' })
  const { app, storage: same } = first
  const withGamemodes = async (gamemodes: readonly string[]) => {
    const { createApp } = await import('@fish-crab/server/app')
    const secrets = { encryption: 'an encryption secret of a test', session: 'a session secret of a test, 32 bytes' }
    const passwords = { hash: async (text: string) => text, verify: async () => false }
    return createApp({ storage: same, secrets, passwords, version: '1.0.0', gamemodes }).checkGamemodes()
  }
  await app.checkGamemodes()
  await withGamemodes(['cave', 'earth', 'sky'])
  await withGamemodes(['cave', 'sky'])
  await expect(withGamemodes(['earth'])).rejects.toMatchObject({
    name: 'GamemodesError',
    message:
      'The storage holds 3 catches in sky, 1 catch in cave, which is not among the gamemodes earth. ' +
      'Set FISH_GAMEMODES=earth,sky,cave, and move or delete these catches before you take the gamemode away; nothing was changed.',
  })
  expect(await listed(first, 'fish', '&gamemode=sky')).toHaveLength(2)
})

const openWith = (gamemodes: readonly Gamemode[]) => createMemoryService({ ...UNLIMITED, gamemodes })

describe('the gamemodes of a service', () => {
  it('are the only valid gamemodes, and the error for an unknown gamemode lists them', async () => {
    const service = await openWith(['sky', 'earth'])
    const { error } = await expectError(
      await write(service, 'fish', SALMON, { gamemode: 'survival' }),
      'invalid_gamemode',
    )
    expect(error).toBe('Unknown gamemode. Use one of sky, earth.')
    for (const kind of KINDS) {
      await expectError(await service.request(`/get/${kind}?name=Alex&gamemode=survival`), 'invalid_gamemode')
      const missing = await expectError(await service.request(`/get/${kind}?name=Alex`), 'missing_gamemode')
      expect(missing.error).toBe('Missing gamemode. Use one of sky, earth.')
    }
    await expectError(await service.request('/events?name=Alex&gamemode=survival'), 'invalid_gamemode')
    const leaders = await (await asRoot(service))('GET', '/admin/leaderboard?type=fish&gamemode=survival')
    const { details } = await expectError(leaders, 'invalid_query')
    expect(details).toEqual([{ path: 'gamemode', message: 'Must be one of sky, earth' }])
    expect((await write(service, 'fish', SALMON, { gamemode: 'sky' })).status).toBe(201)
  })

  it('are listed in the OpenAPI document wherever a request or a response contains a gamemode', async () => {
    const service = await openWith(['sky', 'earth'])
    const text = await (await service.request('/openapi.json')).text()
    expect(text).not.toMatch(/oneblock|survival|factions/)
    const { paths } = JSON.parse(text)
    const schemaOf = (path: string, method: string, place: string) =>
      paths[path][method].parameters.find((one: { in: string; name: string }) => `${one.in} ${one.name}` === place)
        .schema
    const schema = { type: 'string', enum: ['sky', 'earth'] }
    expect(schemaOf('/get/fish', 'get', 'query gamemode')).toEqual(schema)
    expect(schemaOf('/post/crab', 'post', 'query gamemode')).toEqual(schema)
    expect(schemaOf('/post/crab', 'post', 'header x-gamemode')).toEqual(schema)
    expect(schemaOf('/events', 'get', 'query gamemode')).toEqual(schema)
    const contentOf = (path: string) => paths[path].get.responses[200].content['application/json'].schema.properties
    expect(contentOf('/status').gamemodes).toEqual({ type: 'array', items: schema })
    expect(contentOf('/admin/stats').crab.properties.byGamemode).toMatchObject({
      properties: { sky: { type: 'integer' }, earth: { type: 'integer' } },
      required: ['sky', 'earth'],
      additionalProperties: false,
    })
  })
})
