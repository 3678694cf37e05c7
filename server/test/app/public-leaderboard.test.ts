import { createMemoryStorage } from '@fish-crab/server/app'
import { expect, test } from 'vitest'
import { write } from './catches.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

test('leaderboards that many ask for at once are read a few at a time, each as new as its request', async () => {
  const storage = createMemoryStorage()
  let [reading, most] = [0, 0]
  const service = await createMemoryService({
    ...UNLIMITED,
    publicLeaderboard: true,
    storage: {
      ...storage,
      async leaders(...args: Parameters<typeof storage.leaders>) {
        reading += 1
        most = Math.max(most, reading)
        await new Promise((resolve) => setImmediate(resolve))
        reading -= 1
        return storage.leaders(...args)
      },
    },
  })
  const read = async () => {
    const response = await service.request('/get/leaderboard?kind=fish')
    return ((await response.json()) as { leaderboard: { count: number }[] }).leaderboard.map(({ count }) => count)
  }
  await write(service, 'fish', { fish: 'Koi', rarity: 3 })
  const before = Array.from({ length: 30 }, read)
  await write(service, 'fish', { fish: 'Cod', rarity: 1 })
  expect(await read()).toEqual([2])
  for (const counts of await Promise.all(before)) expect([[1], [2]]).toContainEqual(counts)
  expect(most).toBe(4)
})
