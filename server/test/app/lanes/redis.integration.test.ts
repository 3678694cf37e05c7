import { afterAll, beforeAll } from 'vitest'
import { describeWithRedis } from '../../storage/redis-server.ts'
import { everyBehaviour } from '../behaviour/all.ts'
import { type RedisLane, startRedisLane } from './stored-worlds.ts'

describeWithRedis('on Redis', () => {
  let lane: RedisLane
  beforeAll(async () => {
    lane = await startRedisLane()
  })
  afterAll(() => lane.server.stop())
  everyBehaviour((options) => lane.open(options))
})
