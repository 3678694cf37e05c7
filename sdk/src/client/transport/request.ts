import type { Route } from '../../contract/routes.ts'
import type { CallOptions } from '../core/options.ts'
import type { RateLimiter } from '../rate-limiter/rate-limiter.ts'

/** Removes the secrets of a request from a text. */
export type Redactor = <Text extends string | undefined>(text: Text) => Text

export interface ApiRequest {
  readonly route: Route
  /** The parameters of its path. */
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as the body. */
  readonly json?: unknown
  /** A body of another kind. Called once, right before the first attempt; later attempts send the same body. */
  readonly body?: () => Promise<string>
  readonly options: CallOptions
  /** Receives the body of a successful response unread. */
  readonly onStream?: (body: ReadableStream<Uint8Array> | null) => void
  /**
   * What the server counts the request under. Left out: the address, or the API key. A name: a limit of its own, shared by
   * all clients. Or this very limiter.
   */
  readonly limiter?: string | RateLimiter
}
