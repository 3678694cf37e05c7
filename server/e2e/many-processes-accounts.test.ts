import { describeWithRedis } from '../../scripts/test-support/redis-server.ts'
import { startRedisBackend } from './fleet.ts'
import { shareFleet } from './shared.ts'
import { describeSharedAccounts } from './shared-accounts.ts'

const ENV = { FISH_PUBLIC_URL: 'https://fish.example', FISH_PUBLIC_LEADERBOARD: '1' }

describeWithRedis('two server processes over one Redis', () => {
  describeSharedAccounts(shareFleet(startRedisBackend, 2, ENV))
})
