import { type CountWindow, createStorage, type FishStorage, itemKey } from '@fish-crab/server/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithRedis, type RedisServer, startRedis } from '../../../scripts/test-support/redis-server.ts'
import { windowKeys } from '../../src/storage/redis/keys.ts'
import { newCollection, newRecord, readNames } from '../storage-suite/samples.ts'

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

  test('never exceeds a limit of 25, even if the clocks of the processes differ', async () => {
    const now = Date.now()
    const counts = processes.flatMap((storage, index) =>
      Array.from({ length: 100 }, () =>
        storage.countInWindow('shared', { durationMs: 300_000, limit: 25, now: now + index * 400 }),
      ),
    )
    const responses = await Promise.all(counts)
    expect(responses.filter(({ count }) => count <= 25)).toHaveLength(25)
    expect(new Set(responses.map(({ resetAt }) => resetAt)).size).toBe(1)
    expect(await processes[0]?.peekWindow('shared', { durationMs: 300_000, limit: 25, now })).toMatchObject({
      count: 26,
    })
  })

  test('deletes each window within a minute after its end, so that memory stays bounded', async () => {
    const window = { durationMs: 300_000, limit: 25, now: Date.now() }
    await processes[0]?.countInWindow('ended:client', window)
    const [left = 0] = await Promise.all(
      (await server.admin.keys('fish:{*}:windows:ended')).map((key) => server.admin.pttl(key)),
    )
    expect(left).toBeGreaterThan(300_000)
    expect(left).toBeLessThanOrEqual(360_000)
  })

  /** Names of clients whose windows are in the same Redis bucket. Each bucket has an equal share of the capacity. */
  const neighbours = (kind: string, count: number) => {
    const { windows } = windowKeys(`${kind}:0`)
    const names = Array.from({ length: 80 * count }, (_, index) => `${kind}:${index}`)
    return { windows, names: names.filter((name) => windowKeys(name).windows === windows).slice(0, count) }
  }
  const countAll = async (names: readonly string[], window: CountWindow) => {
    for (let at = 0; at < names.length; at += 500) {
      await Promise.all(names.slice(at, at + 500).map((name) => processes[0]?.countInWindow(name, window)))
    }
  }

  test('limits the number of windows, and never accepts a refused client because of a flood of clients', async () => {
    const [storage, window] = [processes[0] as FishStorage, { durationMs: 300_000, limit: 2, now: Date.now() }]
    const { windows, names } = neighbours('flood', 4000)
    const [exhausted, flood] = [names.slice(0, 50), names.slice(50)]
    for (let round = 0; round < 3; round += 1) await countAll(exhausted, window)
    await countAll(flood, window)
    expect(await server.admin.hlen(windows)).toBeLessThanOrEqual(Math.ceil(100_000 / 64))
    for (const name of exhausted) expect((await storage.countInWindow(name, window)).count).toBe(3)
    expect((await storage.countInWindow('another kind:client', window)).count).toBe(1)
  })

  test('treats a new client as exhausted while the capacity is exhausted, even in a peek, which counts nothing', async () => {
    const [storage, window] = [processes[0] as FishStorage, { durationMs: 300_000, limit: 1, now: Date.now() }]
    const { names } = neighbours('crowd', 1800)
    await countAll(names.slice(0, 1700), window)
    const refused = { count: 2, resetAt: window.now + window.durationMs }
    for (const name of names.slice(1700)) {
      expect(await storage.countInWindow(name, window)).toEqual(refused)
      expect(await storage.peekWindow(name, window)).toEqual(refused)
    }
    const later = { ...window, now: window.now + window.durationMs }
    for (const name of names.slice(1700)) expect((await storage.countInWindow(name, later)).count).toBe(1)
  })

  test('deletes expired windows while new windows open', async () => {
    const window = { durationMs: 1000, limit: 25, now: 10_000_000 }
    const { windows, names } = neighbours('swept', 2000)
    await countAll(names.slice(0, 1000), window)
    await countAll(names.slice(1000), { ...window, now: window.now + 1000 })
    expect(await server.admin.hlen(windows)).toBeLessThanOrEqual(1010)
  })

  test('opens a new window if the clock is set back far, and keeps the window if the clock is set back a little', async () => {
    const window = { durationMs: 1000, limit: 3, now: 10_000_000 }
    await processes[0]?.countInWindow('back', window)
    expect(await processes[1]?.countInWindow('back', { ...window, now: window.now - 900 })).toMatchObject({
      count: 2,
    })
    const later = await processes[2]?.countInWindow('back', { ...window, now: window.now - 60_000 })
    expect(later).toEqual({ count: 1, resetAt: window.now - 59_000 })
  })

  test('stores each of 200 tokens only once, although two processes send all tokens four times', async () => {
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
    for (const storage of processes) expect(await readNames(storage, collection)).toHaveLength(200)
  })

  test('shows the writes and removals of one process to another process immediately', async () => {
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
