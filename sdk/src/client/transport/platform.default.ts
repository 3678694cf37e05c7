import type { Platform } from './platform.ts'

/** Browsers and other runtimes: their `fetch` pools connections, and they send their own `User-Agent`. */
export const platform: Platform = {
  sendsUserAgent: false,
  openConnections: () => ({ extras: async () => ({}), proxyError: () => undefined }),
}
