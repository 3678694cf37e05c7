import { ACCOUNT_LIMITS, type Gamemode, LIMITS } from '@fish-crab/sdk/contract'
import {
  type AppOptions,
  createApp,
  createPlatformEncoder,
  type Encryption,
  forwardedAddress,
  type PasswordHasher,
  type Schedule,
} from '@fish-crab/server/app'
import { createMemoryDriver, USERS_BASE, wrapDriver } from '@fish-crab/server/internal'
import { applySeed } from './apply-seed.ts'
import { seededRandom } from './random.ts'
import { socketAddress } from './request.ts'
import { SEEDED_AT, type Seed } from './seed.ts'

/** The limits of a mock. */
export interface MockLimits {
  /** Requests per client and window on the public endpoints. @default 25 */
  readonly requests?: number
  /** Length of the window for `requests`, in seconds. @default 300 */
  readonly windowSeconds?: number
  /** Requests per administrator and window. @default 300 */
  readonly adminRequests?: number
  /** Length of the window for `adminRequests`, in seconds. @default 300 */
  readonly adminWindowSeconds?: number
  /** Maximum age of a token, in seconds. @default any age */
  readonly tokenTtlSeconds?: number
}

export interface ServiceOptions {
  readonly gamemodes: readonly Gamemode[]
  readonly seed: Seed
  readonly limits: MockLimits
  readonly masterApiKey: string | undefined
  readonly allowedOrigins: readonly string[]
  readonly trustProxy: number
  readonly publicLeaderboard: boolean
  readonly publicUrl: string | undefined
  readonly now: () => number
  readonly schedule: Schedule
}

type RequestHook = NonNullable<AppOptions['onRequest']>

export type Service = Awaited<ReturnType<typeof openService>>

/** The data of a mock is not confidential, and a fixed key makes its responses reproducible. */
const SECRETS = { encryption: 'encryption of a mock', session: 'sessions of a mock: 32 bytes and more' }

/** Opens the service on an empty storage and applies the seed. */
export async function openService(options: ServiceOptions) {
  const { gamemodes, seed, limits, masterApiKey, allowedOrigins, trustProxy, publicLeaderboard, publicUrl } = options
  const { requests = LIMITS.requests, windowSeconds = LIMITS.windowSeconds, tokenTtlSeconds } = limits
  const { adminRequests = ACCOUNT_LIMITS.adminRequests, adminWindowSeconds = ACCOUNT_LIMITS.adminWindowSeconds } =
    limits
  let random = seededRandom('seed')
  let now = () => SEEDED_AT

  const addressOf = (request: Request) =>
    forwardedAddress(socketAddress(request), request.headers.get('x-forwarded-for'), trustProxy)
  const appOptions = {
    gamemodes,
    secrets: SECRETS,
    passwords: plainPasswords,
    encryption: noEncryption,
    version: 'mock',
    clientAddress: addressOf,
    clock: () => now(),
    schedule: options.schedule,
    random: (bytes) => random(bytes),
    rateLimit: { requests, windowMs: windowSeconds * 1000 },
    adminRateLimit: { requests: adminRequests, windowMs: adminWindowSeconds * 1000 },
    allowedOrigins,
    publicLeaderboard,
    // The platform's Brotli is so slow that clients could abuse it, but tests have no such clients.
    contentEncoder: createPlatformEncoder(['gzip', 'br']),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(masterApiKey === undefined ? {} : { masterApiKey }),
    ...(tokenTtlSeconds === undefined ? {} : { tokenTtlSeconds }),
  } satisfies Partial<AppOptions>

  const names = new Map<string, string>()
  const driver = recordNames(
    createMemoryDriver({ nextVersion: (previous, change) => digest(`${previous} ${change}`) }),
    names,
  )
  const storage = wrapDriver(driver)
  const closed = createMemoryDriver()
  await closed.dispose?.()
  const hooks = new WeakMap<Request, RequestHook>()
  const app = createApp({ ...appOptions, storage, onRequest: (routed) => hooks.get(routed.request)?.(routed) })
  const setRandom = (source: typeof random) => {
    random = source
  }
  const users = await applySeed(seed, { app, gamemodes, setRandom })
  const owners = new Map([...users.values()].map(({ apiKey, name }) => [apiKey, name]))
  random = seededRandom('requests')
  now = options.now
  return {
    app,
    /** Works like `fetch` of the app, but calls the hook with the route of this request. */
    fetch(request: Request, onRequest: RequestHook): Promise<Response> {
      hooks.set(request, onRequest)
      return app.fetch(request)
    },
    appWithoutStorage: once(() => createApp({ ...appOptions, storage: wrapDriver(closed) })),
    /** The same service with a storage that can be read, but rejects catches. */
    appWithReadOnlyStorage: once(() =>
      createApp({ ...appOptions, storage: wrapDriver({ ...driver, append: closed.append }) }),
    ),
    gamemodes,
    users,
    /** The names of all users, including users that were created after the seed was applied. */
    userNames: () => [...names.values()],
    addressOf,
    /** The seeded user that a personal API key belongs to. */
    ownerOf: (apiKey: string) => owners.get(apiKey),
    windowMs: appOptions.rateLimit.windowMs,
  }
}

/** Creates a value on first use: few mocks need a second app, and there may be thousands of mocks. */
function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= create()
    return value
  }
}

/** Stores passwords as plain text, because a mock has no real passwords, and slow hashes would slow down tests. */
const plainPasswords: PasswordHasher = {
  hash: async (password) => password,
  verify: async (password, hash) => password === hash,
}

/**
 * Stores keys as plain text. On Node, `crypto.subtle.encrypt` aborts the process if a client of MSW opened a TLS
 * connection with the fake session of an earlier connection, which leaves an error in OpenSSL's queue.
 */
const noEncryption: Encryption = {
  encrypt: async (text) => text,
  decrypt: async (text) => text,
  isCurrent: async () => true,
  reencrypt: async (text) => text,
}

/** Records the names of the users by the key of their item. */
function recordNames(driver: ReturnType<typeof createMemoryDriver>, names: Map<string, string>): typeof driver {
  return {
    ...driver,
    async setItemIfAbsent(key, value) {
      const isSet = await driver.setItemIfAbsent(key, value)
      if (isSet && key.startsWith(USERS_BASE)) names.set(key, JSON.parse(value).name)
      return isSet
    },
    async removeItemIf(key, value) {
      const isRemoved = await driver.removeItemIf(key, value)
      if (isRemoved) names.delete(key)
      return isRemoved
    },
  }
}

/** Returns 96 bits that depend only on the text, in hexadecimal. */
function digest(text: string): string {
  return Array.from(seededRandom(text)(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
