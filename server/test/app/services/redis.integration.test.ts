import { afterAll, beforeAll } from 'vitest'
import { describeWithRedis } from '../../../../scripts/test-support/redis-server.ts'
import { everyBehaviour } from '../behaviour/all.ts'
import { type RedisServices, startRedisServices } from './stored-services.ts'

describeWithRedis('on Redis', () => {
  let openService: RedisServices
  beforeAll(async () => {
    openService = await startRedisServices()
  })
  afterAll(() => openService.server.stop())
  everyBehaviour((options) => openService.open(options), { runs: 10 })
})
