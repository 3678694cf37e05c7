import type { Environment } from '../core/options.ts'

/** The functions that differ between runtimes. The package condition of `#platform` selects the implementation. */
export interface Platform {
  /** Whether a `User-Agent` may be set: browsers forbid it. */
  readonly sendsUserAgent: boolean
  /** Shows a warning to the developer. `code` identifies the warning. */
  warn(message: string, code: string): void
  /**
   * Opens the connections of one client to the service at `baseUrl`. Called once per client.
   * @param env Environment variables for proxies. @default `process.env`, read at the first call
   */
  openConnections(baseUrl: string, env: Environment | undefined): Connections
}

/** The connections of one client. */
interface Connections {
  /** Whether the environment names a proxy for the service. */
  readonly usesProxy: boolean
  /** Additional options for `fetch`. */
  extras(fetch: typeof globalThis.fetch): Promise<RequestInit>
}
