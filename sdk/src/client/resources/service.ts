import type { Gamemode } from '../../contract/gamemodes.ts'
import type { Kind } from '../../contract/kinds.ts'
import { LIMITS } from '../../contract/limits.ts'
import { PUBLIC_ROUTES } from '../../contract/routes.ts'
import type { CrabCollection, FishCollection, PublicLeaderboard, Status } from '../../contract/schemas.ts'
import { type Issue, throwIssues } from '../../errors/fish-crab-error.ts'
import { assertCallOptions, type CallOptions } from '../core/call-options.ts'
import type { Settings } from '../core/options.ts'
import {
  crabCollectionShape,
  fishCollectionShape,
  publicLeaderboardShape,
  statusShape,
} from '../shapes/shapes.generated.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/transport.ts'
import { checkGamemode, checkLimit } from './catch-input.ts'

/** Reads the status of the service. For 5 minutes, calls check gamemodes against those that it lists. */
export type GetStatus = (options?: CallOptions) => ApiPromise<Status & ResponseMeta>

type ServiceSettings = Pick<Settings, 'knownGamemodes'>

export function createStatus(transport: Transport, { knownGamemodes }: ServiceSettings): GetStatus {
  return (options = {}) =>
    call(
      transport,
      () => {
        assertCallOptions(options)
        // A 503 is the current status, so there is nothing to retry.
        return { route: PUBLIC_ROUTES.status, options: { maxRetries: 0, ...options } }
      },
      statusShape,
      knownGamemodes.learn,
    )
}

/** Options of `leaderboard`. */
interface PublicLeaderboardOptions extends CallOptions {
  /** Counts fish or crabs. */
  readonly kind: Kind
  /** @default all gamemodes together */
  readonly gamemode?: Gamemode | undefined
  /** Number of places, 1 to 100. @default 10 */
  readonly limit?: number | undefined
}

/** Reads who has caught the most. */
export type GetLeaderboard = (options: PublicLeaderboardOptions) => ApiPromise<PublicLeaderboard & ResponseMeta>

export function createLeaderboard(transport: Transport, { knownGamemodes }: ServiceSettings): GetLeaderboard {
  return (options) =>
    call(
      transport,
      () => {
        assertCallOptions(options)
        const { kind, gamemode, limit } = options
        const issues: Issue[] = []
        if (gamemode !== undefined) checkGamemode(gamemode, knownGamemodes, issues)
        checkLimit(limit, LIMITS.publicLeaders, issues)
        throwIssues(issues)
        return { route: PUBLIC_ROUTES.getLeaderboard, query: { kind, gamemode, limit }, options }
      },
      publicLeaderboardShape,
    )
}

/** Sample collections of every service, to try a client without a user. */
export interface DemoResource {
  /**
   * Fish of all seven rarities.
   *
   * @throws ApiError, ConnectionError.
   * @example
   * const { fish } = await client.demo.fish()
   */
  fish(options?: CallOptions): ApiPromise<FishCollection & ResponseMeta>
  /**
   * Crabs.
   *
   * @throws ApiError, ConnectionError.
   * @example
   * const { crab } = await client.demo.crabs()
   */
  crabs(options?: CallOptions): ApiPromise<CrabCollection & ResponseMeta>
}

export function createDemo(transport: Transport): DemoResource {
  return {
    fish: (options = {}) => call(transport, () => ({ route: PUBLIC_ROUTES.demoFish, options }), fishCollectionShape),
    crabs: (options = {}) => call(transport, () => ({ route: PUBLIC_ROUTES.demoCrab, options }), crabCollectionShape),
  }
}
