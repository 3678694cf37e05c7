import type { ErrorCode, RouteName } from '@fish-crab/sdk/contract'

/*
 * The platform-dependent parts that a host provides.
 */

/**
 * Hashes passwords slowly. The app computes at most two hashes at the same time, so a flood of logins takes no more
 * memory than two hashes.
 */
export interface PasswordHasher {
  /** Returns the hash of a password, including the salt and the parameters that `verify` needs. */
  hash(password: string, options?: HashOptions): Promise<string>
  /** Whether a password has this hash. */
  verify(password: string, hash: string): Promise<boolean>
  /** Whether a hash was made with `isRandom`, so that `verify` takes less time. @default never */
  isCheap?(hash: string): boolean
  /** Whether a new result of `hash` should replace this hash at the next login of the administrator. @default never */
  isOutdated?(hash: string): boolean
}

/** Facts about a password to hash. */
export interface HashOptions {
  /** The password was generated from at least 100 random bits, so a cheap hash protects it. @default false */
  readonly isRandom?: boolean
}

/** Receives log lines. Fields never contain a secret. */
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
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'other'
  /** HTTP status. */
  readonly status: number
  /** The error code of an error response. */
  readonly code?: ErrorCode
  /** Seconds from the arrival of the request until its response is ready, without the time to send the response. */
  readonly seconds: number
}

/** A storage operation that has succeeded or failed. */
export interface StorageObservation {
  /** Name of the operation, from a small fixed set. */
  readonly operation: string
  /** Duration of the operation. */
  readonly seconds: number
  /** Whether the operation rejected. */
  readonly failed: boolean
}

/** Numbers of stored users and catches. */
export interface StoredTotals {
  /** Number of players. */
  readonly users: number
  /** Number of catches, by kind and gamemode. */
  readonly catches: readonly { readonly kind: string; readonly gamemode: string; readonly count: number }[]
}

/** Response to a scrape. */
export interface RenderedMetrics {
  /** The metrics as text. */
  readonly body: string
  /** @example 'text/plain; version=0.0.4; charset=utf-8' */
  readonly contentType: string
}

/** Collects metrics of the app. No label comes from a client, so the number of series is bounded. */
export interface Metrics {
  /** Called after each response. */
  observeRequest(observation: RequestObservation): void
  /** Called after each decision of the public rate limit. */
  observeRateLimit(decision: RateLimitDecision): void
  /** Called after each operation of the storage. */
  observeStorage(observation: StorageObservation): void
  /** Called with the number of open event streams when it changes. */
  observeStreams?(open: number): void
  /**
   * Called before `render` with the totals, which are at most 10 s old, or with `undefined` while the storage fails.
   */
  observeTotals?(totals: StoredTotals | undefined): void
  /** Returns all metrics, for `GET /metrics`. */
  render(): Promise<RenderedMetrics>
}

/** Renders an SVG picture of a card as PNG. The renderer needs the fonts that the picture names. */
export type CardRenderer = (svg: string) => Promise<Uint8Array<ArrayBuffer>>

/** A request that the app has routed and not yet processed; see `onRequest` of `createApp`. */
export interface RoutedRequest {
  /** The request, as passed to `fetch`. */
  readonly request: Request
  /** Route of the contract, or `unmatched`. */
  readonly route: RouteName | 'unmatched'
  /** The canonical path; see `canonicalPath`. */
  readonly path: string
  /** Percent-decoded parameters of the path. @example { name: 'Alex' } */
  readonly params: Readonly<Record<string, string>>
  /** The query. It is empty if the app refuses the query because of its length. */
  readonly query: URLSearchParams
  /**
   * Reads and decrypts the body of a write. The app and all callers share one result, so the body is read once. Also
   * decrypts a write that the app refused. Resolves to `undefined` if the body is not a token of the user. Rejects with
   * the error of the service if the user does not exist or the body is unreadable.
   */
  payload(): Promise<Uint8Array | undefined>
}

/**
 * Reads the body of a request. Rejects with the error of `tooLarge` as soon as the body exceeds `maxBytes`, and leaves
 * the rest unread. Also rejects if the client closes the request.
 */
export type BodyReader = (maxBytes: number, tooLarge: () => Error) => Promise<Uint8Array<ArrayBuffer>>

/** Facts about a request that only the host knows. */
export interface RequestHost {
  /**
   * Address of the client; see `forwardedAddress` for proxies. Any value other than a string is ignored, so that
   * `fetch` can be passed to hosts that add arguments of their own.
   * @default the result of `clientAddress` of `createApp`
   */
  readonly address?: unknown
  /**
   * Request target as received, such as `/status?x=1`. The app responds with 400 to a target that a proxy and the app
   * may resolve to different paths. Any value other than a string is ignored. @default no target is refused
   */
  readonly target?: unknown
  /**
   * A {@link BodyReader} that is faster than the stream of the request. Any value other than a function is ignored.
   * @default reads the stream
   */
  readonly readBody?: unknown
  /**
   * A function `() => boolean` that returns whether the client closed the request, faster than the signal of the request.
   * Any value other than a function is ignored. @default reads the signal
   */
  readonly isClosed?: unknown
}
