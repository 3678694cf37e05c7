import type { FishStorage } from '../storage/types.ts'
import type { Docs } from './docs.ts'
import type { RandomSource } from './ids.ts'
import type { RateLimit } from './limits/rate-limit.ts'
import type { Metrics } from './metrics.ts'

/** Hashes passwords, slowly. The app brings none: what is slow enough depends on the platform. */
export interface PasswordHasher {
  /** The hash of a password, with all that verifying it needs. */
  hash(password: string): Promise<string>
  /** Whether a password has this hash. */
  verify(password: string, hash: string): Promise<boolean>
}

/** Where the app says what happens. Fields never hold a secret. */
export interface Logger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** The secrets of the service. */
export interface AppSecrets {
  /** Seals keys at rest (`FISH_SECRET`). */
  readonly seal: string
  /** Older ones that still open what they sealed (`FISH_SECRET_PREVIOUS`). @default none */
  readonly sealPrevious?: readonly string[]
  /** Signs administrators' sessions (`FISH_JWT_SECRET`). At least 32 bytes (RFC 7518, section 3.2). */
  readonly session: string
}

/** What {@link createApp} takes. */
export interface AppOptions {
  /** Where everything is kept. The app does not dispose of it. */
  readonly storage: FishStorage
  readonly secrets: AppSecrets
  readonly passwords: PasswordHasher
  /** Version of the API, as `/status` reports it. */
  readonly version: string
  /** The address of the client that sent a request; see `forwardedAddress` for proxies. */
  readonly clientAddress: (request: Request) => string
  /** Unix time in milliseconds. @default Date.now */
  readonly clock?: () => number
  /** @default crypto.getRandomValues */
  readonly random?: RandomSource
  /** @default silence */
  readonly logger?: Logger
  /** The public rate limit. @default 25 requests per 300 s */
  readonly rateLimit?: RateLimit
  /** The rate limit of each administrator. @default 300 requests per 300 s */
  readonly adminRateLimit?: RateLimit
  /** Lifts the rate limit for whoever sends it as `x-api-key`. @default none */
  readonly masterApiKey?: string
  /** Origins whose requests are not limited, and whose pages may post. Compared exactly. @default none */
  readonly allowedOrigins?: readonly string[]
  /** How old a token may be, in seconds. @default any age */
  readonly tokenTtlSeconds?: number
  /** Whether `/readyz` may say yes; turned off while the host shuts down. @default always */
  readonly isAccepting?: () => boolean
  /** Where the app counts what it does, answered at `/metrics`. @default nowhere, and `/metrics` is not served */
  readonly metrics?: Metrics
  /**
   * What answers are made of. A host that can send an answer faster when it is of a class of its own names that here.
   * @default the platform's `Response`
   */
  readonly responseClass?: typeof Response
  /** The API reference, answered at `/docs`. @default none, and `/docs` is not served */
  readonly docs?: Docs
}
