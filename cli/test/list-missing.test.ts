import { createMock } from '@fish-crab/mocks'
import { expect, onTestFinished, test } from 'vitest'
import { EXIT } from '../src/core/errors.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { run } from './harness.ts'

async function startService() {
  const owner = (name: string, ...fish: readonly string[]) => ({
    name,
    fish: { earth: fish.map((one) => ({ name: one, rarity: 1 as const })) },
  })
  const users = [owner('Alex', 'KOI'), ...['Bella', 'Cleo', 'Dora'].map((name) => owner(name, 'Koi', 'Eel'))]
  const mock = await createMock({ seed: { users } })
  const served = await mock.serve({ port: 0 })
  onTestFinished(async () => {
    await served.close()
    await mock.close()
  })
  const env = { FISH_URL: served.url, FISH_GAMEMODE: 'earth', FISH_USER: 'Alex', ...xdgFolders(newFolder()) }
  return (...argv: readonly string[]) => run(['list', ...argv], { env })
}

test('list --missing lists the known species that the player lacks', async () => {
  const list = await startService()
  const missing = [{ kind: 'fish', name: 'Eel', players: 3, hint: null }]
  const found = JSON.parse((await list('--missing', '--json')).stdout)
  expect(found).toMatchObject({ user: 'Alex', gamemode: 'earth', kind: 'fish', known: 2, missing })
  expect((await list('--missing')).stdout).toMatch(/fish +Eel +3/)
})

test('list --missing says why nothing is missing, and rejects flags for catches', async () => {
  const list = await startService()
  expect((await list('fish', 'Bella', '--missing')).stderr).toContain('Bella has all 2 known fish of earth.')
  expect((await list('crabs', '--missing')).stderr).toContain('No crabs are known in earth yet')
  const refused = await list('--missing', '--sort', 'name')
  expect([refused.status, refused.stderr]).toEqual([EXIT.usage, expect.stringContaining('--sort has no effect')])
})
