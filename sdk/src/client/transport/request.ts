import type { Route } from '../../contract/routes.ts'
import type { CallOptions } from '../core/call-options.ts'

export interface ApiRequest {
  readonly route: Route
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Called once, right before the first attempt; later attempts send the same body. */
  readonly body?: () => Promise<string>
  readonly options: CallOptions
  /**
   * Whether a response other than 2xx counts as success, after that many attempts that failed or got no response.
   * @default never
   */
  readonly accepts?: (response: { readonly status: number; readonly text: string }, failures: number) => boolean
  /**
   * What the server counts the request under. Left out: the address, or the API key. A name: a limit of its own.
   * `false`: nothing.
   */
  readonly limiter?: string | false
}
