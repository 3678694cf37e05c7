import type { Fernet } from '../fernet/index.ts'
import { type ClientOptions, readOptions } from './core/options.ts'
import type { Target } from './resources/catch-input.ts'
import { type CrabsResource, createCrabs, createFish, type FishResource } from './resources/catches.ts'
import { createKeys, type KeysResource } from './resources/keys.ts'
import { createDemo, createStatus, type DemoResource, type GetStatus } from './resources/service.ts'
import { createTransport } from './transport/transport.ts'

/** A client of one service. Holds its secrets where neither `JSON.stringify` nor a log of the object finds them. */
export interface Client {
  readonly fish: FishResource
  readonly crabs: CrabsResource
  readonly demo: DemoResource
  readonly keys: KeysResource
  /**
   * Whether the service is well. @throws ServerError with code `unavailable` while its storage is out of reach;
   * ConnectionError when it does not answer.
   */
  readonly status: GetStatus
  /** Address of the service: the option `baseUrl`, without slashes at its end. */
  readonly baseUrl: string
  /** Whose catches, in which gamemode, calls are about that do not say: the options `user` and `gamemode`. */
  readonly defaults: Target
}

/**
 * A client for the Fish and Crab Collection Service. Each has connections of its own; what the rate limit leaves,
 * clients of one service and credential share. There is nothing to close, and an idle client does not keep a process
 * alive.
 *
 * Every call waits out the rate limit (see `maxWaitMs`), tries again after lost answers (see `maxRetries`), and
 * checks the answer.
 *
 * @throws ValidationError that names every wrong option.
 * @example
 * const client = createClient({ user: 'Alex', fernetKey, gamemode: 'earth' })
 * await client.fish.add({ name: 'Salmon', rarity: 'Gold' })
 * const { fish } = await client.fish.list()
 */
export function createClient(options: ClientOptions = {}): Client {
  const settings = readOptions(options)
  const transport = createTransport(settings)
  let fernet: Promise<Fernet> | undefined
  const context = {
    transport,
    settings,
    // Loaded when something is first added: who only reads needs no cryptography. Kept, for the sake of its cached key.
    fernet: () => {
      fernet ??= openFernet(settings.fernetKey ?? '', settings.clock.now).catch((error: unknown) => {
        // A chunk that could not be loaded now may be there next time.
        fernet = undefined
        throw error
      })
      return fernet
    },
  }
  return Object.freeze({
    fish: createFish(context),
    crabs: createCrabs(context),
    demo: createDemo(transport),
    keys: createKeys(transport),
    status: createStatus(transport),
    baseUrl: settings.baseUrl,
    defaults: Object.freeze({ user: settings.user, gamemode: settings.gamemode }),
  })
}

async function openFernet(key: string, now: () => number): Promise<Fernet> {
  const { createFernet } = await import('../fernet/index.ts')
  return createFernet(key, { now })
}
