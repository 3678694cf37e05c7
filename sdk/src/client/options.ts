import { GAMEMODES, type Gamemode, isGamemode } from '../contract/gamemodes.ts'
import { LIMITS } from '../contract/limits.ts'
import { isUserName } from '../contract/names.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Issue, ValidationError } from './errors.ts'

/** Where the client looks for the service when `baseUrl` is not given. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8787'

/** What {@link createClient} takes. Everything is optional; calls that need more say so. */
export interface ClientOptions {
  /** Address of the service, with a path if it stands under one. @default 'http://127.0.0.1:8787' */
  readonly baseUrl?: string | undefined
  /** Whose catches calls add and list when they name nobody. */
  readonly user?: string | undefined
  /** That user's Fernet key (see `keys.get`): needed to add catches, not to read. */
  readonly fernetKey?: string | undefined
  /** API key, sent with every request: it lifts the rate limit. */
  readonly apiKey?: string | undefined
  /** The gamemode of calls that name none. */
  readonly gamemode?: Gamemode | undefined
  /** Used for every request. @default the global fetch at the time of the call, with connections of this client's own in Node */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Milliseconds one try may take, the whole answer included; `Infinity` for no end. @default 10_000 */
  readonly timeoutMs?: number | undefined
  /**
   * Milliseconds one call may wait in total before its further tries, for the rate limit above all. A wait that does
   * not fit is not begun: the call fails at once. `0` never waits, `Infinity` waits always.
   * @default 305_000 (one whole window and 5 s)
   */
  readonly maxWaitMs?: number | undefined
  /** Further tries after lost answers and 5xx. Writes repeat the same token, which is stored once. @default 2 */
  readonly maxRetries?: number | undefined
  /** Largest answer that is read, in bytes. @default 67_108_864 (64 MiB) */
  readonly maxResponseBytes?: number | undefined
  /** The `User-Agent` header, in Node; browsers send their own. @default 'fish-crab-sdk' */
  readonly userAgent?: string | undefined
  /** Time, for tests. @default the machine's clock */
  readonly clock?: Clock | undefined
  /** Numbers from 0 up to 1 that spread waits, for tests. @default Math.random */
  readonly random?: (() => number) | undefined
}

/** Options that were checked, with their defaults. */
export interface Settings {
  readonly baseUrl: string
  readonly user: string | undefined
  readonly fernetKey: string | undefined
  readonly apiKey: string | undefined
  readonly gamemode: Gamemode | undefined
  readonly fetch: typeof globalThis.fetch | undefined
  readonly timeoutMs: number
  readonly maxWaitMs: number
  readonly maxRetries: number
  readonly maxResponseBytes: number
  readonly userAgent: string
  readonly clock: Clock
  readonly random: () => number
}

/**
 * Checks options and fills in defaults. No value stands in a message: it may be a secret in the wrong place.
 * @throws ValidationError that names every wrong option.
 */
export function readOptions(options: ClientOptions): Settings {
  const { baseUrl = DEFAULT_BASE_URL, timeoutMs = 10_000, maxWaitMs = (LIMITS.windowSeconds + 5) * 1000 } = options
  const { maxRetries = 2, maxResponseBytes = 64 * 1024 * 1024, userAgent = 'fish-crab-sdk' } = options
  const { user, fernetKey, apiKey, gamemode } = options
  const issues: Issue[] = []
  const check = (right: boolean, path: keyof ClientOptions, message: string) => {
    if (!right) issues.push({ path, message })
  }
  check(isServiceUrl(baseUrl), 'baseUrl', 'Must be an http or https address without user, password, query or fragment.')
  check(user === undefined || isUserName(user), 'user', 'Must be a user name of the service.')
  check(fernetKey === undefined || typeof fernetKey === 'string', 'fernetKey', 'Must be a string.')
  check(apiKey === undefined || isHeaderText(apiKey), 'apiKey', 'Must be visible ASCII characters; copy the key alone.')
  check(gamemode === undefined || isGamemode(gamemode), 'gamemode', `Must be one of ${GAMEMODES.join(', ')}.`)
  check(timeoutMs > 0, 'timeoutMs', 'Must be milliseconds above 0, or Infinity.')
  check(maxWaitMs >= 0, 'maxWaitMs', 'Must be milliseconds, 0 or more, or Infinity.')
  check(Number.isInteger(maxRetries) && maxRetries >= 0, 'maxRetries', 'Must be a whole number, 0 or more.')
  check(maxResponseBytes > 0, 'maxResponseBytes', 'Must be bytes above 0.')
  check(isHeaderText(userAgent.replaceAll(' ', '')), 'userAgent', 'Must be visible ASCII characters and spaces.')
  if (issues.length > 0) throw new ValidationError(issues)
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    user,
    fernetKey,
    apiKey,
    gamemode,
    fetch: options.fetch,
    timeoutMs,
    maxWaitMs,
    maxRetries,
    maxResponseBytes,
    userAgent,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
}

function isHeaderText(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value)
}

function isServiceUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const url = new URL(value)
  return /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(value)
}
