import { GAMEMODE_RULE, type Gamemode } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../storage/core/types.ts'
import { gamemodesProblem } from './catches/gamemodes.ts'
import { type SpeciesPolicy, speciesMistakes } from './catches/species-census.ts'
import type { CardRenderer, Logger, Metrics, PasswordHasher, RoutedRequest } from './core/host.ts'
import type { RandomSource } from './core/ids.ts'
import type { Schedule } from './core/schedule.ts'
import { isOrigin } from './http/cors.ts'
import type { ContentEncoder } from './http/encoding.ts'
import type { RateLimit } from './http/rate-limit.ts'
import type { Docs, Pages } from './http/response.ts'
import type { StreamOptions } from './live/streams.ts'
import type { Encryption } from './users/encryption.ts'

/** Secrets of the service. */
export interface AppSecrets {
  /** Encrypts users' keys at rest (`FISH_SECRET`). */
  readonly encryption: string
  /** Previous secrets, which only decrypt (`FISH_SECRET_PREVIOUS`). @default none */
  readonly previousEncryption?: readonly string[]
  /**
   * Signs administrators' sessions and cursors of listings (`FISH_JWT_SECRET`). At least 32 bytes (RFC 7518, section 3.2).
   */
  readonly session: string
}

/** Options of `createApp`. */
export interface AppOptions {
  /** Storage of all data. The app does not dispose of the storage. */
  readonly storage: FishStorage
  /** The secrets of the service. Keep them: without them, the stored keys of players cannot be decrypted. */
  readonly secrets: AppSecrets
  /** Hashes and verifies passwords. `createScryptHasher` does this on Node. */
  readonly passwords: PasswordHasher
  /** Encrypts users' keys at rest. @default AES-256-GCM of WebCrypto, under `secrets.encryption` */
  readonly encryption?: Encryption
  /** Version of the API, as `/status` reports it. */
  readonly version: string
  /**
   * The gamemodes of the service, in display order: 1 to 32 different names. Each name has 1 to 32 characters of a-z,
   * 0-9, `_` and `-`. See `checkGamemodes` before you remove a gamemode.
   * @default oneblock, earth, survival, factions
   */
  readonly gamemodes?: readonly Gamemode[]
  /**
   * Returns the address of the client, for hosts that provide the address in the request; see `forwardedAddress` for
   * proxies. An address that is passed to `fetch` overrides the result.
   * @default none: every call of `fetch` must pass an address
   */
  readonly clientAddress?: (request: Request) => string
  /** Returns the current Unix time in milliseconds. @default Date.now */
  readonly clock?: () => number
  /** @default crypto.getRandomValues */
  readonly random?: RandomSource
  /** @default silence */
  readonly logger?: Logger
  /** The public rate limit. @default 25 requests per 300 s */
  readonly rateLimit?: RateLimit
  /** The rate limit of each administrator. @default 300 requests per 300 s */
  readonly adminRateLimit?: RateLimit
  /** Key that lifts the rate limit when sent as `x-api-key`. @default none */
  readonly masterApiKey?: string
  /**
   * The address that players use, such as `https://fish.example.org`: an http or https origin. `/status` and the pages
   * show this address. @default unknown
   */
  readonly publicUrl?: string
  /** Origins that have no rate limit and may use all public endpoints. Origins are compared exactly. @default none */
  readonly allowedOrigins?: readonly string[]
  /** Maximum age of a token, in seconds. @default unlimited */
  readonly tokenTtlSeconds?: number
  /** Whether `/get/leaderboard` is public. @default false: the route does not exist */
  readonly publicLeaderboard?: boolean
  /** Which species `/get/species` lists. @default every species that three players have */
  readonly species?: SpeciesPolicy
  /**
   * Returns whether the host accepts requests. While the host accepts no requests, `/readyz` and new event streams
   * fail. @default true
   */
  readonly isAccepting?: () => boolean
  /** Collects the metrics of the app for `/metrics`. @default none, and `/metrics` is not served */
  readonly metrics?: Metrics
  /**
   * Whether `fetch` serves `/metrics`. A host that restricts access to metrics turns this option off and calls
   * `fetchMetrics` instead.
   * @default true
   */
  readonly metricsRoute?: boolean
  /**
   * Called once for each request of `fetch`, after routing and before the app counts or authenticates the request. The
   * app sends the returned response unchanged and does not process the request.
   * @default none: the app processes every request
   * @example
   * const onRequest = ({ route }: { route: string }) =>
   *   route === 'postFish' ? new Response(null, { status: 503 }) : undefined
   */
  readonly onRequest?: (routed: RoutedRequest) => Promise<Response | undefined> | Response | undefined
  /**
   * Class of responses, for hosts that send instances of their own class faster.
   * @default `globalThis.Response` at the time of each request, because some hosts replace this class
   */
  readonly responseClass?: typeof Response
  /**
   * Encodes responses for clients that accept a content coding.
   * @default gzip by the platform; see `createPlatformEncoder`
   */
  readonly contentEncoder?: ContentEncoder
  /**
   * Sets the timers of event streams: calls a function once after the given number of milliseconds, and returns a
   * function that cancels the call.
   * @default setTimeout, which does not keep a process alive
   */
  readonly schedule?: Schedule
  /** Limits and intervals of event streams (`/events`). */
  readonly streams?: StreamOptions
  /** The API reference at `/docs`. @default none, and `/docs` is not served */
  readonly docs?: Docs
  /** The pages for people, at `/`, `/@NAME`, `/overlay` and `/admin`. @default none, and no page is served */
  readonly pages?: Pages
  /**
   * Renders the cards of players at `/@NAME/card.png`. The text of a card is in the font Manrope. Previews of links to
   * the page of a player show the card if `publicUrl` is set. @default none, and no card is served
   */
  readonly renderCard?: CardRenderer
}

