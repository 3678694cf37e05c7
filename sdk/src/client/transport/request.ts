import type { Route } from '../../contract/routes.ts'
import type { CallOptions } from '../core/call-options.ts'

/** A response whose body was read to its end. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A request in the terms of the contract. */
export interface ApiRequest {
  readonly route: Route
  /** What stands in the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Called once, right before the first try; later tries send the same body again. */
  readonly body?: () => Promise<string>
  readonly options: CallOptions
  /**
   * Whether an answer that is no 2xx is a success all the same, after so many tries without an answer or with a 5xx.
   * @default never
   */
  readonly accepts?: (answer: RawResponse, failures: number) => boolean
  /**
   * What the server counts the request by: left out, the address or the API key; a name, a limit of its own;
   * `false`, nothing.
   */
  readonly limiter?: string | false
}
