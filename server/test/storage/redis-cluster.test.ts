import { createStorage } from '@fish-crab/server/storage'
import { afterAll, beforeAll } from 'vitest'
import { describeStorage } from './conformance.ts'
import { describeWithRedis, type RedisServer, startCluster } from './redis-server.ts'

describeWithRedis('a Redis Cluster', () => {
  let servers: readonly RedisServer[] = []
  beforeAll(async () => {
    servers = await startCluster()
  })
  afterAll(() => Promise.all(servers.map((server) => server.stop())))
  const open = () =>
    createStorage({ driver: 'redis-cluster', nodes: servers.map(({ port }) => ({ host: '127.0.0.1', port })) })

  describeStorage('redis-cluster', async () => {
    const storage = await open()
    const reopen = async () => {
      await storage.dispose()
      return open()
    }
    return { storage, reopen }
  })
})
