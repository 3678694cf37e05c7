import {
  ALL_TIME,
  isLeaderboard,
  LIMITS,
  type PublicLeaderboard,
  publicLeaderboardQuerySchema,
  type User,
} from '@fish-crab/sdk/contract'
import type { Board, Leaderboard } from '../../page-data.ts'
import { createStandings } from '../catches/standings.ts'
import { HttpError } from '../http/http-error.ts'
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

interface Found<Row> {
  readonly user: User
  readonly row: Row
}

/**
 * Finds the first players of a list, without players who were deleted meanwhile.
 * @param isListed whether to include a player @default always
 */
export async function findPlayers<Row extends { readonly owner: string }>(
  { users }: Pick<Services, 'users'>,
  rows: readonly Row[],
  limit: number,
  isListed: (user: User) => boolean = () => true,
): Promise<readonly Found<Row>[]> {
  const players: Found<Row>[] = []
  for (let at = 0; at < rows.length && players.length < limit; ) {
    const some = rows.slice(at, at + Math.min(NAMES_AT_ONCE, limit - players.length))
    at += some.length
    const found = await Promise.all(some.map(async (row) => ({ row, user: await users.findById(row.owner) })))
    for (const { row, user } of found) if (user && isListed(user)) players.push({ row, user })
  }
  return players
}

const readQuery = queryReader(publicLeaderboardQuerySchema)

/** The first players of a leaderboard. */
type Leaders = Pick<Leaderboard, 'leaders' | 'countedAt' | 'players'>

export function leaderboardHandlers(services: Services) {
  const { users, gamemodes } = services
  const isListed = (user: User) => isVisible(user)
  const read = createStandings({ ...services, listUsers: users.list, isCounted: isListed })

  async function readLeaders(board: Board, limit: number, signal: AbortSignal): Promise<Leaders> {
    const { countedAt, players, first } = await read(board, signal)
    const found = await findPlayers(services, first(LIMITS.pageSize), limit, isListed)
    const leaders = found.map(({ user, row: { count, rarest } }) => ({ name: user.name, count, rarest }))
    return { leaders, countedAt, players }
  }

  const getLeaderboard: Handler = async ({ query, request: { signal } }) => {
    const { kind, gamemode, by = 'catches', period = ALL_TIME, name, limit = DEFAULT_LEADERS } = readQuery(query)
    gamemodes.check(gamemode, 'invalid_query', 'gamemode')
    const board = { kind, by, gamemode, period }
    if (!isLeaderboard(board)) {
      const [path, message] =
        by === 'species' ? ['period', 'Must be all for species'] : ['by', 'Must be catches or species for crabs']
      throw new HttpError('invalid_query', { details: [{ path, message }] })
    }
    const { leaders } = await readLeaders(board, limit, signal)
    const user = name === undefined ? undefined : await users.find(name)
    const you = user && isListed(user) ? (await read(board, signal)).placeOf(user.id) : undefined
    return json(200, {
      leaderboard: leaders.map(({ name: player, count }) => ({ name: player, count })),
      ...(you ? { you } : {}),
    } satisfies PublicLeaderboard)
  }

  return { getLeaderboard, readLeaders }
}
