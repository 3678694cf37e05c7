import { LIMITS, type PublicLeaderboard, publicLeaderboardQuerySchema } from '@fish-crab/sdk/contract'
import type { Leader, LeaderRange } from '../../storage/core/types.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { queryReader } from '../http/request.ts'
import { json } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import type { Services } from './services.ts'

export const DEFAULT_LEADERS = 10

/**
 * Maximum number of concurrent lookups of names. A storage refuses operations while too many operations are waiting.
 */
const NAMES_AT_ONCE = 32

/** Finds the players with the most catches, without players who were deleted meanwhile. */
export type FindLeaders = (range: LeaderRange, signal: AbortSignal) => Promise<PublicLeaderboard['leaderboard']>

/** Creates a function that reads each leaderboard once for all concurrent requests, because it counts all players. */
export function createFindLeaders({ storage, users }: Pick<Services, 'storage' | 'users'>): FindLeaders {
  const share = createSharedWork<string, readonly Leader[]>()
  return async ({ kind, gamemode, limit }, signal) => {
    const read = () => storage.leaders({ kind, gamemode, limit: LIMITS.pageSize })
    const leaders = (await share(JSON.stringify([kind, gamemode]), signal, read)).slice(0, limit)
    const leaderboard: PublicLeaderboard['leaderboard'] = []
    for (let at = 0; at < leaders.length; at += NAMES_AT_ONCE) {
      const some = leaders.slice(at, at + NAMES_AT_ONCE)
      const names = await Promise.all(some.map(({ owner }) => users.nameOf(owner)))
      for (const [index, { count }] of some.entries()) {
        const name = names[index]
        if (name !== undefined) leaderboard.push({ name, count })
      }
    }
    return leaderboard
  }
}

const readQuery = queryReader(publicLeaderboardQuerySchema)

export function publicLeaderboardHandler(services: Services): Handler {
  const findLeaders = createFindLeaders(services)
  return async ({ query, site, request: { signal } }) => {
    const { kind, gamemode, limit = DEFAULT_LEADERS } = readQuery(query)
    services.gamemodes.check(gamemode, 'invalid_query', 'gamemode')
    const work = () => findLeaders({ kind, gamemode, limit }, signal)
    const leaderboard = await services.readQueue.run({ client: site, signal, work })
    return json(200, { leaderboard } satisfies PublicLeaderboard)
  }
}
