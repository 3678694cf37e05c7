import type { RouteName } from '@fish-crab/sdk/contract'

/**
 * Hashes passwords, slowly. The app brings none: what is slow enough depends on the platform. It asks for two at once at
 * most, so a flood of logins takes no more memory than these.
 */
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

/** What the public rate limit decided: `bypassed` stands for requests that something lifts the limit for. */
export type RateLimitDecision = 'allowed' | 'refused' | 'bypassed'

/** One answered request. */
export interface RequestObservation {
  /** The route of the contract; `unmatched` where there is none. */
  readonly route: RouteName | 'unmatched'
  /** The HTTP method; `other` for what no route has. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE' | 'OPTIONS' | 'other'
  readonly status: number
  /** From its arrival until its answer was ready to be sent; the sending of a long body is not in it. */
  readonly seconds: number
}

/** One operation of the storage, settled. */
export interface StorageObservation {
  /** Name of the operation; one of a fixed few. */
  readonly operation: string
  readonly seconds: number
  readonly failed: boolean
}

/** What a scrape gets. */
export interface RenderedMetrics {
  readonly body: string
  readonly contentType: string
}

/**
 * Where the app counts what it does. The app brings none: what can be measured depends on the platform. No label
 * comes from a client, so the number of series is bounded.
 */
export interface Metrics {
  /** Monotonic time in milliseconds, which durations are measured with. */
  now(): number
  observeRequest(observation: RequestObservation): void
  observeRateLimit(decision: RateLimitDecision): void
  observeStorage(observation: StorageObservation): void
  /** All of it, as `GET /metrics` answers it. */
  render(): Promise<RenderedMetrics>
}

/** What a host knows of a request beside the request itself. */
export interface RequestHost {
  /**
   * The address of the client that sent it; see `forwardedAddress` for proxies. Anything but a string counts as absent,
   * so that `fetch` can be handed to a host that calls it with arguments of its own.
   * @default what `clientAddress` of `createApp` says
   */
  readonly address?: unknown
  /**
   * The target of the request as it was sent, such as `/status?x=1`. With it, spellings that proxies resolve in other
   * ways than a URL does are refused with 400. Anything but a string counts as absent. @default nothing is refused
   */
  readonly target?: unknown
}
