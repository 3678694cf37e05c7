import type { ConnectionError, ConnectionErrorFields } from '../../errors/connection-errors.ts'
import type { Environment } from '../core/options.ts'

/** What differs between runtimes; chosen by package condition as `#platform`. */
export interface Platform {
  /** Whether a `User-Agent` may be set: browsers forbid it. */
  readonly sendsUserAgent: boolean
  /** Shows a warning to the developer. `code` identifies it. */
  warn(message: string, code: string): void
  /**
   * Called once per client.
   * @param env Environment variables for proxies. @default those of the process, read at the first call
   */
  openConnections(env: Environment | undefined, baseUrl: string): Connections
}

/** The connections of one client. */
interface Connections {
  /** Additional options for `fetch`. */
  extras(fetch: typeof globalThis.fetch): Promise<RequestInit>
  /** The error for what such a `fetch` threw, if a proxy caused it. */
  proxyError(cause: unknown, fields: ProxyErrorFields): ConnectionError | undefined
}

/** Fields of such an error that are known already. */
export type ProxyErrorFields = Pick<ConnectionErrorFields, 'systemCode' | 'rateLimit'>
