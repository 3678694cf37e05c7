import type { ConnectionError, ConnectionErrorFields } from '../../errors/connection-errors.ts'
import type { Environment } from '../core/options.ts'

/** What differs between runtimes under the transport; chosen by package condition as `#dispatcher`. */
export interface Platform {
  /** Whether a `User-Agent` may be set: browsers forbid it. */
  readonly sendsUserAgent: boolean
  /**
   * Called once a client.
   * @param env Where the proxies are named. @default the environment of the process, read at the first call
   */
  openConnections(env: Environment | undefined): Connections
}

/** The connections of one client. */
interface Connections {
  /** What to add to the options of a `fetch`. */
  extras(fetch: typeof globalThis.fetch): Promise<RequestInit>
  /** The error for what a `fetch` with these extras to this address threw, where a proxy is to blame for it. */
  proxyError(cause: unknown, url: string, fields: ProxyErrorFields): ConnectionError | undefined
}

/** What is known of such an error already. */
export type ProxyErrorFields = Pick<ConnectionErrorFields, 'systemCode' | 'rateLimit'>
