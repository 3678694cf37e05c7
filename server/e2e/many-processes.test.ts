import { describeWithRedis } from '../../scripts/test-support/redis-server.ts'
import { startRedisBackend } from './fleet.ts'
import { describeListeners } from './listeners.ts'
import { shareFleet } from './shared.ts'
import { describeSharedCaches } from './shared-caches.ts'
import { describeSharedCounts, describeSharedLogins } from './shared-counts.ts'
import { describeSharedMoves } from './shared-moves.ts'
import { describeSharedRemovals } from './shared-removals.ts'

describeWithRedis('four server processes over one Redis', () => {
  const shared = shareFleet(startRedisBackend, 4)
  describeSharedCounts(shared)
  describeSharedLogins(shared)
  describeSharedCaches(shared)
  describeSharedRemovals(shared)
  describeSharedMoves(shared)
  // The tests of listeners run last, since they replace processes.
  describeListeners(shared)
})
