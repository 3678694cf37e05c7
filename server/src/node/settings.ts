import { isIP } from 'node:net'
import { isUserName, LIMITS, USER_NAME_RULE } from '@fish-crab/sdk/contract'
import { MIN_SESSION_SECRET_BYTES } from '../app/options.ts'
import { parseRedisClusterUrl, parseRedisUrl, type RedisClusterTarget } from '../storage/redis/address.ts'

/** How the log is written. */
export const LOG_FORMATS = ['pretty', 'json', 'silent'] as const

/** One of {@link LOG_FORMATS}. */
export type LogFormat = (typeof LOG_FORMATS)[number]

/** An address to listen on. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** One setting of the server: where it comes from, what it means and how its text is read. */
export interface Setting<Value> {
  /** The environment variable. */
  readonly env: string
  /** The flag of `fish-cli serve`, without dashes. Secrets have none: an argument list is no place for them. */
  readonly flag?: string
  /** What stands for the value of the flag in help, such as `SECONDS`. */
  readonly placeholder?: string
  readonly summary: string
  /** What counts when nothing is given, as text; absent where there is nothing then. */
  readonly fallback?: string
  /** Whether a text holds a secret: such a text is refused as a flag. */
  readonly holdsSecret?: (text: string) => boolean
  /** Reads the text, or throws an error that says what it should have been. */
  readonly parse: (text: string) => Value
}

/** Every setting of the server (SPEC, "Operations"). A flag wins over the environment. */
export const SETTINGS = {
  host: setting({
    env: 'FISH_HOST',
    flag: 'host',
    placeholder: 'HOST',
    fallback: '127.0.0.1',
    summary: 'address to listen on',
    parse: host,
  }),
  port: setting({
    env: 'FISH_PORT',
    flag: 'port',
    placeholder: 'PORT',
    fallback: '8787',
    summary: 'port to listen on; 0 takes any free one',
    parse: integer(0, 65_535),
  }),
  metrics: setting<'on' | 'off' | ListenAddress>({
    env: 'FISH_METRICS',
    flag: 'metrics',
    placeholder: 'WHERE',
    fallback: 'on',
    summary: 'where /metrics is: on (beside everything else), off, or HOST:PORT of its own',
    parse: metricsAddress,
  }),
  storage: setting<StorageAddress>({
    env: 'FISH_STORAGE',
    flag: 'storage',
    placeholder: 'ADDRESS',
    fallback: 'file:./data',
    summary: 'where everything is kept: file:FOLDER, redis://HOST, redis-cluster://HOST:PORT,HOST:PORT or memory:',
    holdsSecret: holdsPassword,
    parse: parseStorageAddress,
  }),
  redisWait: setting({
    env: 'FISH_REDIS_WAIT',
    flag: 'redis-wait',
    placeholder: 'N',
    summary: 'replicas of Redis that have a write before it is acknowledged; 1 when unset and Redis has replicas',
    parse: integer(0, 16),
  }),
  adminUsername: setting({
    env: 'FISH_ADMIN_USERNAME',
    flag: 'admin-username',
    placeholder: 'NAME',
    summary: 'name of the first administrator',
    parse: (text) => {
      if (!isUserName(text) || /^\.{1,2}$/.test(text)) throw new Error(`must be ${USER_NAME_RULE}`)
      return text
    },
  }),
  adminPassword: setting({
    env: 'FISH_ADMIN_PASSWORD',
    summary: 'password of the first administrator; made and printed once when unset',
    parse: (text) => {
      if (text.length < LIMITS.minPasswordLength || text.length > LIMITS.passwordLength) {
        throw new Error(`must have ${LIMITS.minPasswordLength} to ${LIMITS.passwordLength} characters`)
      }
      if (!text.isWellFormed()) throw new Error('must be Unicode text, without halves of surrogate pairs')
      return text
    },
  }),
  masterApiKey: setting({
    env: 'FISH_MASTER_API_KEY',
    summary: 'API key that lifts the rate limit for whoever sends it',
    parse: (text) => {
      if (text.length < 16) throw new Error('must have at least 16 characters, so that it cannot be guessed')
      return text
    },
  }),
  allowedOrigins: setting<readonly string[]>({
    env: 'FISH_ALLOWED_ORIGINS',
    flag: 'allowed-origins',
    placeholder: 'ORIGINS',
    summary: 'origins that are not rate limited, separated by commas',
    parse: origins,
  }),
  rateLimit: setting({
    env: 'FISH_RATE_LIMIT',
    flag: 'rate-limit',
    placeholder: 'N',
    fallback: String(LIMITS.requests),
    summary: 'requests per client and window',
    parse: integer(1, 1_000_000_000),
  }),
  rateWindow: setting({
    env: 'FISH_RATE_WINDOW',
    flag: 'rate-window',
    placeholder: 'SECONDS',
    fallback: String(LIMITS.windowSeconds),
    summary: 'length of the window, in seconds',
    parse: integer(1, 86_400),
  }),
  adminRateLimit: setting({
    env: 'FISH_ADMIN_RATE_LIMIT',
    flag: 'admin-rate-limit',
    placeholder: 'N',
    fallback: String(LIMITS.adminRequests),
    summary: 'requests per administrator in 5 minutes',
    parse: integer(1, 1_000_000_000),
  }),
  trustProxy: setting({
    env: 'FISH_TRUST_PROXY',
    flag: 'trust-proxy',
    placeholder: 'N',
    fallback: '0',
    summary: 'how many proxies in front are trusted to write X-Forwarded-For',
    parse: integer(0, 32),
  }),
  jwtSecret: setting({
    env: 'FISH_JWT_SECRET',
    summary: `signs administrators' sessions, at least ${MIN_SESSION_SECRET_BYTES} bytes; made and kept beside the data when unset`,
    parse: sessionSecret,
  }),
  secret: setting({
    env: 'FISH_SECRET',
    summary: 'seals keys at rest; made and kept beside the data when unset',
    parse: secret,
  }),
  previousSecrets: setting<readonly string[]>({
    env: 'FISH_SECRET_PREVIOUS',
    summary: 'the FISH_SECRET before this one, or several as a JSON array of strings; they still open what they sealed',
    parse: secrets,
  }),
  tokenTtl: setting({
    env: 'FISH_TOKEN_TTL',
    flag: 'token-ttl',
    placeholder: 'SECONDS',
    summary: 'how old a token may be, in seconds; any age when unset',
    parse: integer(1, 4_000_000_000),
  }),
  log: setting<LogFormat>({
    env: 'FISH_LOG',
    flag: 'log',
    placeholder: 'FORMAT',
    fallback: 'pretty',
    summary: `how the log is written: ${LOG_FORMATS.join(', ')}`,
    parse: (text) => {
      const format = LOG_FORMATS.find((each) => each === text)
      if (!format) throw new Error(`must be one of ${LOG_FORMATS.join(', ')}`)
      return format
    },
  }),
} as const

