import { GAMEMODES, type Gamemode, isGamemode } from '../../contract/gamemodes.ts'
import { isUserName } from '../../contract/names.ts'
import { type OptionNames, requireOptions, unknownOptions } from '../../errors/check-options.ts'
import { ValidationError } from '../../errors/fish-crab-error.ts'
import { hasKeyForm } from '../../fernet/key.ts'
import { type CallLimits, DEFAULT_LIMITS, readLimits } from './call-options.ts'
import { createEventSink, type EventSink, type Hooks, type Logger } from './hooks.ts'
import { DEFAULT_BASE_URL, isServiceUrl, SERVICE_URL_RULE } from './service-url.ts'
import { type Clock, systemClock } from './timing.ts'

/**
 * What {@link createClient} takes. Everything is optional; calls that need more say so. What a call says goes before
 * these options, and these before the environment.
 */
export interface ClientOptions extends Hooks {
  /** Address of the service, with a path if it stands under one. @default FISH_URL, else 'http://127.0.0.1:8787' */
  readonly baseUrl?: string | undefined
  /** Whose catches calls add and list when they name nobody. @default FISH_USER */
  readonly user?: string | undefined
  /** That user's Fernet key (see `keys.get`): needed to add catches, not to read. @default FISH_KEY */
  readonly fernetKey?: string | undefined
  /** API key, sent with every request: it lifts the rate limit. @default FISH_API_KEY */
  readonly apiKey?: string | undefined
  /** The gamemode of calls that name none. @default FISH_GAMEMODE */
  readonly gamemode?: Gamemode | (string & {}) | undefined
  /**
   * Used for every request. A TypeError that is no lost connection, or anything but a Response, ends a call with a
   * FishCrabError of code `invalid_fetch`. @default the global fetch at the time of the call, with connections of this
   * client's own in Node
   */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Milliseconds one try may take, the whole answer included; `Infinity` for no end. @default 10_000 */
  readonly timeoutMs?: number | undefined
  /** Milliseconds one call may take, its waits and further tries included. @default Infinity */
  readonly deadlineMs?: number | undefined
  /**
   * Milliseconds one call may wait in total, for the rate limit above all. A wait that does not fit is not begun: the
   * call fails at once with RateLimitError. `0` waits for no window, `Infinity` for all. While nothing is known of the
   * limit, a call may wait for the answer to another one in any case.
   * @default 3_600_000 (one hour)
   */
  readonly maxWaitMs?: number | undefined
  /** Further tries after lost answers, 408, 425 and 5xx. Writes repeat the same token, which is stored once. @default 2 */
  readonly maxRetries?: number | undefined
  /** Whether to hold requests back before the server would refuse one. Refused ones wait in any case. @default true */
  readonly pace?: boolean | undefined
  /** Largest answer that is read, in bytes. @default 67_108_864 (64 MiB) */
  readonly maxResponseBytes?: number | undefined
  /** The `User-Agent` header, in Node; browsers send their own. @default 'fish-crab-sdk/VERSION' */
  readonly userAgent?: string | undefined
  /** Where to log requests, further tries and waits, without secrets; such as `console`. @default nowhere */
  readonly logger?: Logger | undefined
  /** Time, for tests. @default the machine's clock */
  readonly clock?: Clock | undefined
  /** Numbers from 0 up to 1 that spread waits, for tests. @default Math.random */
  readonly random?: (() => number) | undefined
  /**
   * The environment, `FISH_URL` and proxies (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`) included; `{}` for none.
   * @default process.env, where there is one
   */
  readonly env?: Environment | undefined
}

/** The options of {@link createClient} by name. */
export const CLIENT_OPTIONS: OptionNames<ClientOptions> = {
  baseUrl: true,
  user: true,
  fernetKey: true,
  apiKey: true,
  gamemode: true,
  fetch: true,
  timeoutMs: true,
  deadlineMs: true,
  maxWaitMs: true,
  maxRetries: true,
  pace: true,
  maxResponseBytes: true,
  userAgent: true,
  logger: true,
  clock: true,
  random: true,
  env: true,
  onRequest: true,
  onResponse: true,
  onRetry: true,
  onWait: true,
}

