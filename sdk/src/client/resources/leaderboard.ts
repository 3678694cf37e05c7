import type { Gamemode } from '../../contract/gamemodes.ts'
import type { Kind } from '../../contract/kinds.ts'
import { LIMITS } from '../../contract/limits.ts'
import { PUBLIC_ROUTES } from '../../contract/routes.ts'
import type { PublicLeaderboard } from '../../contract/schemas.ts'
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
  /** Number of places, 1 to 100. @default 10 */
  readonly limit?: number | undefined
}

/** Reads the players with the most catches. */
export type GetLeaderboard = (options: PublicLeaderboardOptions) => ApiPromise<PublicLeaderboard & ResponseMeta>

export function getLeaderboard(
  transport: Transport,
  { knownGamemodes }: Pick<Settings, 'knownGamemodes'>,
  options: PublicLeaderboardOptions,
): ApiPromise<PublicLeaderboard & ResponseMeta> {
  return call(transport, {
    options,
    known: { ...CALL_OPTIONS, kind: 1, gamemode: 1, limit: 1 },
    shape: publicLeaderboardShape,
    prepare: () => {
      const { kind, gamemode, limit } = options
      return {
        route: PUBLIC_ROUTES.getLeaderboard,
        query: { kind, gamemode, limit },
        issues: [
          gamemode !== undefined && gamemodeIssue(gamemode, 'gamemode', knownGamemodes),
          limitIssue(limit, LIMITS.publicLeaders),
        ],
      }
    },
  })
}
