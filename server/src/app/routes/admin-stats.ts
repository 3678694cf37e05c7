import { type Gamemode, type Leaderboard, LIMITS, leaderboardQuerySchema, type Stats } from '@fish-crab/sdk/contract'
import type { Leader, Tally } from '../../storage/core/types.ts'
import { createRarityCounts } from '../catches/summary.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { queryReader } from '../http/request.ts'
import { json } from '../http/response.ts'
import { DEFAULT_LEADERS, findListed } from './leaderboard.ts'
import type { AdminHandlers, Services } from './services.ts'

const readLeaderboardQuery = queryReader(leaderboardQuerySchema)

export function statsHandlers(services: Services): AdminHandlers {
  const { users, storage, gamemodes } = services
  const share = createSharedWork<string, readonly Leader[]>()
  return {
    async stats() {
      const [count, tallies] = await Promise.all([users.count(), storage.tallies()])
      return json(200, statsOf(count, tallies, gamemodes.names))
    },

    async leaderboard({ query, request: { signal } }) {
      const { type, gamemode, limit = DEFAULT_LEADERS } = readLeaderboardQuery(query)
      gamemodes.check(gamemode, 'invalid_query', 'gamemode')
      // Counting all players is expensive, so concurrent requests share a count.
      const count = () => storage.leaders({ kind: type, gamemode, limit: LIMITS.pageSize })
      const leaders = await share(JSON.stringify([type, gamemode]), signal, count)
      const { found } = await findListed(services, leaders, limit)
      const leaderboard = found.map(({ user, row }) => ({ name: user.name, count: row.count }))
      return json(200, { type, ...(gamemode ? { gamemode } : {}), leaderboard } satisfies Leaderboard)
    },
  }
}

function statsOf(users: number, tallies: readonly Tally[], gamemodes: readonly Gamemode[]): Stats {
  const createCounts = () => {
    return { total: 0, byGamemode: Object.fromEntries(gamemodes.map((gamemode) => [gamemode, 0])) }
  }
  const [fish, crab, byRarity] = [createCounts(), createCounts(), createRarityCounts()]
  for (const { kind, gamemode, label, count } of tallies) {
    const counts = kind === 'fish' ? fish : crab
    if (kind === 'fish') byRarity.add(label, count)
    if (label !== null) continue
    counts.total += count
    if (gamemode in counts.byGamemode) counts.byGamemode[gamemode] = count
  }
  return { users, fish: { ...fish, byRarity: byRarity.counts }, crab }
}
