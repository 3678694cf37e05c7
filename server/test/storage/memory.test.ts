import { createMemoryStorage, createStorage } from '@fish-crab/server/storage'
import { describeStorage } from '@fish-crab/server/storage/conformance'
import { expect, test } from 'vitest'

describeStorage('memory', async () => ({ storage: await createStorage({ driver: 'memory' }) }))

test('two memory storages share no data', async () => {
  const [one, other] = [createMemoryStorage(), createMemoryStorage()]
  await one.items.setItem('a:b', 'c')
  expect(await other.items.getItem('a:b')).toBeNull()
})

test('a memory storage stores no more windows than its limit', async () => {
  const storage = createMemoryStorage({ windows: 1 })
  const window = { durationMs: 1000, limit: 1, now: 0 }
  await storage.countInWindow('first', window)
  expect(await storage.countInWindow('second', window)).toEqual({ count: 2, resetAt: 1000 })
})
