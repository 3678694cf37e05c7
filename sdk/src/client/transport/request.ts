import type { Route } from '../../contract/routes.ts'
import type { CallOptions } from '../core/options.ts'
import type { RateLimiter } from '../rate-limiter/rate-limiter.ts'

/** Removes the secrets of a request from a text. */
export type Redactor = <Text extends string | undefined>(text: Text) => Text

export interface ApiRequest {
  readonly route: Route
  /** The parameters of the path of `route`. */
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** A value to send as a JSON body. */
  readonly json?: unknown
  /** Makes a body that is not JSON. Called once, right before the first attempt; later attempts send the same body. */
  readonly body?: () => Promise<string>
  readonly options: CallOptions
  /** Receives the unread body of a successful response. */
  readonly onStream?: (body: ReadableStream<Uint8Array> | null) => void
  /**
   * The limiter of the request, or the name of a limiter that all clients of the service share. By default, the limiter
   * of the address or the API key is used.
   */
  readonly limiter?: string | RateLimiter
}

export function isWrite({ route }: Pick<ApiRequest, 'route'>): boolean {
  return route.method !== 'GET'
}
