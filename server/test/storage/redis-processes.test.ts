import { createStorage, type FishStorage, itemKey } from '@fish-crab/server/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newCollection, newRecord, readEntries } from '../../src/storage-conformance/samples.ts'
import { describeWithRedis, type RedisServer, startRedis } from './redis-server.ts'

describeWithRedis('one Redis server that several processes share', () => {
  let server: RedisServer
  let processes: FishStorage[] = []
  beforeAll(async () => {
    server = await startRedis()
    const open = () => createStorage({ driver: 'redis', url: server.url })
    processes = await Promise.all(Array.from({ length: 4 }, open))
  })
  afterAll(async () => {
    await Promise.all(processes.map((one) => one.dispose()))
    await server.stop()
  })

  test('never counts a 26th time within a limit of 25, though their clocks differ', async () => {
    const now = Date.now()
    const counts = processes.flatMap((storage, index) =>
      Array.from({ length: 100 }, () =>
        storage.countInWindow('shared', { durationMs: 300_000, limit: 25, now: now + index * 400 }),
      ),
    )
    const answers = await Promise.all(counts)
    expect(answers.filter(({ count }) => count <= 25)).toHaveLength(25)
    expect(new Set(answers.map(({ resetAt }) => resetAt)).size).toBe(1)
    expect(await processes[0]?.peekWindow('shared', { durationMs: 300_000, limit: 25, now })).toMatchObject({
      count: 26,
    })
  })

  test('lets a window go some time after its end, so that memory stays bounded', async () => {
    const window = { durationMs: 300_000, limit: 25, now: Date.now() }
    await processes[0]?.countInWindow('bounded', window)
    const [left = 0] = await Promise.all(
      (await server.admin.keys('fish:window:*bounded')).map((key) => server.admin.pttl(key)),
    )
    expect(left).toBeGreaterThan(300_000)
    expect(left).toBeLessThanOrEqual(360_000)
  })

  test('opens a new window when the clock was set back beyond reason, and keeps it for a small step', async () => {
    const window = { durationMs: 1000, limit: 3, now: 10_000_000 }
    await processes[0]?.countInWindow('back', window)
    expect(await processes[1]?.countInWindow('back', { ...window, now: window.now - 900 })).toMatchObject({
      count: 2,
    })
    const later = await processes[2]?.countInWindow('back', { ...window, now: window.now - 60_000 })
    expect(later).toEqual({ count: 1, resetAt: window.now - 59_000 })
  })

  test('stores 200 tokens that two of them send four times once each, with one id each', async () => {
    const collection = newCollection()
    const sent = Array.from({ length: 4 }, (_, round) =>
      Array.from({ length: 200 }, async (_, token) => {
        const result = await processes[round % 2]?.append(collection, newRecord({ dedupeKey: `token ${token}` }))
        return { token, result }
      }),
    ).flat()
    const ids = new Map<number, Set<unknown>>()
    for (const { token, result } of await Promise.all(sent)) {
      ids.set(token, (ids.get(token) ?? new Set()).add(result && 'id' in result && result.id))
    }
    expect([...ids.values()].map((set) => set.size)).toEqual(Array(200).fill(1))
    for (const storage of processes) expect(await readEntries(storage, collection)).toHaveLength(200)
  })

  test('sees at once what another one has written or removed', async () => {
    const [one, other] = processes as [FishStorage, FishStorage]
    const [key, collection] = [itemKey('user', 'seen'), newCollection()]
    expect(await one.setItemIfAbsent(key, 'one')).toBe(true)
    expect(await other.setItemIfAbsent(key, 'other')).toBe(false)
    expect(await other.replaceItemIf(key, 'one', 'two')).toBe(true)
    expect(await one.items.getItem(key)).toBe('two')
    await one.append(collection, newRecord())
    await other.removeOwner(collection.owner)
    expect(await one.append(collection, newRecord())).toEqual({ outcome: 'owner_removed' })
    await other.items.removeItem(key)
    expect((await one.listItems({ base: 'user:', limit: 9 })).items).toEqual([])
  })
})
