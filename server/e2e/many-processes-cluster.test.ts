import { describeWithRedis } from '../../scripts/test-support/redis-server.ts'
import { startClusterBackend } from './fleet.ts'
import { describeListeners } from './listeners.ts'
import { shareFleet } from './shared.ts'
import { describeSharedCaches } from './shared-caches.ts'
import { describeSharedCounts } from './shared-counts.ts'
import { describeSharedMoves } from './shared-moves.ts'
import { describeSharedRemovals } from './shared-removals.ts'

describeWithRedis('two server processes over a Redis Cluster', () => {
  const shared = shareFleet(startClusterBackend, 2)
  describeSharedCounts(shared)
  describeSharedCaches(shared)
  describeSharedRemovals(shared)
  describeSharedMoves(shared)
})

describeWithRedis('four server processes over a Redis Cluster', () => {
  describeListeners(shareFleet(startClusterBackend, 4))
})
