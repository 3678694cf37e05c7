import { createStorage } from '@fish-crab/server/storage'
import { expect, onTestFinished, test } from 'vitest'
import {
  addReplicas,
  describeWithRedis,
  type RedisServer,
  startCluster,
  until,
} from '../../../scripts/test-support/redis-server.ts'
import { newCollection, newRecord, readNames } from '../storage-suite/samples.ts'

describeWithRedis('a Redis Cluster with a replica of each server', () => {
  test('loses no acknowledged write when a server dies under load and its replica takes over', async () => {
    const servers = await startCluster()
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))))
    const replicas = await addReplicas(servers)
    onTestFinished(async () => void (await Promise.all(replicas.map((server) => server.stop()))))
    const nodes = servers.map(({ port }) => ({ host: '127.0.0.1', port }))
    const storage = await createStorage({ driver: 'redis-cluster', nodes, timeoutMs: 1000, replicas: 1 })
    onTestFinished(() => storage.dispose())
    expect(storage.durability).toMatch(/acknowledged when 1 replica of its primary has it\.$/)
    expect(storage.warnings).toEqual([])
    const isReady = () =>
      storage.ping().then(
        () => true,
        () => false,
      )
    await until(isReady)

    const collections = Array.from({ length: 40 }, () => newCollection())
    const acknowledged = collections.map(() => [] as string[])
    const [victim, heir] = [servers[1] as RedisServer, replicas[1] as RedisServer]
    heir.freeze()
    const alone = await Promise.allSettled(collections.map((one) => storage.append(one, newRecord())))
    heir.thaw()
    const refused = alone.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThan(collections.length)
    for (const each of refused) expect(each).toMatchObject({ reason: { name: 'StorageError', code: 'unavailable' } })

    let isOver = false
    const load = collections.map(async (collection, index) => {
      for (let i = 0; !isOver; i += 1) {
        const [token, sent] = [`${index}-${i}`, acknowledged[index] ?? []]
        // Like a client, the test sends the same token again until the write is acknowledged.
        await until(async () => {
          const record = newRecord({ dedupeKey: token, entries: [token] })
          return (
            isOver ||
            storage.append(collection, record).then(
              () => sent.push(token) > 0,
              () => false,
            )
          )
        })
      }
    })
    const total = () => acknowledged.flat().length
    await until(async () => total() > 400)
    await victim.kill()
    await until(async () => /role:master/.test(await heir.admin.info('replication')))
    // The new primary has no replica until the old primary restarts as its replica.
    await victim.start()
    const before = acknowledged.map(({ length }) => length)
    await until(async () => acknowledged.every(({ length }, index) => length > (before[index] ?? 0) + 2))
    isOver = true
    await Promise.all(load)
    await until(isReady)
    for (const [index, collection] of collections.entries()) {
      const kept = await readNames(storage, collection)
      expect(new Set(kept).size).toBe(kept.length)
      expect(acknowledged[index]?.filter((token) => !kept.includes(token))).toEqual([])
    }
  })
})
