import {
  ALL_TIME,
  LIMITS,
  leaderboardIssue,
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

interface Listed<Row> {
  readonly found: readonly { readonly user: User; readonly row: Row }[]
  /** Rows of players who were deleted, or are not listed. */
  readonly missing: readonly Row[]
}

/**
 * Finds the first players of a list.
 * @param isListed whether to include a player @default always
 */
export async function findListed<Row extends { readonly owner: string }>(
  { users }: Pick<Services, 'users'>,
  rows: readonly Row[],
  limit: number,
  isListed: (user: User) => boolean = () => true,
): Promise<Listed<Row>> {
  const players: Listed<Row>['found'][number][] = []
  const missing: Row[] = []
  for (let at = 0; at < rows.length && players.length < limit; ) {
    const some = rows.slice(at, at + Math.min(NAMES_AT_ONCE, limit - players.length))
    at += some.length
    const found = await Promise.all(some.map(async (row) => ({ row, user: await users.findById(row.owner) })))
    for (const { row, user } of found) {
      if (user && isListed(user)) players.push({ row, user })
      else missing.push(row)
    }
  }
  return { found: players, missing }
}

const readQuery = queryReader(publicLeaderboardQuerySchema)

/** The first players of a leaderboard, and the place of the requested player. */
interface Leaders extends Pick<Leaderboard, 'leaders' | 'countedAt' | 'players'> {
  readonly you?: PublicLeaderboard['you']
}

interface LeadersOptions {
  /** Maximum number of players. */
  readonly limit: number
  /** The player whose place is `you`. @default none */
  readonly user?: User | undefined
}

export function leaderboardHandlers(services: Services) {
  const { users, gamemodes } = services
  const isListed = (user: User) => isVisible(user)
  const read = createStandings({ ...services, listUsers: users.list, isCounted: isListed })

  /** Reads the first players. Players among them who were deleted or hidden since the count do not count. */
  async function readLeaders(board: Board, { limit, user }: LeadersOptions, signal: AbortSignal): Promise<Leaders> {
    const { countedAt, players, first, placeOf } = await read(board, signal)
    const { found, missing } = await findListed(services, first(LIMITS.pageSize), limit, isListed)
    const leaders = found.map(({ user: { name }, row: { count, rarest } }) => ({ name, count, rarest }))
    const place = user && isListed(user) ? placeOf(user.id) : undefined
    const above = missing.filter(({ count }) => place && count > place.count)
    const you = place && { ...place, rank: place.rank - above.length }
    return { leaders, countedAt, players: players - missing.length, ...(you ? { you } : {}) }
  }

  const getLeaderboard: Handler = async ({ query, request: { signal } }) => {
    const { kind, gamemode, by = 'catches', period = ALL_TIME, name, limit = DEFAULT_LEADERS } = readQuery(query)
    gamemodes.check(gamemode, 'invalid_query', 'gamemode')
    const board = { kind, by, gamemode, period }
    const issue = leaderboardIssue(board)
    if (issue) throw new HttpError('invalid_query', { details: [issue] })
    const user = name === undefined ? undefined : await users.find(name)
    const { leaders, you } = await readLeaders(board, { limit, user }, signal)
    return json(200, {
      leaderboard: leaders.map(({ name: player, count }) => ({ name: player, count })),
      ...(you ? { you } : {}),
    } satisfies PublicLeaderboard)
  }

  return { getLeaderboard, readLeaders }
}
