import { GAMEMODES, type Gamemode, isGamemode } from '../../contract/gamemodes.ts'
import { isUserName } from '../../contract/names.ts'
import type { Status } from '../../contract/schemas.ts'
import { type OptionNames, optionIssues } from '../../errors/check-options.ts'
import { type Issue, throwIssues } from '../../errors/fish-crab-error.ts'
import { isKeyFormat } from '../../fernet/key.ts'
import { createEventSink, type EventSink, HOOK_LEVELS, type Hooks, type Logger } from './hooks.ts'
import { DEFAULT_BASE_URL, isServiceUrl, SERVICE_URL_RULE, serviceAddress } from './service-url.ts'
import { type Clock, systemClock } from './timing.ts'

/** Options of every call. These options override the client's options. */
export interface CallOptions extends LimitOptions {
  /** Cancels the call, including its waits. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The limits of calls. The defaults below apply to a client. A call takes its defaults from its client. */
interface LimitOptions {
  /** Milliseconds for one attempt, up to the end of the response; `Infinity` for no limit. @default 10_000 */
  readonly timeoutMs?: number | undefined
  /**
   * Milliseconds that one call may wait in total for the rate limit. A call that would have to wait longer fails
   * immediately with RateLimitError. With `0`, calls never wait for the next window; with `Infinity`, calls always
   * wait. While the limit is unknown, a call may wait for another call's response, regardless of this option. Pauses
   * between retries do not count.
   * @default 3_600_000 (one hour)
   */
  readonly maxWaitMs?: number | undefined
  /**
   * Number of retries after connection errors, 408, 425, 500, 502, 503 and 504. Each retry of a write sends the token
   * of the first attempt, so the service stores the write only once. @default 2
   */
  readonly maxRetries?: number | undefined
  /**
   * Whether to delay a request that the server would reject because of the rate limit. After such a rejection, requests
   * wait even if `pace` is `false`. @default true
   */
  readonly pace?: boolean | undefined
}

export type CallLimits = { readonly [Name in keyof LimitOptions]-?: NonNullable<LimitOptions[Name]> }

const DEFAULT_LIMITS: CallLimits = { timeoutMs: 10_000, maxWaitMs: 3_600_000, maxRetries: 2, pace: true }

/** The names of the options of every call. */
export const CALL_OPTIONS: OptionNames<CallOptions> = { signal: 1, ...DEFAULT_LIMITS }

/** Options of calls that are never retried. */
export type NonRetriedOptions = Omit<CallOptions, 'maxRetries'>

const { maxRetries: _, ...NON_RETRIED } = CALL_OPTIONS
export const NON_RETRIED_OPTIONS: OptionNames<NonRetriedOptions> = NON_RETRIED

/**
 * Options of {@link createClient}. All are optional. Options of a call override these options, and these options
 * override environment variables.
 */
export interface ClientOptions extends Hooks, LimitOptions {
  /** URL of the service, with its path if it has one. @default FISH_URL, else 'http://127.0.0.1:8787' */
  readonly baseUrl?: string | undefined
  /** The default user of calls that add and list catches. @default FISH_USER */
  readonly user?: string | undefined
  /** The Fernet key of `user` (see `keys.get`). Required to add catches, but not to read them. @default FISH_KEY */
  readonly fernetKey?: string | undefined
  /** API key, sent with every request. A valid key exempts the client from the rate limit. @default FISH_API_KEY */
  readonly apiKey?: string | undefined
  /** The default gamemode of calls. @default FISH_GAMEMODE */
  readonly gamemode?: Gamemode | undefined
  /**
   * The function that sends every request. If the function throws a TypeError that is not a connection error, or
   * returns no Response, the call fails with the code `invalid_fetch`. @default the global fetch at the time of the
   * call; in Node, with the dispatcher that the program passed to undici's `setGlobalDispatcher`, or else with
   * connections of its own
   */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Largest response to read, in bytes. @default 67_108_864 (64 MiB) */
  readonly maxResponseBytes?: number | undefined
  /** The `User-Agent` header in Node; browsers send their own. @default 'fish-crab-sdk/VERSION' */
  readonly userAgent?: string | undefined
  /**
   * The log for requests, retries, waits and warnings, such as `console`. Entries contain no secrets. @default no log;
   * warnings are process warnings in Node, and on the console elsewhere
   */
  readonly logger?: Logger | undefined
  /** The clock, for tests. @default the system's clock */
  readonly clock?: Clock | undefined
  /**
   * Returns random numbers for jitter, at least 0 and below 1. Pass your own function in tests. @default Math.random
   */
  readonly random?: (() => number) | undefined
  /**
   * Environment variables: `FISH_…` and proxies (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`); pass `{}` to use none.
   * @default process.env, if there is one
   */
  readonly env?: Environment | undefined
}

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The environment variable of each option that has one. */
export const VARIABLES = {
  baseUrl: 'FISH_URL',
  user: 'FISH_USER',
  fernetKey: 'FISH_KEY',
  apiKey: 'FISH_API_KEY',
  gamemode: 'FISH_GAMEMODE',
} as const

type RuntimeOptions = Omit<ClientOptions, keyof (Hooks & LimitOptions & typeof VARIABLES)>

const RUNTIME: OptionNames<RuntimeOptions> = {
  fetch: 1,
  maxResponseBytes: 1,
  userAgent: 1,
  logger: 1,
  clock: 1,
  random: 1,
  env: 1,
}

/** The names of the options of {@link createClient}. */
export const CLIENT_OPTIONS: OptionNames<ClientOptions> = {
  ...VARIABLES,
  ...DEFAULT_LIMITS,
  ...RUNTIME,
  ...HOOK_LEVELS,
}

/** Checked options with their defaults. */
export interface Settings extends CallLimits {
  readonly baseUrl: string
  readonly user: string | undefined
  readonly fernetKey: string | undefined
  readonly apiKey: string | undefined
  readonly gamemode: Gamemode | undefined
  readonly knownGamemodes: KnownGamemodes
  readonly fetch: typeof globalThis.fetch | undefined
  readonly maxResponseBytes: number
  readonly userAgent: string
  readonly observer: EventSink
  readonly logger: Logger | undefined
  /** Whether the option `onWait` was given. */
  readonly hasOnWait: boolean
  readonly clock: Clock
  readonly random: () => number
  /** Environment variables for proxies; `undefined` to use the variables of the process. */
  readonly env: Environment | undefined
}

interface OptionRules {
  /** The names of all options. */
  readonly known: OptionNames
  readonly variables: Partial<typeof VARIABLES>
  /** Checks the options that only this kind of client has. */
  readonly check?: () => readonly Issue[]
}

/**
 * Checks options and fills in defaults. Error messages contain no values, since a value may be a secret that was passed
 * as the wrong option.
 * @throws ValidationError with every invalid option.
 */
export function resolveOptions(
  given: ClientOptions,
  { known, variables, check: further }: OptionRules = { known: CLIENT_OPTIONS, variables: VARIABLES },
): Settings {
  const issues = optionIssues(given, known)
  const options = withEnvironment(given, variables)
  const { baseUrl = DEFAULT_BASE_URL, maxResponseBytes = 64 * 1024 * 1024, userAgent = USER_AGENT } = options
  const { user, apiKey, gamemode, fetch, logger, clock = systemClock } = options
  // A key from a file may end with a line break.
  const fernetKey = typeof options.fernetKey === 'string' ? options.fernetKey.trim() : options.fernetKey
  const check = (right: boolean, path: keyof ClientOptions, message: string) => {
    const variable = given[path] === undefined ? variables[path as keyof typeof VARIABLES] : undefined
    if (!right) issues.push({ path, message: variable ? `${message} The value is from ${variable}.` : message })
  }
  check(isServiceUrl(baseUrl), 'baseUrl', `Must be ${SERVICE_URL_RULE}.`)
  check(user === undefined || (typeof user === 'string' && isUserName(user)), 'user', 'Must be a valid user name.')
  check(
    fernetKey === undefined || isKeyFormat(fernetKey),
    'fernetKey',
    'Must be 32 bytes in base64. Copy the whole key.',
  )
  check(apiKey === undefined || isHeaderText(apiKey), 'apiKey', 'Must be visible ASCII. Copy the key alone.')
  check(gamemode === undefined || isGamemode(gamemode), 'gamemode', 'Must be a valid gamemode.')
  check(maxResponseBytes > 0, 'maxResponseBytes', 'Must be above 0.')
  check(
    isHeaderText(typeof userAgent === 'string' && userAgent.replaceAll(' ', '')),
    'userAgent',
    'Must be visible ASCII and spaces.',
  )
  check(fetch === undefined || typeof fetch === 'function', 'fetch', 'Must be a function.')
  throwIssues([...issues, ...limitIssues(options), ...(further?.() ?? [])])
  return {
    baseUrl: serviceAddress(baseUrl),
    user,
    fernetKey,
    apiKey,
    gamemode,
    knownGamemodes: createKnownGamemodes(clock),
    fetch,
    ...resolveLimits(options, DEFAULT_LIMITS),
    maxResponseBytes,
    userAgent,
    observer: createEventSink(options, logger),
    logger,
    hasOnWait: options.onWait !== undefined,
    clock,
    random: options.random ?? Math.random,
    env: given.env,
  }
}

function isHeaderText(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)
}

