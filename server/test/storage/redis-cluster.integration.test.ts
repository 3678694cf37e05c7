import { createStorage, type FishStorage, itemKey } from '@fish-crab/server/storage'
import { describeStorage } from '@fish-crab/server/storage/conformance'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { describeWithRedis, type RedisServer, startCluster, until } from '../../../scripts/test-support/redis-server.ts'
import { newCollection, newRecord, readNames, talliesOf } from '../storage-suite/samples.ts'

/** A long timeout, since the common storage tests do not test a slow Redis. */
const UNHURRIED_MS = 60_000

describeWithRedis('a Redis Cluster', () => {
  let servers: readonly RedisServer[] = []
  beforeAll(async () => {
    servers = await startCluster()
  })
  afterAll(() => Promise.all(servers.map((server) => server.stop())))
  const open = (timeoutMs?: number) =>
    createStorage({
      driver: 'redis-cluster',
      nodes: servers.map(({ port }) => ({ host: '127.0.0.1', port })),
      ...(timeoutMs ? { timeoutMs } : {}),
    })

  describeStorage('redis-cluster', async () => {
    const storage = await open(UNHURRIED_MS)
    const reopen = async () => {
      await storage.dispose()
      return open(UNHURRIED_MS)
    }
    return { storage, reopen }
  })
  test('distributes owners and items over all servers', async () => {
    const storage = await open()
    onTestFinished(() => storage.dispose())
    await Promise.all(Array.from({ length: 60 }, () => storage.append(newCollection(), newRecord())))
    await Promise.all(Array.from({ length: 60 }, (_, i) => storage.items.setItem(itemKey(`base${i}`, 'a'), 'x')))
    for (const { admin } of servers) {
      expect((await admin.keys('fish:{*}:owner:*:records:*')).length).toBeGreaterThan(5)
      expect((await admin.keys('fish:item:{base*')).length).toBeGreaterThan(5)
    }
    expect((await storage.items.getKeys()).filter((key) => key.startsWith('base'))).toHaveLength(60)
  })

  test('reports the durability of its least durable server', async () => {
    const careful = await open()
    onTestFinished(() => careful.dispose())
    expect(careful.durability).toMatch(/survives a crash and a power loss/)
    expect(careful.warnings).toEqual([])

    const careless = servers.slice(1)
    const sync = (how: string) => Promise.all(careless.map(({ admin }) => admin.config('SET', 'appendfsync', how)))
    onTestFinished(async () => void (await sync('always')))
    await sync('everysec')
    const storage = await open()
    onTestFinished(() => storage.dispose())
    expect(storage.durability).toMatch(/up to two seconds/)
    expect(storage.warnings).toEqual([])
  })

  test('leaves no partial write while the keys of an owner move to another server', async () => {
    const storage = await open()
    onTestFinished(() => storage.dispose())
    const collection = newCollection({ kind: 'moved' })
    const records = [newRecord(), newRecord(), newRecord()] as const
    await storage.append(collection, records[0])
    const counts = async () => [
      (await readNames(storage, collection)).length,
      (await talliesOf(storage, 'moved'))[0]?.count,
      (await storage.leaders({ kind: 'moved', limit: 1 }))[0]?.count,
      (await storage.leaders({ kind: 'moved', gamemode: 'earth', limit: 1 }))[0]?.count,
    ]
    expect(await counts()).toEqual([1, 1, 1, 1])

    const found = await Promise.all(servers.map(({ admin }) => admin.keys(`fish:*:owner:${collection.owner}:about`)))
    const [about = ''] = found.flat()
    const source = servers[found.findIndex(([key]) => key !== undefined)] as RedisServer
    const target = servers.find((server) => server !== source) as RedisServer
    const slot = await source.admin.cluster('KEYSLOT', about)
    const ids = await Promise.all([source, target].map(({ admin }) => admin.cluster('MYID')))
    const move = async (isMoved: (key: string) => boolean) => {
      const keys = (await source.admin.cluster('GETKEYSINSLOT', slot, 1000)).filter(isMoved)
      await source.admin.call('MIGRATE', '127.0.0.1', target.port, '', 0, 5000, 'KEYS', ...keys)
    }
    await target.admin.cluster('SETSLOT', slot, 'IMPORTING', String(ids[0]))
    await source.admin.cluster('SETSLOT', slot, 'MIGRATING', String(ids[1]))
    await move((key) => key.includes(':leaders:moved'))
    const refused = [
      () => storage.append(collection, records[1]),
      () => storage.removeRecord(collection, records[0].id),
    ]
    for (const write of refused) await expect(write()).rejects.toMatchObject({ code: 'unavailable' })
    await move(() => true)
    for (const { admin } of [target, source, ...servers]) await admin.cluster('SETSLOT', slot, 'NODE', String(ids[1]))

    await expect
      .poll(() => storage.append(collection, records[1]).catch(String), { timeout: 20_000 })
      .toEqual({
        outcome: 'stored',
        id: records[1].id,
      })
    await storage.append(collection, records[2])
    expect(await storage.removeRecord(collection, records[0].id)).toMatchObject({ count: 1 })
    expect(await counts()).toEqual([2, 2, 2, 2])
  })

  test('never exceeds a limit of 25 that several processes share', async () => {
    const processes = await Promise.all([open(), open(), open(), open()])
    onTestFinished(async () => void (await Promise.all(processes.map((one) => one.dispose()))))
    const window = { durationMs: 300_000, limit: 25, now: Date.now() }
    const counts = processes.flatMap((one) => Array.from({ length: 100 }, () => one.countInWindow('shared', window)))
    expect((await Promise.all(counts)).filter(({ count }) => count <= 25)).toHaveLength(25)
  })

  describe.each(['freeze', 'kill'] as const)('when one server fails (%s)', (failure) => {
    const responses = (storage: FishStorage) => () =>
      storage.ping().then(
        () => true,
        () => false,
      )

    test('refuses operations during the outage, and works again by itself with all acknowledged records', async () => {
      const [storage, collections] = [await open(2000), Array.from({ length: 40 }, () => newCollection())]
      onTestFinished(() => storage.dispose())
      const append = (token: string) =>
        Promise.allSettled(
          collections.map((one) => storage.append(one, newRecord({ dedupeKey: token, entries: [token] }))),
        )
      expect((await append('before')).filter(({ status }) => status === 'rejected')).toEqual([])

      const victim = servers[1] as RedisServer
      await victim[failure]()
      const during = await append('during')
      expect(during.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
      for (const each of during) {
        if (each.status === 'rejected') expect(each.reason).toMatchObject({ name: 'StorageError', code: 'unavailable' })
      }
      await expect(storage.ping()).rejects.toMatchObject({ code: 'unavailable' })

      await (failure === 'freeze' ? victim.thaw() : victim.start())
      await until(responses(storage))
      await until(async () => (await append('during')).every(({ status }) => status === 'fulfilled'))
      for (const one of collections) expect(await readNames(storage, one)).toEqual(['before', 'during'])
    })
  })
})