/** RFC 7518, section 3.2: a key for HS256 has at least 256 bits. */
export const MIN_SESSION_SECRET_BYTES = 32

type Check = (value: unknown) => boolean
/** A check, and the expected value for its error message. */
type Rule = readonly [isValid: Check, expectation: string]

const isFunction: Check = (value) => typeof value === 'function'
const isFilled: Check = (value) => typeof value === 'string' && value.trim() !== ''
const isPositive: Check = (value) => Number.isSafeInteger(value) && Number(value) > 0
const isLong: Check = (value) =>
  typeof value === 'string' && new TextEncoder().encode(value).length >= MIN_SESSION_SECRET_BYTES
const has =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    Object.entries(fields).every(([name, isValid]) => isValid(Object(value)[name]))
const optional =
  (isValid: Check): Check =>
  (value) =>
    value === undefined || isValid(value)

const LIMIT: Rule = [
  optional(has({ requests: isPositive, windowMs: isPositive })),
  'must be { requests, windowMs }, both positive whole numbers.',
]

/** The rules of options. Without these rules, mistakes would cause errors far from their origin. */
const RULES: Readonly<Partial<Record<keyof AppOptions, Rule>>> = {
  storage: [
    has({ append: isFunction, countInWindow: isFunction, items: has({ getItem: isFunction }) }),
    'must come from createStorage(), createMemoryStorage() or wrapDriver() of @fish-crab/server/storage. An unstorage instance alone lacks the atomic operations of the service.',
  ],
  passwords: [
    has({ hash: isFunction, verify: isFunction }),
    'must have the functions hash(password) and verify(password, hash).',
  ],
  encryption: [
    optional(has({ encrypt: isFunction, decrypt: isFunction })),
    'must have the functions encrypt(text, owner) and decrypt(encrypted, owner).',
  ],
  version: [isFilled, 'must be a string such as "1.0.0".'],
  gamemodes: [
    optional((value) => Array.isArray(value) && gamemodesProblem(value) === undefined),
    `must be 1 to 32 different names of ${GAMEMODE_RULE}.`,
  ],
  clientAddress: [optional(isFunction), 'must be a function that returns the address of a request as a string.'],
  onRequest: [optional(isFunction), 'must be a function that returns a response or undefined.'],
  renderCard: [optional(isFunction), 'must be a function that returns the PNG of an SVG.'],
  rateLimit: LIMIT,
  adminRateLimit: LIMIT,
  publicUrl: [optional(isOrigin), 'must be an origin such as "https://fish.example.org".'],
  allowedOrigins: [optional(Array.isArray), 'must be a list of origins such as "https://example.com".'],
  species: [
    optional(has({ minPlayers: optional(isPositive), list: optional((list) => speciesMistakes(list).length === 0) })),
    'must have minPlayers, a positive whole number, or list, 1 to 2,000 different { name, kind, rarities, hint }.',
  ],
  contentEncoder: [
    optional(has({ codings: Array.isArray, encode: isFunction, encodeStream: isFunction })),
    'must come from createPlatformEncoder() or createNodeEncoder(), or have codings, encode() and encodeStream().',
  ],
}

const SECRET_RULES: Readonly<Record<keyof AppSecrets, Rule>> = {
  encryption: [isFilled, 'must be a string that is not blank.'],
  previousEncryption: [
    optional((value) => Array.isArray(value) && value.every(isFilled)),
    'must be a list of strings that are not blank.',
  ],
  session: [isLong, `must be a string of at least ${MIN_SESSION_SECRET_BYTES} bytes.`],
}

/** @throws TypeError that names the option and the expected value, without repeating secrets */
export function checkAppOptions(options: AppOptions): void {
  checkRules('', options, RULES)
  checkRules('secrets.', options?.secrets, SECRET_RULES)
}

function checkRules(prefix: string, values: unknown, rules: Readonly<Record<string, Rule>>): void {
  for (const [name, [isValid, expectation]] of Object.entries(rules)) {
    if (!isValid(Object(values)[name])) throw new TypeError(`createApp: ${prefix}${name} ${expectation}`)
  }
}
