import { afterAll, beforeAll } from 'vitest'
import { describeWithRedis } from '../../../../scripts/test-support/redis-server.ts'
import { storedBehaviour } from '../behaviour/all.ts'
import { pagingBehaviour } from '../behaviour/paging.ts'
import { rateLimitBehaviour } from '../behaviour/rate-limit.ts'
import { writesBehaviour } from '../behaviour/writes.ts'
import type { OpenService } from '../test-service.ts'
import { type RedisServices, startRedisServices } from './stored-services.ts'

describeWithRedis('on Redis', () => {
  let openService: RedisServices
  beforeAll(async () => {
    openService = await startRedisServices()
  })
  afterAll(() => openService.server.stop())
  // Not all of it: what no storage changes is tested in memory and over a socket, and what Redis alone can get wrong in
  // the conformance suite of the storage.
  const open: OpenService = (options) => openService.open(options)
  storedBehaviour(open)
  pagingBehaviour(open)
  rateLimitBehaviour(open)
  writesBehaviour(open)
})
