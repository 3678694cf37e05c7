import type { CrabEntry, FishEntry, Gamemode, RarityLabel, RouteName } from '@fish-crab/sdk/contract'
import type { Lane } from '../mock/outcome.ts'

/** What a request wanted to write, decrypted. */
export type SentPayload =
  | {
      readonly kind: 'fish'
      readonly user?: string
      readonly gamemode?: string
      readonly entries: readonly FishEntry[]
    }
  | {
      readonly kind: 'crab'
      readonly user?: string
      readonly gamemode?: string
      readonly entries: readonly CrabEntry[]
    }
  /** It could be decrypted, and is not of the expected form. */
  | { readonly kind: 'invalid'; readonly content: unknown }
  /** It could not be decrypted: there is no such user, or it is no token of this user's key. */
  | { readonly kind: 'undecipherable'; readonly reason: 'unknown user' | 'not a token of this user' }
  /** The service refused it before it had all arrived. */
  | { readonly kind: 'unread' }

/** What the rate limit made of a request. */
export interface LimitDecision {
  /**
   * - `counted`: let in, and counted
   * - `refused`: one too many
   * - `bypassed`: let in without being counted, by its API key or origin
   * - `exempt`: nothing counts such requests, or the storage that counts was down
   */
  readonly decision: 'counted' | 'refused' | 'bypassed' | 'exempt'
  /** How many are left in the window, where it was counted. */
  readonly remaining?: number
  /** When the window ends, where it was counted. */
  readonly resetAt?: Date
}

/** One request that reached a world. Holds no secret: neither keys, nor passwords, nor tokens. */
export interface JournalEntry {
  readonly lane: Lane
  readonly method: string
  /** The path in its one spelling: without `/v1`, a trailing slash and the like. */
  readonly path: string
  /** The name of the route. `unmatched`: nobody serves that. */
  readonly route: RouteName | 'unmatched'
  /** The query, secrets of the world blanked out. */
  readonly query: Readonly<Record<string, string>>
  /** The headers, secrets blanked out. */
  readonly headers: Readonly<Record<string, string>>
  /** The user it is about: the one it names, or whose API key it carries. */
  readonly user: string | undefined
  /** The address of the client. */
  readonly client: string
  /** When it came, by the world's clock. */
  readonly at: Date
  /** The fault that struck it. @example 'status 503' */
  readonly fault: string | undefined
  /** What a write wanted to store. */
  readonly payload?: SentPayload
  /** The status of the answer, also of one that was lost. `undefined` while it is under way. */
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly limit: LimitDecision | undefined
}

/** A catch that was stored. */
export interface StoredCatch {
  readonly user: string
  readonly gamemode: Gamemode
  readonly name: string
  /** The id of its record: catches of one write share it. */
  readonly id: string
  /** ISO 8601. */
  readonly caughtAt: string
}

/** A fish that was stored. */
export interface StoredFish extends StoredCatch {
  readonly rarity: RarityLabel
}

/** A crab that was stored. */
export type StoredCrab = StoredCatch
