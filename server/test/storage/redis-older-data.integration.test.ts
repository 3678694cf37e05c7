import { createStorage, type FishStorage, itemKey } from '@fish-crab/server/storage'
import { expect, onTestFinished, test } from 'vitest'
import {
  describeWithRedis,
  type RedisServer,
  startCluster,
  startRedis,
  until,
} from '../../../scripts/test-support/redis-server.ts'
import { newCollection, newRecord, readEntries } from '../../src/storage-conformance/samples.ts'

/** For a replica that shares its machine with much else, and is not to be late. */
const UNHURRIED_MS = 60_000

const older = (missing: number) => ({
  name: 'StorageError',
  code: 'replaced',
  message: expect.stringMatching(new RegExp(`older data .*at least ${missing} writes .*Restore .* or restart`)),
})

const responses = (storage: FishStorage) => () =>
  storage.ping().then(
    () => true,
    () => false,
  )

describeWithRedis('a Redis that comes back with older data of the same store', () => {
  const start = async (appendfsync: string): Promise<RedisServer> => {
    const server = await startRedis({ appendfsync, 'repl-diskless-sync-delay': '0' })
    onTestFinished(() => server.stop())
    return server
  }
  const open = async (
    { url }: RedisServer,
    options: { onDataLoss?: (message: string) => void; timeoutMs?: number } = {},
  ) => {
    const storage = await createStorage({ driver: 'redis', url, ...options })
    onTestFinished(() => storage.dispose())
    return storage
  }
  const append = async (storage: FishStorage, ...plain: string[]) => {
    const collection = newCollection()
    for (const each of plain) await storage.append(collection, newRecord({ entries: each }))
    return collection
  }
  /** Until the connection is back, whether anything is done with it or not. */
  const reached = (storage: FishStorage) =>
    until(() =>
      storage.ping().then(
        () => true,
        ({ code }) => code === 'replaced',
      ),
    )

  test('is not used for anything where acknowledged writes are to survive, until the newer data is back', async () => {
    const server = await start('always')
    const [storage, losses] = [await open(server), [] as string[]]
    const collection = await append(storage, 'old')
    const restoreOlder = server.copyData()
    await storage.append(collection, newRecord({ entries: 'new' }))
    await storage.items.setItem(itemKey('user', 'a'), 'x')
    await storage.removeOwner('nobody')
    const restoreNewer = server.copyData()

    await restoreOlder()
    await reached(storage)
    const operations: (() => Promise<unknown>)[] = [
      () => storage.ping(),
      () => storage.append(collection, newRecord()),
      () => readEntries(storage, collection),
      () => storage.items.getItem(itemKey('user', 'a')),
      () => storage.items.setItem(itemKey('user', 'a'), 'y'),
      () => storage.countInWindow('key', { durationMs: 1000, limit: 1, now: Date.now() }),
    ]
    for (const run of operations) await expect(run(), String(run)).rejects.toMatchObject(older(3))
    const restarted = await open(server, { onDataLoss: (message) => losses.push(message) })
    expect(await readEntries(restarted, collection)).toEqual(['old'])

    await restoreNewer()
    await until(responses(storage))
    expect(await readEntries(storage, collection)).toEqual(['old', 'new'])
    expect(losses).toEqual([])
  })

  test('is noticed before the first operation after the reconnect reads or writes anything', async () => {
    const server = await start('always')
    const storage = await open(server)
    await append(storage, 'old')
    const restoreOlder = server.copyData()
    await storage.items.setItem(itemKey('user', 'a'), 'x')
    await restoreOlder()
    await until(async () => {
      const response = await storage.items.getItem(itemKey('user', 'a')).catch((error: unknown) => error)
      expect(response).not.toBeNull()
      return (response as { code?: string }).code === 'replaced'
    })
  })

  test('is noticed when the data is exchanged under a standing connection', async () => {
    const server = await start('always')
    const storage = await open(server)
    await append(storage, 'old')
    const kept = await Promise.all(
      (await server.admin.keys('*')).map(async (key) => [key, await server.admin.dumpBuffer(key)] as const),
    )
    const collection = await append(storage, 'new', 'newer')
    await server.admin.flushall()
    for (const [key, dump] of kept) await server.admin.restore(key, 0, dump)
    await expect(storage.append(collection, newRecord())).rejects.toMatchObject(older(1))
    await expect(readEntries(storage, collection)).rejects.toMatchObject(older(1))
  })

  test('is not changed where it was emptied under a standing connection', async () => {
    const server = await start('always')
    const storage = await open(server)
    const collection = await append(storage, 'old')
    await storage.items.setItem(itemKey('user', 'a'), 'x')
    await server.admin.flushall()
    const changes: (() => Promise<unknown>)[] = [
      () => storage.append(collection, newRecord()),
      () => storage.removeOwner(collection.owner),
      () => storage.items.setItem(itemKey('user', 'a'), 'y'),
      () => storage.setItemIfAbsent(itemKey('user', 'b'), 'z'),
    ]
    for (const change of changes) {
      await expect(change(), String(change)).rejects.toMatchObject({
        code: 'replaced',
        message: expect.stringMatching(/was emptied or replaced\. Restore/),
      })
    }
    expect(await server.admin.dbsize()).toBe(0)
  })

  test('is reported once, with how much is missing, where Redis may lose what it acknowledged', async () => {
    const server = await start('everysec')
    const losses: string[] = []
    const storage = await open(server, { onDataLoss: (message) => losses.push(message) })
    const collection = await append(storage, 'old')
    await until(async () => /aof_pending_bio_fsync:0/.test(await server.admin.info('persistence')))
    const restoreOlder = server.copyData()
    for (let i = 0; i < 5; i += 1) await storage.append(collection, newRecord({ entries: 'new' }))
    await restoreOlder()
    await until(responses(storage))
    expect(losses).toEqual([expect.stringMatching(/without writes .*at least 5\).*appendfsync always/)])
    expect(await readEntries(storage, collection)).toEqual(['old'])
    await storage.append(collection, newRecord({ entries: 'after' }))
    await storage.ping()
    expect(await readEntries(storage, collection)).toEqual(['old', 'after'])
    expect(losses).toHaveLength(1)
  })

  test('is noticed as well where writes wait for a replica', async () => {
    const server = await start('always')
    const replica = await startRedis({ replicaof: `127.0.0.1 ${server.port}` })
    onTestFinished(() => replica.stop())
    await until(async () => /state=online/.test(await server.admin.info('replication')))
    const storage = await open(server, { timeoutMs: UNHURRIED_MS })
    const collection = await append(storage, 'old')
    const restoreOlder = server.copyData()
    await storage.append(collection, newRecord({ entries: 'new' }))
    await restoreOlder()
    await reached(storage)
    await expect(readEntries(storage, collection)).rejects.toMatchObject(older(1))
    await expect(storage.append(collection, newRecord())).rejects.toMatchObject(older(1))
  })

  test('is not suspected of one that lost nothing, or that was emptied and filled again', async () => {
    const server = await start('always')
    const losses: string[] = []
    const [storage, other] = [await open(server), await open(server, { onDataLoss: (message) => losses.push(message) })]
    const collection = await append(storage, 'a', 'b')
    await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? storage : other).append(collection, newRecord())))
    await server.kill()
    await server.start()
    await until(responses(storage))
    await until(responses(other))
    expect(await readEntries(storage, collection)).toHaveLength(52)

    await server.admin.flushall()
    await until(async () => !(await responses(storage)()))
    await (await open(server)).items.setItem(itemKey('user', 'a'), 'x')
    await until(responses(storage))
    expect(await storage.items.getItem(itemKey('user', 'a'))).toBe('x')
    expect(losses).toEqual([])
  })
})

