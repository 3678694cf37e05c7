import { LIMITS, userNameKey } from '@fish-crab/sdk/contract'
import {
  type App,
  type AppOptions,
  createApp,
  createMemoryStorage,
  createPlatformEncoder,
  type FishStorage,
  forwardedAddress,
} from '@fish-crab/server/app'
import { socketAddress } from './address.ts'
import { plainPasswords } from './passwords.ts'
import { type PlantedUser, plant } from './plant.ts'
import { seededRandom } from './random.ts'
import { SEEDED_AT, type Seed } from './seed.ts'
import { type Tap, tapStorage } from './tap.ts'

/** The limits of a world. */
export interface MockLimits {
  /** Requests per client and window on the public endpoints. @default 25 */
  readonly requests?: number
  /** Length of that window, in seconds. @default 300 */
  readonly windowSeconds?: number
  /** Requests per administrator and window. @default 300 */
  readonly adminRequests?: number
  /** Length of that window, in seconds. @default 300 */
  readonly adminWindowSeconds?: number
  /** How old a token may be, in seconds. @default any age */
  readonly tokenTtlSeconds?: number
}

/** What {@link openService} takes. */
export interface ServiceOptions {
  readonly seed: Seed
  readonly limits: MockLimits
  readonly masterApiKey: string | undefined
  readonly allowedOrigins: readonly string[]
  readonly trustProxy: number
  readonly now: () => number
}

/** The service of a world, with what no client sees of it. */
export interface Service {
  readonly app: App
  /** The same service while its storage is out of reach. */
  readonly appWithoutStorage: () => App
  /** The same service while its storage can be read, and stores no catches. */
  readonly appThatStoresNothing: () => App
  readonly users: ReadonlyMap<string, PlantedUser>
  /** What clients stored, seeds aside. */
  readonly stored: Tap['stored']
  /** The name of the user with this id; the id itself where nobody knows. */
  readonly nameOf: (id: string) => string
  /** Remembers the id of a user that was created after the seed. */
  readonly learnName: (name: string) => Promise<void>
  readonly addressOf: (request: Request) => string
  /** The seeded user that a personal API key belongs to. */
  readonly ownerOf: (apiKey: string) => string | undefined
  /** Length of the public window, in milliseconds. */
  readonly windowMs: number
}

/** Decide what the world's keys are sealed with. They keep nothing secret. */
const SECRETS = { seal: 'seal of a mock', session: 'sessions of a mock: 32 bytes and more' }

/** Opens a fresh service and plants the seed. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { seed, limits, masterApiKey, allowedOrigins, trustProxy } = options
  let random = seededRandom('seed')
  let now = () => SEEDED_AT

  const addressOf = (request: Request) =>
    forwardedAddress(socketAddress(request), request.headers.get('x-forwarded-for'), trustProxy)
  const shared = {
    secrets: SECRETS,
    passwords: plainPasswords,
    version: 'mock',
    clientAddress: addressOf,
    clock: () => now(),
    random: (bytes) => random(bytes),
    rateLimit: window(limits.requests ?? LIMITS.requests, limits.windowSeconds ?? LIMITS.windowSeconds),
    adminRateLimit: window(
      limits.adminRequests ?? LIMITS.adminRequests,
      limits.adminWindowSeconds ?? LIMITS.adminWindowSeconds,
    ),
    allowedOrigins,
    // In a test, nobody means harm.
    contentEncoder: createPlatformEncoder(['gzip', 'br']),
    ...(masterApiKey === undefined ? {} : { masterApiKey }),
    ...(limits.tokenTtlSeconds === undefined ? {} : { tokenTtlSeconds: limits.tokenTtlSeconds }),
  } satisfies Partial<AppOptions>

  const { storage, stored } = tapStorage(createMemoryStorage())
  const down = await closedStorage()
  const app = createApp({ ...shared, storage })
  const users = await plant(
    {
      app,
      setRandom: (source) => {
        random = source
      },
    },
    seed,
  )
  stored.length = 0
  const names = new Map([...users.values()].map(({ id, name }) => [id, name]))
  const owners = new Map([...users.values()].map(({ apiKey, name }) => [apiKey, name]))
  random = seededRandom('requests')
  now = options.now
  return {
    app,
    appWithoutStorage: once(() => createApp({ ...shared, storage: down })),
    appThatStoresNothing: once(() => createApp({ ...shared, storage: { ...storage, append: down.append } })),
    users,
    stored,
    nameOf: (id) => names.get(id) ?? id,
    async learnName(name) {
      if (users.has(userNameKey(name))) return
      const user = await app.users.find(name)
      if (user) names.set(user.id, user.name)
    },
    addressOf,
    ownerOf: (apiKey) => owners.get(apiKey),
    windowMs: shared.rateLimit.windowMs,
  }
}

/** A storage whose every operation fails as one does that cannot be reached. */
async function closedStorage(): Promise<FishStorage> {
  const storage = createMemoryStorage()
  await storage.dispose()
  return storage
}

/** Few worlds need more than one app, and there may be thousands of worlds. */
function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

function window(requests: number, seconds: number) {
  return { requests, windowMs: seconds * 1000 }
}
