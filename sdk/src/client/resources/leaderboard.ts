import type { Gamemode } from '../../contract/gamemodes.ts'
import type { Kind } from '../../contract/kinds.ts'
import {
  ALL_TIME,
  LEADERBOARD_FIGURES,
  type LeaderboardFigure,
  leaderboardIssue,
  MONTH_PATTERN,
} from '../../contract/leaderboards.ts'
import { LIMITS } from '../../contract/limits.ts'
import { PUBLIC_ROUTES } from '../../contract/routes.ts'
import type { PublicLeaderboard } from '../../contract/schemas.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'
import type { Settings } from '../core/options.ts'
import { CALL_OPTIONS, type CallOptions } from '../core/options.ts'
import { publicLeaderboardShape } from '../shapes/on-demand.generated.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/response.ts'
import { gamemodeIssue, limitIssue } from './target.ts'

/** Options of `leaderboard`. */
interface PublicLeaderboardOptions extends CallOptions {
  /** The kind of catch to count. */
  readonly kind: Kind
  /** @default all gamemodes together */
  readonly gamemode?: Gamemode | undefined
  /**
   * What to count: catches, species, or the fish of a rarity by its number. Crabs have no rarity.
   * @default 'catches'
   */
  readonly by?: LeaderboardFigure | undefined
  /**
   * `all`, or a UTC month such as `2026-11`. Species are not counted by month.
   * @default 'all'
   */
  readonly period?: string | undefined
  /** The player whose place the response contains as `you`. @default none */
  readonly user?: string | undefined
  /** Number of places, 1 to 100. @default 10 */
  readonly limit?: number | undefined
}

/** Reads the players with the highest counts. */
export type GetLeaderboard = (options: PublicLeaderboardOptions) => ApiPromise<PublicLeaderboard & ResponseMeta>

type Board = Pick<PublicLeaderboardOptions, 'kind' | 'by' | 'period'>

function boardIssue({ kind, by = 'catches', period = ALL_TIME }: Board): Issue | undefined {
  if (!LEADERBOARD_FIGURES.includes(by)) {
    return { path: 'by', message: `Must be one of ${LEADERBOARD_FIGURES.join(', ')}.` }
  }
  if (period !== ALL_TIME && !MONTH_PATTERN.test(period)) {
    return { path: 'period', message: 'Must be all or a month such as 2026-11.' }
  }
  const issue = leaderboardIssue({ kind, by, period })
  return issue && { path: issue.path, message: `${issue.message}.` }
}

export function getLeaderboard(
  transport: Transport,
  { knownGamemodes }: Pick<Settings, 'knownGamemodes'>,
  options: PublicLeaderboardOptions,
): ApiPromise<PublicLeaderboard & ResponseMeta> {
  return call(transport, {
    options,
    known: { ...CALL_OPTIONS, kind: 1, gamemode: 1, by: 1, period: 1, user: 1, limit: 1 },
    shape: publicLeaderboardShape,
    prepare: () => {
      const { kind, gamemode, by, period, user, limit } = options
      return {
        route: PUBLIC_ROUTES.getLeaderboard,
        query: { kind, gamemode, by, period, name: user, limit },
        issues: [
          boardIssue({ kind, by, period }),
          gamemode !== undefined && gamemodeIssue(gamemode, 'gamemode', knownGamemodes),
          limitIssue(limit, LIMITS.publicLeaders),
        ],
      }
    },
  })
}