describeWithRedis('a node of a Redis Cluster that was emptied', () => {
  test('is noticed by a ping, after which nothing is read or written until its data is back', async () => {
    const servers = await startCluster()
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))))
    const nodes = servers.map(({ port }) => ({ host: '127.0.0.1', port }))
    const storage = await createStorage({ driver: 'redis-cluster', nodes })
    onTestFinished(() => storage.dispose())
    const collections = Array.from({ length: 40 }, () => newCollection())
    for (const collection of collections) await storage.append(collection, newRecord())
    await storage.ping()
    const { admin } = servers[0] as RedisServer
    const kept = await Promise.all(
      (await admin.keys('*')).map(async (key) => [key, await admin.dumpBuffer(key)] as const),
    )
    await admin.flushall()
    const replaced = { code: 'replaced', message: expect.stringMatching(/was emptied or replaced/) }
    await until(() =>
      storage.ping().then(
        () => false,
        ({ code }) => code === 'replaced',
      ),
    )
    for (const collection of collections) {
      await expect(storage.version(collection)).rejects.toMatchObject(replaced)
      await expect(storage.append(collection, newRecord())).rejects.toMatchObject(replaced)
    }
    for (const [key, dump] of kept) await admin.restore(key, 0, dump, 'REPLACE')
    await until(responses(storage))
    for (const collection of collections) await storage.append(collection, newRecord())
  })
})

