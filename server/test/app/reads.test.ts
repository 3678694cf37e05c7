import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { pagingBehaviour } from './behaviour/paging.ts'
import { readsBehaviour } from './behaviour/reads.ts'
import { write } from './catches.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

readsBehaviour(createMemoryService)
pagingBehaviour(createMemoryService)

/** Some 60 KB: two of them are streamed. */
const LARGE = { fish: Array.from({ length: 500 }, () => ({ name: '~'.repeat(90), rarity: 1 })) }

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
            if (chunks > 6) throw new Error('the disk is gone')
            yield [record]
          }
        }
      },
    }
    const service = await createMemoryService({ ...UNLIMITED, storage: failing })
    for (let count = 0; count < 9; count += 1) await write(service, 'fish', LARGE)
    const response = await service.request('/get/fish?name=Alex&gamemode=earth')
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
    const service = await createMemoryService({ ...UNLIMITED, storage: watched })
    for (let count = 0; count < 9; count += 1) await write(service, 'fish', LARGE)
    const response = await service.request('/get/fish?name=Alex&gamemode=earth')
    expect(closed).toBe(0)
    await response.body?.cancel()
    expect(closed).toBe(1)
  })
})
