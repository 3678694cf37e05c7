import { LIMITS, type PublicLeaderboard, publicLeaderboardQuerySchema, type User } from '@fish-crab/sdk/contract'
import type { Leader, LeaderRange } from '../../storage/core/types.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { queryReader } from '../http/request.ts'
import { json } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { isVisible } from '../users/users.ts'
import type { Services } from './services.ts'

export const DEFAULT_LEADERS = 10

/**
 * Maximum number of concurrent lookups of names. A storage refuses operations while too many operations are waiting.
 */
const NAMES_AT_ONCE = 32

/** Finds the players with the most catches, without players who were deleted meanwhile. */
export type FindLeaders = (range: LeaderRange, signal: AbortSignal) => Promise<PublicLeaderboard['leaderboard']>

/**
 * Creates a function that reads each leaderboard once for all concurrent requests, because it counts all players.
 * @param isListed whether a player is on the leaderboard @default always
 */
export function createFindLeaders(
  { storage, users }: Pick<Services, 'storage' | 'users'>,
  isListed: (user: User) => boolean = () => true,
): FindLeaders {
  const share = createSharedWork<string, readonly Leader[]>()
  return async ({ kind, gamemode, limit }, signal) => {
    const read = () => storage.leaders({ kind, gamemode, limit: LIMITS.pageSize })
    const leaders = await share(JSON.stringify([kind, gamemode]), signal, read)
    const leaderboard: PublicLeaderboard['leaderboard'] = []
    for (let at = 0; at < leaders.length && leaderboard.length < limit; ) {
      const some = leaders.slice(at, at + Math.min(NAMES_AT_ONCE, limit - leaderboard.length))
      at += some.length
      const found = await Promise.all(some.map(({ owner }) => users.findById(owner)))
      for (const [index, { count }] of some.entries()) {
        const user = found[index]
        if (user && isListed(user)) leaderboard.push({ name: user.name, count })
      }
    }
    return leaderboard
  }
}

const readQuery = queryReader(publicLeaderboardQuerySchema)

export function publicLeaderboardHandler(services: Services): Handler {
  const findLeaders = createFindLeaders(services, (user) => isVisible(user))
  return async ({ query, site, request: { signal } }) => {
    const { kind, gamemode, limit = DEFAULT_LEADERS } = readQuery(query)
    services.gamemodes.check(gamemode, 'invalid_query', 'gamemode')
    const work = () => findLeaders({ kind, gamemode, limit }, signal)
    const leaderboard = await services.readQueue.run({ client: site, signal, work })
    return json(200, { leaderboard } satisfies PublicLeaderboard)
  }
}