function setting<Value>(definition: Setting<Value>): Setting<Value> {
  return definition
}

function integer(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= minimum && value <= maximum)) throw new Error(`must be a whole number from ${minimum} to ${maximum}`)
    return value
  }
}

/** An IP address, or a name as DNS has them (RFC 1123, section 2.1; underscores occur). Node takes '' for any address. */
function host(text: string): string {
  const isName =
    /^(?=.{1,253}$)(?!.*\.\d+\.?$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?$/i
  if (isIP(text) !== 0 || (isName.test(text) && !/^\d+$/.test(text))) return text
  throw new Error('must be an address or a host name alone, such as 127.0.0.1; the port is a setting of its own')
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
  if (text.trim() === '') throw new Error('is blank: give random characters, or leave it unset')
  return text
}

function sessionSecret(text: string): string {
  if (Buffer.byteLength(secret(text)) >= MIN_SESSION_SECRET_BYTES) return text
  throw new Error(`must have at least ${MIN_SESSION_SECRET_BYTES} bytes, as HS256 requires`)
}

/** A secret may hold any character, so no separator is safe: several are a JSON array, and anything else is one. */
function secrets(text: string): readonly string[] {
  if (!/^\s*\[\s*"/.test(text)) return [text]
  try {
    const listed: unknown = JSON.parse(text)
    if (Array.isArray(listed) && listed.every((one) => typeof one === 'string' && one !== '')) return listed
  } catch {
    // Told below, without the parser's message: it quotes what it read.
  }
  throw new Error('begins like a JSON array, but is not one of strings that are not empty')
}

function origins(text: string): readonly string[] {
  const listed = text
    .split(',')
    .map((origin) => origin.trim())
    .filter(Boolean)
  for (const origin of listed) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new Error(`"${origin}" is not an origin; write scheme, host and port alone, such as https://example.org`)
    }
  }
  return listed
}

/** Where the service keeps everything, as `FISH_STORAGE` says it. That of a Redis may hold a password. */
export type StorageAddress =
  | { readonly driver: 'file'; readonly path: string }
  | { readonly driver: 'memory' }
  | { readonly driver: 'redis'; readonly url: string }
  | ({ readonly driver: 'redis-cluster' } & RedisClusterTarget)

/**
 * Reads a storage address.
 * @throws Error with what it should have been; the address itself is not repeated, since it may hold a password
 * @example parseStorageAddress('file:./data') // { driver: 'file', path: './data' }
 */
export function parseStorageAddress(text: string): StorageAddress {
  if (text === 'memory:') return { driver: 'memory' }
  if (text.startsWith('file:')) {
    const path = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
    // Written like a URL, `x` would be a host: a folder of that name, or one at the root, is hardly what was meant.
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

/** Whether a storage address holds a password, which has no place in an argument list. */
function holdsPassword(address: string): boolean {
  return /^[a-z-]+:\/\/[^/]*@/i.test(address)
}