describeWithRedis('a node of a Redis Cluster that lost the first changes of some players', () => {
  test('is used as one that lost any other changes, by pings and by writes', async () => {
    const servers = await startCluster()
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))))
    for (const { admin } of servers) await admin.config('SET', 'appendfsync', 'everysec')
    const nodes = servers.map(({ port }) => ({ host: '127.0.0.1', port }))
    for (const use of ['pings', 'writes']) {
      const losses: string[] = []
      const onDataLoss = (message: string) => void losses.push(message)
      const storage = await createStorage({ driver: 'redis-cluster', nodes, onDataLoss })
      onTestFinished(() => storage.dispose())
      const collections = Array.from({ length: 80 }, () => newCollection())
      for (const collection of collections) await storage.append(collection, newRecord())
      const counts = (
        await Promise.all(servers.map(async ({ admin }) => ({ admin, keys: await admin.keys('fish:writes:*') })))
      ).find(({ keys }) => keys.length > 4)
      for (const key of counts?.keys.slice(2) ?? []) await counts?.admin.del(key)
      if (use === 'pings') await until(async () => (await responses(storage)()) && losses.length > 0)
      for (const collection of collections) await storage.append(collection, newRecord())
      expect(losses, use).toEqual([expect.stringMatching(/without writes that it acknowledged/)])
    }
  })
})

describeWithRedis('a node of a Redis Cluster that comes back with older data', () => {
  test('is noticed by a ping, and by the next write to it', async () => {
    const servers = await startCluster()
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))))
    const nodes = servers.map(({ port }) => ({ host: '127.0.0.1', port }))
    const opened = await Promise.all([1, 2].map(() => createStorage({ driver: 'redis-cluster', nodes })))
    onTestFinished(async () => void (await Promise.all(opened.map((storage) => storage.dispose()))))
    const collections = Array.from({ length: 40 }, () => newCollection())
    const appendAll = (storage: FishStorage) =>
      Promise.allSettled(collections.map((collection) => storage.append(collection, newRecord())))
    const [pinged, written] = opened as [FishStorage, FishStorage]
    await appendAll(pinged)
    await appendAll(written)
    const [victim] = servers as [RedisServer]
    const restoreOlder = victim.copyData()
    await appendAll(pinged)
    await appendAll(written)
    await restoreOlder()
    await until(async () => {
      const error: unknown = await pinged.ping().catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(Error)
      return (error as { code?: string }).code === 'replaced'
    })
    await until(async () =>
      (await appendAll(written)).some((one) => one.status === 'rejected' && one.reason.code === 'replaced'),
    )
    for (const collection of collections) {
      await expect(written.version(collection)).rejects.toMatchObject({ code: 'replaced' })
    }
  })
})
