import { GAMEMODES, type Leaderboard, leaderboardQuerySchema, RARITY_LABELS, type Stats } from '@fish-crab/sdk/contract'
import type { Tally } from '../../storage/core/types.ts'
import { queryReader } from '../http/request.ts'
import { json } from '../http/response.ts'
import type { AdminHandlers, Services } from './services.ts'

const readLeaderboardQuery = queryReader(leaderboardQuerySchema)

/** A storage refuses operations when too many of all requests wait. */
const NAMES_AT_ONCE = 32

export function statsHandlers({ users, storage }: Services): AdminHandlers {
  return {
    async stats() {
      const [count, tallies] = await Promise.all([users.count(), storage.tallies()])
      return json(200, statsOf(count, tallies))
    },

    async leaderboard({ query }) {
      const { type, gamemode, limit = 10 } = readLeaderboardQuery(query)
      const leaders = await storage.leaders({ kind: type, limit, ...(gamemode ? { gamemode } : {}) })
      const leaderboard: Leaderboard['leaderboard'] = []
      for (let at = 0; at < leaders.length; at += NAMES_AT_ONCE) {
        const some = leaders.slice(at, at + NAMES_AT_ONCE)
        const names = await Promise.all(some.map(({ owner }) => users.nameOf(owner)))
        for (const [index, { count }] of some.entries()) {
          const name = names[index]
          if (name !== undefined) leaderboard.push({ name, count })
        }
      }
      return json(200, { type, ...(gamemode ? { gamemode } : {}), leaderboard } satisfies Leaderboard)
    },
  }
}

function statsOf(users: number, tallies: readonly Tally[]): Stats {
  const sum = (matches: (tally: Tally) => boolean) =>
    tallies.filter(matches).reduce((total, { count }) => total + count, 0)
  const byGamemode = (kind: string) =>
    Object.fromEntries(
      GAMEMODES.map((gamemode) => [
        gamemode,
        sum((tally) => tally.kind === kind && tally.gamemode === gamemode && tally.label === null),
      ]),
    ) as Stats['crab']['byGamemode']
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
