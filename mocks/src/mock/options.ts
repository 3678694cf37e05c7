import { GAMEMODES, type Gamemode } from '@fish-crab/sdk/contract'
import { assertKnownKeys, checkOrigin, keysOf } from '../service/check-options.ts'
import { parseSeed } from '../service/check-seed.ts'
import type { Seed } from '../service/seed.ts'
import type { MockLimits } from '../service/service.ts'
import { toUnixMs } from '../service/time.ts'
import type { MockServiceOptions } from './mock-service.ts'

/** Keys that belong to no user. */
export interface MockKeys {
  /** The master API key, which bypasses the rate limit. @default none */
  readonly master?: string
}

/** Options of `createMock`. */
export interface MockOptions {
  /** The users, their collections and the administrators to start with. @default none */
  readonly seed?: Seed
  /**
   * The gamemodes of the service, as with `FISH_GAMEMODES`: 1 to 32 different names of 1 to 32 characters of a-z, 0-9, `_`
   * and `-`. @default oneblock, earth, survival, factions
   */
  readonly gamemodes?: readonly Gamemode[]
  /**
   * Stops the clock at this time, in unix milliseconds: responses are then the same in every run. If `startAt` is
   * omitted, the clock follows `clock`.
   */
  readonly startAt?: number | Date
  /**
   * Whether the clock jumps to the next wake-up whenever all clients of `mock.client` and all delayed responses sleep,
   * so that neither rate limits nor timeouts take real time.
   * @default false
   */
  readonly autoAdvance?: boolean
  /** The clock to follow. @default Date.now, looked up at each call, so that fake timers work */
  readonly clock?: { now(): number }
  /** The rate limits and the maximum age of tokens. @default the limits of the service */
  readonly limits?: MockLimits
  /** Keys that belong to no user. @default none */
  readonly keys?: MockKeys
  /** Origins that bypass the rate limit and whose pages may post. @default none */
  readonly allowedOrigins?: readonly string[]
  /** The number of trusted proxies: how many entries of `X-Forwarded-For` to trust, from the right. @default 0 */
  readonly trustProxy?: number
  /** Whether the leaderboard is public, as with `FISH_PUBLIC_LEADERBOARD`. @default false */
  readonly publicLeaderboard?: boolean
  /** The address that players use, as with `FISH_PUBLIC_URL`, which login links need. @default none */
  readonly publicUrl?: string
  /** The origin of handlers and `listen()`. @default a unique origin, such as `http://fish-1a2b3c4d.test` */
  readonly origin?: string
}

const OPTIONS = keysOf<MockOptions>({
  seed: 1,
  gamemodes: 1,
  startAt: 1,
  autoAdvance: 1,
  clock: 1,
  limits: 1,
  keys: 1,
  allowedOrigins: 1,
  trustProxy: 1,
  publicLeaderboard: 1,
  publicUrl: 1,
  origin: 1,
})

/**
 * Returns the options of the service, with defaults.
 * @throws TypeError or RangeError that names the invalid option
 */
export function checkOptions(options: MockOptions): MockServiceOptions {
  assertKnownKeys('createMock()', options, OPTIONS)
  const { seed = {}, startAt, autoAdvance = false, clock, limits = {}, keys = {}, trustProxy = 0, origin } = options
  const { publicLeaderboard = false, publicUrl, gamemodes = GAMEMODES } = options
  // The service checks the names.
  if (!Array.isArray(gamemodes)) throw new TypeError("gamemodes must be a list, such as ['earth', 'skyblock'].")
  parseSeed(seed, gamemodes)
  checkLimits(limits)
  const allowedOrigins = checkAllowedOrigins(options.allowedOrigins)
  if (origin !== undefined) checkOrigin(origin)
  if (publicUrl !== undefined) checkOrigin(publicUrl, 'publicUrl')
  if (startAt !== undefined) checkStart(startAt)
  for (const [name, value] of Object.entries({ autoAdvance, publicLeaderboard })) {
    if (typeof value !== 'boolean') throw new TypeError(`${name} must be true or false.`)
  }
  if (clock !== undefined && typeof clock?.now !== 'function') {
    throw new TypeError('clock must be an object with a function now() that returns unix milliseconds.')
  }
  assertKnownKeys('keys', keys, keysOf<MockKeys>({ master: 1 }))
  const { master = 'none' } = keys
  if (typeof master !== 'string' || master === '') throw new TypeError('keys.master must be a non-empty string.')
  if (!(Number.isSafeInteger(trustProxy) && trustProxy >= 0)) {
    throw new RangeError('trustProxy must be the number of trusted proxies: 0 or a positive integer.')
  }
  return {
    gamemodes: [...gamemodes],
    // Copy the seed, so that later changes to the caller's object do not affect this mock.
    seed: structuredClone(seed),
    limits,
    masterApiKey: keys.master,
    allowedOrigins,
    trustProxy,
    publicLeaderboard,
    publicUrl,
  }
}

const COUNTS = ['requests', 'adminRequests'] as const
const DURATIONS = ['windowSeconds', 'adminWindowSeconds', 'tokenTtlSeconds'] as const

function checkLimits(limits: MockLimits): void {
  assertKnownKeys('limits', limits, [...COUNTS, ...DURATIONS])
  for (const name of COUNTS) {
    const { [name]: count = 1 } = limits
    if (!(Number.isSafeInteger(count) && count >= 1)) {
      throw new RangeError(`limits.${name} must be a positive integer.`)
    }
  }
  for (const name of DURATIONS) {
    const { [name]: seconds = 1 } = limits
    if (!(Number.isFinite(seconds) && seconds > 0)) {
      throw new RangeError(`limits.${name} must be a positive number of seconds.`)
    }
  }
}

function checkAllowedOrigins(origins: unknown = []): string[] {
  if (!Array.isArray(origins)) throw new TypeError("allowedOrigins must be a list, such as ['https://page.test'].")
  return origins.map((origin) => checkOrigin(origin, 'allowedOrigins'))
}

function checkStart(startAt: unknown): void {
  const isTime = typeof startAt === 'number' || startAt instanceof Date
  if (!isTime) throw new TypeError('startAt must be a Date, or unix time in milliseconds.')
  toUnixMs(startAt, 'startAt')
}
