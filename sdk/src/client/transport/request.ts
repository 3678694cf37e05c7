import type { Route } from '../../contract/routes.ts'
import type { CallOptions } from '../core/call-options.ts'
import type { RateLimiter } from '../rate-limiter/rate-limiter.ts'

/** Removes the secrets of a request from a text. */
export type Redactor = <Text extends string | undefined>(text: Text) => Text

export interface ApiRequest {
  readonly route: Route
  /** With its parameters filled in. @default the path of the route, which has none */
  readonly path?: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Called once, right before the first attempt; later attempts send the same body. */
  readonly body?: () => Promise<string>
  readonly options: CallOptions
  /** Reads the body of a response; the default is that of `readBody`. */
  readonly read?: (response: Response, maxBytes: number, redact: Redactor) => Promise<string>
  /**
   * Whether a response other than 2xx counts as success, after that many attempts that failed or got no response.
   * @default never
   */
  readonly accepts?: (response: { readonly status: number; readonly text: string }, failures: number) => boolean
  /**
   * What the server counts the request under. Left out: the address, or the API key. A name: a limit of its own, shared by
   * all clients. Or this very limiter.
   */
  readonly limiter?: string | RateLimiter
}
