import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import {
  ACCOUNT_LIMITS,
  GAMEMODES,
  type Gamemode,
  isUserName,
  LIMITS,
  type SpeciesList,
  USER_NAME_RULE,
} from '@fish-crab/sdk/contract'
import { gamemodesProblem } from '../app/catches/gamemodes.ts'
import { DEFAULT_MIN_PLAYERS, speciesMistakes } from '../app/catches/species-census.ts'
import { isOrigin } from '../app/http/cors.ts'
import { MIN_SESSION_SECRET_BYTES } from '../app/options.ts'
import { parseRedisClusterUrl, parseRedisUrl, type RedisClusterTarget } from '../storage/redis/address.ts'

/** Formats of the log. */
export const LOG_FORMATS = ['pretty', 'json', 'silent'] as const

/** One of {@link LOG_FORMATS}. */
export type LogFormat = (typeof LOG_FORMATS)[number]

/** An address to listen on. */
export interface ListenAddress {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

/** A setting of the server. */
export interface Setting<Value> {
  /** The environment variable. */
  readonly env: string
  /**
   * Placeholder for the value of the flag, such as `SECONDS`. Absent for a secret, which has no flag because other
   * users can read argument lists.
   */
  readonly placeholder?: string
  /** The meaning in one line, for `--help`. */
  readonly summary: string
  /** Default value as text. @default unset */
  readonly fallback?: string
  /** Returns whether a value contains a secret. Such a value is refused as a flag. */
  readonly holdsSecret?: (text: string) => boolean
  /** Parses the text. Throws an error that names the expected form. */
  readonly parse: (text: string) => Value
}

/** A value with several mistakes. */
export class MistakesError extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('; '))
    this.mistakes = mistakes
  }
}

