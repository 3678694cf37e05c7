import type { ErrorCode, RouteName } from '@fish-crab/sdk/contract'

/*
 * The platform-dependent parts that a host provides.
 */

/** Hashes passwords slowly. At most two run at once, so a flood of logins takes no more memory than two hashes. */
export interface PasswordHasher {
  /** Returns the hash of a password, with everything that verifying it needs. */
  hash(password: string): Promise<string>
  /** Whether a password has this hash. */
  verify(password: string, hash: string): Promise<boolean>
  /** Whether a hash should be replaced by one of `hash` when its password is known. @default never */
  isOutdated?(hash: string): boolean
}

/** Receives log lines. Fields never hold a secret. */
export interface Logger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Decision of the public rate limit. `bypassed`: an API key or an origin lifts the limit. */
export type RateLimitDecision = 'allowed' | 'refused' | 'bypassed'

/** A request with its response. */
export interface RequestObservation {
  /** Route of the contract, or `unmatched`. */
  readonly route: RouteName | 'unmatched'
  /** HTTP method, or `other` if no route has it. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE' | 'OPTIONS' | 'other'
  readonly status: number
  /** The error code of an error response. */
  readonly code?: ErrorCode
  /** From the arrival of the request until its response is ready, without the time to send it. */
  readonly seconds: number
}

/** A settled storage operation. */
export interface StorageObservation {
  /** Name of the operation, one of a fixed few. */
  readonly operation: string
  readonly seconds: number
  readonly failed: boolean
}

/** Numbers of stored users and catches. */
export interface StoredTotals {
  readonly users: number
  readonly catches: readonly { readonly kind: string; readonly gamemode: string; readonly count: number }[]
}

/** Response to a scrape. */
export interface RenderedMetrics {
  readonly body: string
  readonly contentType: string
}

/** Counts what the app does. No label comes from a client, so the number of series is bounded. */
export interface Metrics {
  observeRequest(observation: RequestObservation): void
  observeRateLimit(decision: RateLimitDecision): void
  observeStorage(observation: StorageObservation): void
  /** Called with the number of open event streams when it changes. */
  observeStreams?(open: number): void
  /** Called before `render` with the totals, at most 10 s old; `undefined` while the storage does not return them. */
  observeTotals?(totals: StoredTotals | undefined): void
  /** Returns all metrics, for `GET /metrics`. */
  render(): Promise<RenderedMetrics>
}

/** Renders an SVG picture of a card as PNG. It needs the fonts that the picture names. */
export type CardRenderer = (svg: string) => Promise<Uint8Array<ArrayBuffer>>

/** What a host knows about a request besides the request itself. */
export interface RequestHost {
  /**
   * Address of the client; see `forwardedAddress` for proxies. Ignored unless a string, so that `fetch` can be passed to
   * hosts that call it with arguments of their own.
   * @default the result of `clientAddress` of `createApp`
   */
  readonly address?: unknown
  /**
   * Request target as received, such as `/status?x=1`. With it, spellings that proxies resolve differently from a URL
   * are refused with 400. Ignored unless a string. @default nothing is refused
   */
  readonly target?: unknown
}
