import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { pagingBehaviour } from './behaviour/paging.ts'
import { readsBehaviour } from './behaviour/reads.ts'
import { write } from './catches.ts'
import { UNLIMITED } from './lane.ts'
import { createWorld } from './world.ts'

readsBehaviour(createWorld)
pagingBehaviour(createWorld)

describe('a read whose storage fails halfway', () => {
  it('is cut off rather than closed as if it were whole', async () => {
    const storage = createMemoryStorage()
    let chunks = 0
    const failing = {
      ...storage,
      async *read(...args: Parameters<typeof storage.read>) {
        for await (const chunk of storage.read(...args)) {
          for (const record of chunk) {
            chunks += 1
            if (chunks > 3) throw new Error('the disk is gone')
            yield [record]
          }
        }
      },
    }
    const world = await createWorld({ ...UNLIMITED, storage: failing })
    for (let count = 0; count < 5; count += 1) await write(world, 'fish', { fish: `Fish ${count}`, rarity: 1 })
    const response = await world.request('/get/fish?name=Alex&gamemode=earth')
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  it('stops reading when the client goes away', async () => {
    const storage = createMemoryStorage()
    let closed = 0
    const watched = {
      ...storage,
      async *read(...args: Parameters<typeof storage.read>) {
        try {
          for await (const chunk of storage.read(...args)) for (const record of chunk) yield [record]
        } finally {
          closed += 1
        }
      },
    }
    const world = await createWorld({ ...UNLIMITED, storage: watched })
    for (let count = 0; count < 5; count += 1) await write(world, 'fish', { fish: `Fish ${count}`, rarity: 1 })
    const response = await world.request('/get/fish?name=Alex&gamemode=earth')
    await response.body?.cancel()
    expect(closed).toBe(1)
  })
})
