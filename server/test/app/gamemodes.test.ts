import { createMemoryStorage } from '@fish-crab/server/app'
import { expect, test } from 'vitest'
import { gamemodesBehaviour } from './behaviour/gamemodes.ts'
import { listed, SALMON, write } from './catches.ts'
import { createMemoryService } from './memory-service.ts'

gamemodesBehaviour(createMemoryService)

test.each([
  ['none', []],
  ['33', Array.from({ length: 33 }, (_, index) => `mode${index}`)],
  ['one twice', ['earth', 'sky', 'earth']],
  ['one in upper case', ['Earth']],
  ['one with a space', ['box smp']],
  ['an empty one', ['earth', '']],
  ['one of 33 characters', ['x'.repeat(33)]],
  ['what is no list', 'earth'],
])('createApp() refuses %s', async (_, gamemodes) => {
  const opening = createMemoryService({ gamemodes: gamemodes as string[] })
  await expect(opening).rejects.toThrow('createApp: gamemodes must be 1 to 32 different names of 1 to 32 characters')
})

test('a gamemode that holds catches cannot be taken away, in any order of the others', async () => {
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