/** Fills in missing options from the environment. An empty variable counts as missing. */
function withEnvironment(options: ClientOptions, variables: Partial<typeof VARIABLES>): ClientOptions {
  const env = options.env ?? processEnvironment()
  const fromEnvironment = Object.entries(variables).flatMap(([option, variable]) => {
    const value = options[option as keyof typeof VARIABLES] ?? (env[variable] || undefined)
    return value === undefined ? [] : [[option, value]]
  })
  return { ...options, ...Object.fromEntries(fromEnvironment) }
}

// Browsers have no `process`, and Deno may deny access to the environment.
function processEnvironment(): Environment {
  try {
    return (globalThis as { process?: { env?: Environment } }).process?.env ?? {}
  } catch {
    return {}
  }
}

/** The default `User-Agent`. A test checks that the version matches `package.json`. */
export const USER_AGENT = 'fish-crab-sdk/0.1.0'

export function resolveLimits(given: LimitOptions, defaults: CallLimits): CallLimits {
  const {
    timeoutMs = defaults.timeoutMs,
    maxWaitMs = defaults.maxWaitMs,
    maxRetries = defaults.maxRetries,
    pace = defaults.pace,
  } = given
  return { timeoutMs, maxWaitMs, maxRetries, pace }
}

export function limitIssues(given: LimitOptions): Issue[] {
  const { timeoutMs, maxWaitMs, maxRetries } = resolveLimits(given, DEFAULT_LIMITS)
  const issues: Issue[] = []
  const check = (right: boolean, path: keyof LimitOptions, message: string) => {
    if (!right) issues.push({ path, message })
  }
  check(typeof timeoutMs === 'number' && timeoutMs > 0, 'timeoutMs', 'Must be milliseconds above 0 or Infinity.')
  check(typeof maxWaitMs === 'number' && maxWaitMs >= 0, 'maxWaitMs', 'Must be milliseconds, 0 or more, or Infinity.')
  check(Number.isInteger(maxRetries) && maxRetries >= 0, 'maxRetries', 'Must be a whole number, 0 or more.')
  return issues
}

/** The list of gamemodes expires, since the operator may add a gamemode while a client runs for weeks. */
const KNOWN_FOR_MS = 300_000

/** Caches the gamemodes from the last status of a service for 300 s. */
export interface KnownGamemodes {
  /** `undefined` when the gamemodes are unknown. In that case, only the service checks the gamemode of a call. */
  list(): readonly Gamemode[] | undefined
  /** @returns the status with the gamemodes of the service: without a list, the default gamemodes */
  learn<Known extends Status>(status: Known): Known & { gamemodes: Gamemode[] }
}

function createKnownGamemodes(clock: Clock): KnownGamemodes {
  let known: readonly Gamemode[] | undefined
  let until = 0
  return {
    list: () => (clock.now() < until ? known : undefined),
    learn(status) {
      const { gamemodes = [...GAMEMODES] } = status
      known = gamemodes
      until = clock.now() + KNOWN_FOR_MS
      return { ...status, gamemodes }
    },
  }
}
