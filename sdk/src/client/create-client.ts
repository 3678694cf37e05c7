import { loadOnDemand } from '#on-demand'
import type { Kind } from '../contract/kinds.ts'
import type { Fernet } from '../fernet/index.ts'
import { type ClientOptions, resolveOptions } from './core/options.ts'
import type { AccountResource } from './resources/account.ts'
import { type CrabsResource, createCrabs, createFish, type FishResource } from './resources/catches.ts'
import { deferred } from './resources/deferred.ts'
import type { KeysResource } from './resources/keys.ts'
import type { GetLeaderboard } from './resources/leaderboard.ts'
import type { GetProfile } from './resources/profile.ts'
import { createDemo, createStatus, type DemoResource, type GetStatus } from './resources/service.ts'
import type { GetSpecies } from './resources/species.ts'
import type { Target } from './resources/target.ts'
import type { CaughtEntry, WatchOptions } from './resources/watch.ts'
import { createTransport } from './transport/transport.ts'

/**
 * A client for one service. The client's secrets do not appear if the client is logged or passed to `JSON.stringify`.
 */
export interface Client {
  /** Adds, lists and counts fish. */
  readonly fish: FishResource
  /** Adds, lists and counts crabs. */
  readonly crabs: CrabsResource
  /** The fixed sample collections of the service. */
  readonly demo: DemoResource
  /** Reads a player's Fernet key with name and password. */
  readonly keys: KeysResource
  /** Changes a player's account with name and password. */
  readonly account: AccountResource
  /**
   * The status of the service. @throws ServerError with code `unavailable` while the storage of the service is
   * unreachable; ConnectionError when the service does not respond.
   */
  readonly status: GetStatus
  /**
   * The players with the most catches, highest count first. @throws NotFoundError when the operator does not publish
   * the leaderboard (`FISH_PUBLIC_LEADERBOARD`); ValidationError, ApiError, ConnectionError.
   */
  readonly leaderboard: GetLeaderboard
  /**
   * Statistics of a player's catches in all gamemodes: totals, the rarest species, the latest catches, days and
   * streaks.
   *
   * @throws NotFoundError when no user has the name; ConflictError if a collection has over 10,000 species or days;
   *   ValidationError, ApiError, ConnectionError.
   * @example
   * const { total, rarest, streak } = await client.profile({ user: 'Alex' })
   */
  readonly profile: GetProfile
  /**
   * The species that players have caught, and how many players have each; most players first. The list is at most about
   * ten minutes old.
   *
   * @throws ServerError with code `unavailable` if the service takes more than 10 s to count; ValidationError, ApiError,
   *   ConnectionError.
   * @example
   * const { players, species } = await client.species({ gamemode: 'earth' })
   */
  readonly species: GetSpecies
  /**
   * Yields the catches of a user as the service stores them: all catches after `since`, or, if `since` is not given, only
   * new catches. Without a gamemode in the call or the client, yields the catches of all gamemodes. Yields each catch
   * once, and the catches of one kind and gamemode in order. Reconnects without
   * gaps or repeats. If proxies cut or delay streams, `watch` polls every 15 s instead. Opening a stream counts as one
   * request.
   *
   * @throws The signal's reason; errors that reconnecting cannot fix, such as NotFoundError when the user was deleted,
   * or BadRequestError with code `invalid_event_id` when `since` belongs to another collection or a backup was
   * restored; ConnectionError if the first connection fails; ValidationError.
   * @example
   * for await (const entry of client.watch({ user: 'Alex' })) console.log(entry.gamemode, entry.kind, entry.name)
   */
  watch<Watched extends Kind = Kind>(
    options?: WatchOptions<Watched>,
  ): AsyncGenerator<Extract<CaughtEntry, { readonly kind: Watched }>, void, undefined>
  /** The option `baseUrl`, without trailing slashes. */
  readonly baseUrl: string
  /** The defaults of calls: the options `user` and `gamemode`. */
  readonly defaults: Target
}

/**
 * Creates a client of the Fish and Crab Collection Service. Each client has its own connections; clients with the same
 * service and API key share a rate limiter. You need not close a client: open connections do not keep a process alive.
 *
 * Every call waits for the rate limit (see `maxWaitMs`), retries after connection errors (see `maxRetries`), and checks
 * the response.
 *
 * @throws ValidationError with every invalid option.
 * @example
 * const client = createClient({ user: 'Alex', fernetKey, gamemode: 'earth' })
 * await client.fish.add({ name: 'Salmon', rarity: 'Gold' })
 * const { fish } = await client.fish.list()
 */
export function createClient(options: ClientOptions = {}): Client {
  const settings = resolveOptions(options)
  const transport = createTransport(settings)
  let fernet: Promise<Fernet> | undefined
  const context = {
    transport,
    settings,
    // The Fernet code is loaded with the first write, since reads need no cryptography. The instance is reused, since
    // it caches the imported key.
    fernet: () => {
      fernet ??= openFernet(settings.fernetKey ?? '', settings.clock.now).catch((error: unknown) => {
        // Try again with the next write: a failed dynamic import may succeed later.
        fernet = undefined
        throw error
      })
      return fernet
    },
  }
  return Object.freeze<Client>({
    fish: createFish(context),
    crabs: createCrabs(context),
    async *watch(options = {}) {
      const { watchCatches } = await loadOnDemand()
      yield* watchCatches(context, options)
    },
    demo: createDemo(transport),
    keys: { get: (options) => deferred(({ getKey }) => getKey(transport, options)) },
    account: {
      changePassword: (options) => deferred(({ createAccount }) => createAccount(transport).changePassword(options)),
      rename: (options) => deferred(({ createAccount }) => createAccount(transport).rename(options)),
      setPublic: (options) => deferred(({ createAccount }) => createAccount(transport).setPublic(options)),
      delete: (options) => deferred(({ createAccount }) => createAccount(transport).delete(options)),
    },
    status: createStatus(transport, settings),
    leaderboard: (options) => deferred(({ getLeaderboard }) => getLeaderboard(transport, settings, options)),
    profile: (options) => deferred(({ getProfile }) => getProfile(transport, settings, options)),
    species: (options) => deferred(({ getSpecies }) => getSpecies(transport, settings, options)),
    baseUrl: settings.baseUrl,
    defaults: Object.freeze({ user: settings.user, gamemode: settings.gamemode }),
  })
}

async function openFernet(key: string, now: () => number): Promise<Fernet> {
  const { createFernet } = await import('../fernet/index.ts')
  return createFernet(key, { now })
}
