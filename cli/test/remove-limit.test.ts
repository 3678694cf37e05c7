import { createMock } from '@fish-crab/mocks'
import { type Clock, createClient } from '@fish-crab/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { run } from './harness.ts'

const LIMIT = 5

test('remove waits for the next windows of the rate limit if the number of records exceeds the limit of one window', async () => {
  const mock = await createMock({
    seed: { users: [{ name: 'Alex' }], admins: [{ username: 'admin', password: 'admin-password' }] },
    limits: { adminRequests: LIMIT },
  })
  onTestFinished(() => mock.close())
  const player = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
  for (let count = 0; count < 12; count += 1) await player.fish.add({ name: `Cod ${count}`, rarity: 'Bronze' })
  const { url } = await mock.serve()
  // Each wait also advances the clock of the service.
  const clock: Clock = {
    now: () => mock.clock.now(),
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      await mock.clock.advance(ms)
    },
  }
  const env = {
    ...xdgFolders(newFolder()),
    FISH_URL: url,
    FISH_ADMIN_PASSWORD: 'admin-password',
    FISH_GAMEMODE: 'earth',
  }
  const argv = ['remove', '--user', 'Alex', '--name', 'cod 0', '--yes', '--json']
  expect(await run(argv, { env, clock })).toMatchObject({ status: 0 })
  const all = ['remove', '--user', 'Alex', '--since', '2000-01-01', '--yes', '--json']
  const { status, stdout } = await run(all, { env, clock })
  expect([status, JSON.parse(stdout).catches]).toEqual([0, 11])
  const body = await (await mock.fetch('/get/fish?name=Alex&gamemode=earth')).json()
  expect(body).toEqual({ user: 'Alex', fish: [] })
  const removals = mock.requests.filter(({ method }) => method === 'DELETE').map((request) => request.status)
  expect(removals.filter((one) => one === 204)).toHaveLength(12)
  // At most one request in each window is rejected.
  expect(removals.filter((one) => one !== 204).length).toBeLessThanOrEqual(4)
})
