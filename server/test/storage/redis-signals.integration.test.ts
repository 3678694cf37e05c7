import { type Change, createStorage, type FishStorage } from '@fish-crab/server/storage'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { describeWithRedis, type RedisServer, startRedis } from '../../../scripts/test-support/redis-server.ts'
import { startWire } from '../../../scripts/test-support/wire.ts'
import { newCollection, newRecord, readNames } from '../storage-suite/samples.ts'

describeWithRedis('signals of Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())

  async function open(url = server.url): Promise<FishStorage> {
    const storage = await createStorage({ driver: 'redis', url })
    onTestFinished(() => storage.dispose())
    return storage
  }

  /** Receives signals until the test ends. Settles when the first signal has arrived. */
  async function listen(storage: FishStorage) {
    const changes: (Change | undefined)[] = []
    onTestFinished(storage.onChange((change) => changes.push(change)))
    await expect.poll(() => changes).toEqual([undefined])
    return changes
  }

  const subscribers = async () => (await server.admin.pubsub('NUMSUB', 'fish:changes'))[1]

  test('reach other processes over one connection, which is open only while the storage has listeners', async () => {
    const [one, other] = [await open(), await open()]
    expect(await subscribers()).toBe(0)
    const changes = await listen(one)
    const stop = one.onChange(() => {})
    expect(await subscribers()).toBe(1)
    const collection = newCollection()
    await other.append(collection, newRecord())
    await expect.poll(() => changes).toContainEqual(collection)
    stop()
    expect(await subscribers()).toBe(1)
    await one.dispose()
    await expect.poll(subscribers).toBe(0)
  })

  test('arrive without a gap after the first signal, even for a listener that starts right after the previous listener stops', async () => {
    const storage = await open()
    for (let round = 0; round < 200; round += 1) {
      const collection = newCollection()
      const changes: (Change | undefined)[] = []
      const stop = storage.onChange((change) => changes.push(change))
      const probe = { ...collection, kind: 'probe' }
      while (!changes.some((change) => !change || change.owner === collection.owner)) {
        await storage.append(probe, newRecord())
      }
      await storage.append(collection, newRecord())
      await expect.poll(() => changes, { interval: 1, timeout: 2000 }).toContainEqual(collection)
      stop()
    }
  })

  test('arrive again after an outage of Redis, and the first signal reports that anything may have changed', async () => {
    const storage = await open()
    const changes = await listen(storage)
    await server.kill()
    await server.start()
    await expect.poll(() => changes, { timeout: 10_000 }).toEqual([undefined, undefined])
    const collection = newCollection()
    await expect
      .poll(
        () =>
          storage.append(collection, newRecord()).then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true)
    await expect.poll(() => changes).toContainEqual(collection)
  })

  test('arrive over a new connection if the old connection is dead but not closed', async () => {
    const wire = await startWire(server.port)
    const url = `redis://127.0.0.1:${wire.port}`
    const storage = await createStorage({ driver: 'redis', url, timeoutMs: 300 })
    onTestFinished(() => storage.dispose())
    const changes = await listen(storage)
    wire.cut()
    await expect.poll(() => changes, { timeout: 10_000 }).toEqual([undefined, undefined])
  })

  test('do not arrive for a user who lacks the permission for signals, but the writes of this user succeed', async () => {
    await server.admin.call('ACL', 'SETUSER', 'mute', 'reset', 'on', '>secret', '~fish:*', '+@all')
    const storage = await open(server.url.replace('//', '//mute:secret@'))
    const changes: unknown[] = []
    onTestFinished(storage.onChange((change) => changes.push(change)))
    const [collection, record] = [newCollection(), newRecord()]
    expect(await storage.append(collection, record)).toEqual({ outcome: 'stored', id: record.id })
    expect(await readNames(storage, collection)).toEqual([record.id])
    expect(await storage.removeRecord(collection, record.id)).toMatchObject({ count: 1 })
    await storage.removeOwner(collection.owner)
    expect(changes).toEqual([])
  })
})
