import {
  type Gamemode,
  type Leaderboard,
  leaderboardQuerySchema,
  RARITY_LABELS,
  type Stats,
} from '@fish-crab/sdk/contract'
import type { Tally } from '../../storage/core/types.ts'
import { queryReader } from '../http/request.ts'
import { json } from '../http/response.ts'
import { DEFAULT_LEADERS, namedLeaders } from './leaderboard.ts'
import type { AdminHandlers, Services } from './services.ts'

const readLeaderboardQuery = queryReader(leaderboardQuerySchema)

export function statsHandlers(services: Services): AdminHandlers {
  const { users, storage, gamemodes } = services
  return {
    async stats() {
      const [count, tallies] = await Promise.all([users.count(), storage.tallies()])
      return json(200, statsOf(count, tallies, gamemodes.names))
    },

    async leaderboard({ query }) {
      const { type, gamemode, limit = DEFAULT_LEADERS } = readLeaderboardQuery(query)
      gamemodes.check(gamemode, 'invalid_query', 'gamemode')
      const leaderboard = await namedLeaders(services, { kind: type, gamemode, limit })
      return json(200, { type, ...(gamemode ? { gamemode } : {}), leaderboard } satisfies Leaderboard)
    },
  }
}

function statsOf(users: number, tallies: readonly Tally[], gamemodes: readonly Gamemode[]): Stats {
  const sum = (matches: (tally: Tally) => boolean) =>
    tallies.filter(matches).reduce((total, { count }) => total + count, 0)
  const byGamemode = (kind: string) =>
    Object.fromEntries(
      gamemodes.map((gamemode) => [
        gamemode,
        sum((tally) => tally.kind === kind && tally.gamemode === gamemode && tally.label === null),
      ]),
    )
  const total = (kind: string) => sum((tally) => tally.kind === kind && tally.label === null)
  const byRarity = Object.fromEntries(
    RARITY_LABELS.map((label) => [label, sum((tally) => tally.kind === 'fish' && tally.label === label)]),
  ) as Stats['fish']['byRarity']
  return {
    users,
    fish: { total: total('fish'), byGamemode: byGamemode('fish'), byRarity },
    crab: { total: total('crab'), byGamemode: byGamemode('crab') },
  }
}
