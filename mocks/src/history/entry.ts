import type { CrabEntry, FishEntry, Gamemode, RouteName } from '@fish-crab/sdk/contract'
import type { Transport } from '../service/outcome.ts'

/** A payload that the service accepts. */
interface ValidPayload<Kind, Entry> {
  readonly kind: Kind
  /** The `user` of the payload, if it has one. */
  readonly user?: string
  /** The `gamemode` of the payload, if it has one. */
  readonly gamemode?: string
  /** The catches, with defaults for omitted fields. */
  readonly entries: readonly Entry[]
}

/** The decrypted payload of a write. */
export type WritePayload =
  | ValidPayload<'fish', FishEntry>
  | ValidPayload<'crab', CrabEntry>
  /** The decrypted content is not a valid payload. */
  | { readonly kind: 'invalid'; readonly content: unknown }
  /** The body could not be decrypted. */
  | { readonly kind: 'undecipherable'; readonly reason: 'unknown user' | 'not a token of this user' }
  /** The service refused the body before it was read. */
  | { readonly kind: 'unread' }

/** The decision of the rate limit on a request. */
export interface RateLimitDecision {
  /**
   * - `counted`: accepted and counted
   * - `refused`: over the limit
   * - `bypassed`: accepted without being counted, because of its API key or origin
   * - `exempt`: not subject to the limit, or the storage of the counter was down
   */
  readonly decision: 'counted' | 'refused' | 'bypassed' | 'exempt'
  /** Requests left in the window, if the request was counted. */
  readonly remaining?: number
  /** The end of the window, if the request was counted. */
  readonly resetAt?: Date
}

/** A request to a mock. Keys, passwords and tokens are redacted. */
export interface HistoryEntry {
  /** How the request reached the mock. */
  readonly transport: Transport
  /** HTTP method, in capitals. */
  readonly method: string
  /** The canonical path, without `/v1`, a trailing slash and so on. */
  readonly path: string
  /** The name of the route, such as `postFish`. */
  readonly route: RouteName | 'unmatched'
  readonly query: Readonly<Record<string, string>>
  /** Request headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The user that the request names, or the owner of the request's API key. */
  readonly user: string | undefined
  /** The address of the client. */
  readonly client: string
  /** The time of arrival, on the clock of the mock. */
  readonly at: Date
  /** The fault that was applied. @example 'status 503' */
  readonly fault: string | undefined
  /** The payload, if the request is a write. */
  readonly payload?: WritePayload
  /** The status of the response, even if a fault prevented the response from arriving. `undefined` while in flight. */
  readonly status: number | undefined
  /** The `x-request-id` of the response. `undefined` while in flight. */
  readonly requestId: string | undefined
  /** The decision of the rate limit. `undefined` while in flight. */
  readonly rateLimit: RateLimitDecision | undefined
}

/** The sender of a catch. */
interface SentBy {
  /** The user whom the request names. */
  readonly user: string
  /** The gamemode of the payload, the header or the query. */
  readonly gamemode: Gamemode
}

/** A fish as a client sent it. The rarity is a number; `caughtAt` is present only if the client sent it. */
export interface SentFish extends SentBy, FishEntry {}

/** A crab as a client sent it. `caughtAt` is present only if the client sent it. */
export interface SentCrab extends SentBy, CrabEntry {}
