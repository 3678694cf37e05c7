import type { Platform } from './platform.ts'

/** Browsers and other runtimes: their fetch pools connections itself, and they send a `User-Agent` of their own. */
export const platform: Platform = {
  sendsUserAgent: false,
  openConnections: () => ({ extras: async () => ({}), proxyError: () => undefined }),
}
