import { createStorage, type FishStorage, itemKey } from '@fish-crab/server/storage'
import { describeStorage } from '@fish-crab/server/storage/conformance'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { describeWithRedis, type RedisServer, startCluster, until } from '../../../scripts/test-support/redis-server.ts'
import { newCollection, newRecord, readEntries } from '../../src/storage-conformance/samples.ts'

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
    const storage = await open()
    const reopen = async () => {
      await storage.dispose()
      return open()
    }
    return { storage, reopen }
  })
  test('shares owners and items out over all servers', async () => {
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

  test('is as durable as the one of its servers that keeps the least', async () => {
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
    expect(storage.durability).toMatch(/the last two seconds/)
    expect(storage.warnings).toEqual([expect.stringMatching(/appendfsync everysec/)])
  })

  test('never counts a 26th time within a limit of 25 over several processes', async () => {
    const processes = await Promise.all([open(), open(), open(), open()])
    onTestFinished(async () => void (await Promise.all(processes.map((one) => one.dispose()))))
    const window = { durationMs: 300_000, limit: 25, now: Date.now() }
    const counts = processes.flatMap((one) => Array.from({ length: 100 }, () => one.countInWindow('shared', window)))
    expect((await Promise.all(counts)).filter(({ count }) => count <= 25)).toHaveLength(25)
  })

  describe.each(['freeze', 'kill'] as const)('when one of its servers fails (%s)', (failure) => {
    const responses = (storage: FishStorage) => () =>
      storage.ping().then(
        () => true,
        () => false,
      )

    test('fails while it is away, and works again by itself with all that was acknowledged', async () => {
      const [storage, collections] = [await open(2000), Array.from({ length: 40 }, () => newCollection())]
      onTestFinished(() => storage.dispose())
      const append = (token: string) =>
        Promise.allSettled(collections.map((one) => storage.append(one, newRecord({ dedupeKey: token, plain: token }))))
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
      for (const one of collections) expect(await readEntries(storage, one)).toEqual(['before', 'during'])
    })
  })
})
