import { createMock } from '@fish-crab/mocks'
import { type Clock, createClient } from '@fish-crab/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { run } from './harness.ts'

test('remove counts a lost response as removed, and reports a catch that another client removed meanwhile', async () => {
  const mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
  onTestFinished(() => mock.close())
  const { url } = await mock.serve()
  const { password } = mock.user('Alex')
  const player = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
  const names = ['Cod', 'Koi', 'cod', 'COD']
  const { id } = await player.fish.add(names.map((name) => ({ name, rarity: 1 as const })))
  mock.fail('lost-response', { on: 'deleteOwnFish' })
  const clock: Clock = {
    now: () => mock.clock.now(),
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      await player.fish.remove(id, { entry: 2, password })
      await mock.clock.advance(Math.ceil(ms))
    },
  }
  const env = { ...xdgFolders(newFolder()), FISH_URL: url, FISH_USER: 'Alex', FISH_PASSWORD: password }
  const { status, stdout, stderr } = await run(['remove', '--name', 'cod', '-g', 'earth', '--yes'], {
    env: { ...env, FISH_MAX_WAIT: '100' },
    clock,
  })
  expect([status, stdout.split('\n')[0]]).toEqual([0, 'Removed 2 catches in 1 record of Alex, earth.'])
  expect(stderr).toContain('fish-cli: Already moved or removed: 1 catch.\n')
  const sent = mock.requests.filter(({ method }) => method === 'DELETE').map((request) => request.status)
  // The other client removes "cod" (204) after the response of the first removal (204) is lost, and before its retry.
  expect(sent).toEqual([204, 204, 404, 404, 204])
  expect((await player.fish.list({ user: 'Alex' })).fish.map(({ name }) => name)).toEqual(['Koi'])
})