/** Options that were checked, with their defaults. */
export interface Settings extends CallLimits {
  readonly baseUrl: string
  readonly user: string | undefined
  readonly fernetKey: string | undefined
  readonly apiKey: string | undefined
  readonly gamemode: Gamemode | undefined
  readonly fetch: typeof globalThis.fetch | undefined
  readonly pace: boolean
  readonly maxResponseBytes: number
  readonly userAgent: string
  readonly observer: EventSink
  readonly clock: Clock
  readonly random: () => number
  /** Where proxies are named; that of the process where it is `undefined`. */
  readonly env: Environment | undefined
}

/**
 * Checks options and fills in defaults. No value stands in a message: it may be a secret in the wrong place.
 * @param known The options there are, where these belong to another client.
 * @throws ValidationError that names every wrong option.
 */
export function readOptions(given: ClientOptions, known: OptionNames = CLIENT_OPTIONS): Settings {
  requireOptions(given, known)
  const options = withEnvironment(given)
  const { baseUrl = DEFAULT_BASE_URL, maxResponseBytes = 64 * 1024 * 1024, userAgent = USER_AGENT } = options
  const { user, apiKey, gamemode, fetch, pace = true, logger, clock = systemClock } = options
  // As it comes out of a file or a message, perhaps with the end of its line.
  const fernetKey = typeof options.fernetKey === 'string' ? options.fernetKey.trim() : options.fernetKey
  const issues = unknownOptions(given, known)
  const check = (right: boolean, path: keyof ClientOptions, message: string) => {
    const variable = given[path] === undefined ? variableOf(path) : undefined
    if (!right) issues.push({ path, message: variable ? `${message} It comes from ${variable}.` : message })
  }
  check(isServiceUrl(baseUrl), 'baseUrl', `Must be ${SERVICE_URL_RULE}.`)
  check(
    user === undefined || (typeof user === 'string' && isUserName(user)),
    'user',
    'Must be a user name of the service.',
  )
  check(
    fernetKey === undefined || hasKeyForm(fernetKey),
    'fernetKey',
    'Must be 32 bytes in base64; copy the whole key.',
  )
  check(apiKey === undefined || isHeaderText(apiKey), 'apiKey', 'Must be visible ASCII characters; copy the key alone.')
  check(gamemode === undefined || isGamemode(gamemode), 'gamemode', `Must be one of ${GAMEMODES.join(', ')}.`)
  check(maxResponseBytes > 0, 'maxResponseBytes', 'Must be bytes above 0.')
  check(
    isHeaderText(typeof userAgent === 'string' && userAgent.replaceAll(' ', '')),
    'userAgent',
    'Must be visible ASCII characters and spaces.',
  )
  const limits = readLimits(options, DEFAULT_LIMITS, check)
  if (issues.length > 0) throw new ValidationError(issues)
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    user,
    fernetKey,
    apiKey,
    // What is no gamemode is an issue, and ended above.
    gamemode: gamemode as Gamemode | undefined,
    fetch,
    ...limits,
    pace,
    maxResponseBytes,
    userAgent,
    observer: createEventSink(options, logger),
    clock,
    random: options.random ?? Math.random,
    env: given.env,
  }
}

function isHeaderText(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)
}

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What the environment may say, where options do not. */
const VARIABLES = {
  baseUrl: 'FISH_URL',
  user: 'FISH_USER',
  fernetKey: 'FISH_KEY',
  apiKey: 'FISH_API_KEY',
  gamemode: 'FISH_GAMEMODE',
} as const

/** Options with what they leave out taken from the environment; an empty variable says nothing. */
export function withEnvironment<
  Options extends { readonly [Name in keyof typeof VARIABLES]?: unknown } & { readonly env?: Environment | undefined },
>(options: Options): Options {
  const env = options.env ?? processEnvironment()
  const said = Object.entries(VARIABLES).flatMap(([option, variable]) => {
    const value = options[option as keyof typeof VARIABLES] ?? (env[variable] || undefined)
    return value === undefined ? [] : [[option, value]]
  })
  return { ...options, ...Object.fromEntries(said) }
}

/** The variable behind an option, for messages. */
function variableOf(option: string): string | undefined {
  return Object.hasOwn(VARIABLES, option) ? VARIABLES[option as keyof typeof VARIABLES] : undefined
}

// Browsers have no process, and Deno may forbid to read it.
function processEnvironment(): Environment {
  try {
    return (globalThis as { process?: { env?: Environment } }).process?.env ?? {}
  } catch {
    return {}
  }
}

/** How the client calls itself. The version is that of the package, which a test holds it to. */
export const USER_AGENT = 'fish-crab-sdk/0.1.0'
