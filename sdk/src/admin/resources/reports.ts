import { type ApiPromise, call, type ResponseMeta } from '../../client/call.ts'
import type { CallOptions } from '../../client/call-options.ts'
import { ADMIN_ROUTES } from '../../contract/admin-routes.ts'
import type { Gamemode } from '../../contract/gamemodes.ts'
import type { Kind } from '../../contract/kinds.ts'
import type { Administrator, Leaderboard, Stats } from '../../contract/schemas/admin.ts'
import { gamemodeIssue, kindIssue, limitIssue, requireNone } from '../checks.ts'
import { administratorShape, leaderboardShape, statsShape } from '../shapes.generated.ts'
import type { AdminContext } from './admin-context.ts'

/** Which leaderboard. */
export interface LeaderboardOptions extends CallOptions {
  /** Whether fish or crabs count. */
  readonly type: Kind
  /** @default all gamemodes together */
  readonly gamemode?: Gamemode | undefined
  /** Places, 1 to 1000. @default 10 */
  readonly limit?: number | undefined
}

/** What can be asked about the service as a whole. */
export interface Reports {
  /**
   * Who this client is logged in as.
   *
   * @throws ApiError, ConnectionError.
   * @example
   * const { username, role } = await admin.me()
   */
  me(options?: CallOptions): ApiPromise<Administrator & ResponseMeta>
  /**
   * Counts of users, fish and crabs, by gamemode and by rarity.
   *
   * @throws ApiError, ConnectionError.
   * @example
   * const { users, fish } = await admin.stats()
   */
  stats(options?: CallOptions): ApiPromise<Stats & ResponseMeta>
  /**
   * Who has caught the most, best first.
   *
   * @throws ValidationError, ApiError, ConnectionError.
   * @example
   * const { leaderboard } = await admin.leaderboard({ type: 'fish', gamemode: 'earth', limit: 3 })
   */
  leaderboard(options: LeaderboardOptions): ApiPromise<Leaderboard & ResponseMeta>
}

/** `admin.me`, `admin.stats` and `admin.leaderboard`. */
export function createReports({ read }: AdminContext): Reports {
  return {
    me: (options = {}) => call(read, () => ({ route: ADMIN_ROUTES.adminMe, options }), administratorShape),
    stats: (options = {}) => call(read, () => ({ route: ADMIN_ROUTES.stats, options }), statsShape),
    leaderboard: ({ type, gamemode, limit, ...options }) =>
      call(
        read,
        () => {
          requireNone(kindIssue(type), gamemode !== undefined && gamemodeIssue(gamemode), limitIssue(limit))
          return { route: ADMIN_ROUTES.leaderboard, query: { type, gamemode, limit: limit?.toString() }, options }
        },
        leaderboardShape,
      ),
  }
}
