import type { Platform } from './platform.ts'

/** The platform for browsers and other runtimes, whose `fetch` pools connections and sends its own `User-Agent`. */
export const platform: Platform = {
  sendsUserAgent: false,
  // biome-ignore lint/suspicious/noConsole: browsers have no process warnings
  warn: (message) => console.warn(message),
  openConnections: () => ({ usesProxy: false, extras: async () => ({}) }),
}