/** All settings of the server. A flag overrides the environment. */
export const SETTINGS = {
  host: {
    env: 'FISH_HOST',
    placeholder: 'HOST',
    fallback: '127.0.0.1',
    summary: 'address to listen on',
    parse: host,
  },
  port: {
    env: 'FISH_PORT',
    placeholder: 'PORT',
    fallback: '8787',
    summary: 'port to listen on; 0 takes any free port',
    parse: integer(0, 65_535),
  },
  metrics: {
    env: 'FISH_METRICS',
    placeholder: 'WHERE',
    fallback: 'on',
    summary: 'where to serve /metrics: on (at the address of the service), off, or HOST:PORT',
    parse: metricsAddress,
  },
  storage: {
    env: 'FISH_STORAGE',
    placeholder: 'ADDRESS',
    fallback: 'file:./data',
    summary: 'storage of all data: file:FOLDER, redis://HOST, redis-cluster://HOST:PORT,HOST:PORT or memory:',
    holdsSecret: (address) => /^[a-z-]+:\/\/.*@/i.test(address),
    parse: parseStorageAddress,
  },
  gamemodes: {
    env: 'FISH_GAMEMODES',
    placeholder: 'NAMES',
    fallback: GAMEMODES.join(','),
    summary: 'gamemodes, separated by commas, in the order in which they are shown',
    parse: gamemodes,
  },
  redisWait: {
    env: 'FISH_REDIS_WAIT',
    placeholder: 'N',
    fallback: '0',
    summary: 'number of Redis replicas that must receive a write before the server acknowledges it',
    parse: integer(0, 16),
  },
  adminUsername: {
    env: 'FISH_ADMIN_USERNAME',
    placeholder: 'NAME',
    summary: 'name of the first administrator',
    parse: (text) => {
      if (!isUserName(text) || /^\.{1,2}$/.test(text)) throw new Error(`must be ${USER_NAME_RULE}`)
      return text
    },
  },
  adminPassword: {
    env: 'FISH_ADMIN_PASSWORD',
    summary: 'password of the first administrator; generated and printed once when unset',
    parse: (text) => {
      if (text.length < ACCOUNT_LIMITS.minPasswordLength || text.length > ACCOUNT_LIMITS.passwordLength) {
        throw new Error(`must have ${ACCOUNT_LIMITS.minPasswordLength} to ${ACCOUNT_LIMITS.passwordLength} characters`)
      }
      if (!text.isWellFormed()) throw new Error('must be well-formed Unicode text, without lone surrogates')
      return text
    },
  },
  masterApiKey: {
    env: 'FISH_MASTER_API_KEY',
    summary: 'API key that lifts the rate limit',
    parse: (text) => {
      if (text.length < 16) throw new Error('must have at least 16 characters, so that it cannot be guessed')
      return text
    },
  },
  publicUrl: {
    env: 'FISH_PUBLIC_URL',
    placeholder: 'URL',
    summary:
      'address at which players reach the service, such as https://fish.example.org; used in login files, pages and links',
    parse: (text) => {
      const url = text.replace(/\/$/, '')
      const { origin = '' } = URL.parse(url) ?? {}
      if (isOrigin(origin) && /^[/?#]/.test(url.slice(origin.length)) && url.startsWith(origin))
        throw new Error(`"${text}" must end after the host: the service needs a host of its own, without a path`)
      if (!isOrigin(url))
        throw new Error(`"${text}" must be http or https with a host, such as https://fish.example.org`)
      return url
    },
  },
  allowedOrigins: {
    env: 'FISH_ALLOWED_ORIGINS',
    placeholder: 'ORIGINS',
    summary: 'origins without a rate limit, separated by commas; any program can send these origins',
    parse: origins,
  },
  rateLimit: {
    env: 'FISH_RATE_LIMIT',
    placeholder: 'N',
    fallback: String(LIMITS.requests),
    summary: 'requests per client and window',
    parse: integer(1, 1_000_000_000),
  },
  rateWindow: {
    env: 'FISH_RATE_WINDOW',
    placeholder: 'SECONDS',
    fallback: String(LIMITS.windowSeconds),
    summary: 'length of the window, in seconds',
    parse: integer(1, 86_400),
  },
  adminRateLimit: {
    env: 'FISH_ADMIN_RATE_LIMIT',
    placeholder: 'N',
    fallback: String(ACCOUNT_LIMITS.adminRequests),
    summary: 'requests per administrator in 5 minutes',
    parse: integer(1, 1_000_000_000),
  },
  trustProxy: {
    env: 'FISH_TRUST_PROXY',
    placeholder: 'N',
    fallback: '0',
    summary: 'number of trusted proxies that write X-Forwarded-For',
    parse: integer(0, 32),
  },
  jwtSecret: {
    env: 'FISH_JWT_SECRET',
    summary: `secret of at least ${MIN_SESSION_SECRET_BYTES} bytes that signs the sessions of administrators; generated and stored beside the data when unset`,
    parse: sessionSecret,
  },
  secret: {
    env: 'FISH_SECRET',
    summary: 'encrypts keys at rest; generated and stored beside the data when unset',
    parse: secret,
  },
  previousSecrets: {
    env: 'FISH_SECRET_PREVIOUS',
    summary: 'previous value of FISH_SECRET, or a JSON array of previous values, which can still decrypt keys',
    parse: secrets,
  },
  tokenTtl: {
    env: 'FISH_TOKEN_TTL',
    placeholder: 'SECONDS',
    summary: 'maximum age of a token, in seconds; unlimited when unset',
    parse: integer(1, 4_000_000_000),
  },
  publicLeaderboard: {
    env: 'FISH_PUBLIC_LEADERBOARD',
    placeholder: '0|1',
    fallback: '0',
    summary: 'whether everybody can see the leaderboard of the players with the most catches: 1 or 0',
    parse: (text) => integer(0, 1)(text) === 1,
  },
  speciesMinPlayers: {
    env: 'FISH_SPECIES_MIN_PLAYERS',
    placeholder: 'N',
    fallback: String(DEFAULT_MIN_PLAYERS),
    summary: 'number of players who must have a species before everybody sees it in the list of species',
    parse: integer(1, 1_000_000_000),
  },
  species: {
    env: 'FISH_SPECIES',
    placeholder: 'FILE',
    summary: 'JSON file of the species to list, each { name, kind, rarities, hint }; the species of players when unset',
    parse: speciesFile,
  },
  web: {
    env: 'FISH_WEB',
    placeholder: 'on|off',
    fallback: 'on',
    summary: 'whether to serve the web pages at /, /@NAME, /overlay and /admin: on or off',
    parse: (text) => {
      if (text !== 'on' && text !== 'off') throw new Error('must be on or off')
      return text
    },
  },
  log: {
    env: 'FISH_LOG',
    placeholder: 'FORMAT',
    fallback: 'pretty',
    summary: `format of the log: ${LOG_FORMATS.join(', ')}`,
    parse: (text) => {
      const format = LOG_FORMATS.find((each) => each === text)
      if (!format) throw new Error(`must be one of ${LOG_FORMATS.join(', ')}`)
      return format
    },
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>

/**
 * The flag of `fish-cli serve`, without dashes, such as `admin-username` for `FISH_ADMIN_USERNAME`. `undefined` for a
 * setting without a flag.
 */
export function flagOf({ env, placeholder }: Setting<unknown>): string | undefined {
  return placeholder && env.slice('FISH_'.length).toLowerCase().replaceAll('_', '-')
}

function integer(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= minimum && value <= maximum)) throw new Error(`must be a whole number from ${minimum} to ${maximum}`)
    return value
  }
}

/** An IP address or DNS name (RFC 1123, section 2.1, plus underscores). Node interprets '' as any address. */
function host(text: string): string {
  const isName =
    /^(?=.{1,253}$)(?!.*\.\d+\.?$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?$/i
  if (isIP(text) !== 0 || (isName.test(text) && !/^\d+$/.test(text))) return text
  throw new Error('must be an address or a host name without a port, such as 127.0.0.1')
}

function metricsAddress(text: string): 'on' | 'off' | ListenAddress {
  if (text === 'on' || text === 'off') return text
  const [, bracketed, name, port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text) ?? []
  try {
    return { host: host(bracketed ?? name ?? ''), port: integer(0, 65_535)(port) }
  } catch {
    throw new Error('must be on, off or HOST:PORT, such as 127.0.0.1:9100')
  }
}

function secret(text: string): string {
  if (text.trim() === '') throw new Error('is blank: set random characters, or leave the variable unset')
  return text
}

function sessionSecret(text: string): string {
  if (Buffer.byteLength(secret(text)) >= MIN_SESSION_SECRET_BYTES) return text
  throw new Error(`must have at least ${MIN_SESSION_SECRET_BYTES} bytes, as HS256 requires`)
}

/** Several secrets must be a JSON array, because a secret may contain any separator. */
function secrets(text: string): readonly string[] {
  if (!text.trimStart().startsWith('[')) return [secret(text)]
  try {
    const listed: unknown = JSON.parse(text)
    if (Array.isArray(listed) && listed.every((one) => typeof one === 'string' && one.trim() !== '')) return listed
  } catch {
    // The error below does not contain the parser's message, which quotes the input.
  }
  throw new Error('starts with [, so it must be a valid JSON array of strings that are not blank')
}

function gamemodes(text: string): readonly Gamemode[] {
  const names = listed(text)
  const problem = gamemodesProblem(names)
  if (problem !== undefined) throw new Error(`${problem}; separate gamemodes by commas, such as ${GAMEMODES.join(',')}`)
  return names
}

function speciesFile(path: string): SpeciesList {
  let list: unknown
  try {
    list = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    // The parser quotes the file, with its line breaks.
    const message = (error as Error).message.replaceAll(/\s+/g, ' ')
    throw new Error(
      error instanceof SyntaxError ? `"${path}" has a syntax error: ${message}` : `cannot be read: ${message}`,
    )
  }
  const mistakes = speciesMistakes(list)
  if (mistakes.length > 0) throw new MistakesError(mistakes.map((mistake) => `"${path}": ${mistake}`))
  return list as SpeciesList
}

function listed(text: string): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
}

function origins(text: string): readonly string[] {
  const given = listed(text)
  const wrong = given.filter((origin) => !isOrigin(origin))
  if (wrong.length === 0) return given
  const named = wrong.map((origin) => `"${origin}"`).join(', ')
  const what = wrong.length === 1 ? 'is not an origin' : 'are not origins'
  throw new Error(`${named} ${what}; use scheme, host and port only, such as https://example.org`)
}

/** The parsed value of `FISH_STORAGE`. The address of a Redis server may contain a password. */
export type StorageAddress =
  | { readonly driver: 'file'; readonly path: string }
  | { readonly driver: 'memory' }
  | { readonly driver: 'redis'; readonly url: string }
  | ({ readonly driver: 'redis-cluster' } & RedisClusterTarget)

/** @throws Error that names the expected form, but never the address, which may contain a password */
export function parseStorageAddress(text: string): StorageAddress {
  if (text === 'memory:') return { driver: 'memory' }
  if (text.startsWith('file:')) {
    const path = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
    // After `//`, the first part would be a host, as in a URL.
    if (path.startsWith('//')) throw new Error('names a host; write file:FOLDER, or file:///FOLDER from the root')
    if (path === '') throw new Error('names no folder; write file:FOLDER, such as file:./data')
    return { driver: 'file', path }
  }
  if (/^rediss?-cluster:/i.test(text)) return { driver: 'redis-cluster', ...parseRedisClusterUrl(text) }
  if (/^rediss?:/i.test(text)) {
    parseRedisUrl(text)
    return { driver: 'redis', url: text }
  }
  throw new Error('must be file:FOLDER, redis://HOST, redis-cluster://HOST:PORT,HOST:PORT or memory:')
}
