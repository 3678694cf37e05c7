import type { Platform } from './platform.ts'

/** Browsers and other runtimes: their `fetch` pools connections, and they send their own `User-Agent`. */
export const platform: Platform = {
  sendsUserAgent: false,
  loadOnDemand: () => import('../resources/on-demand.ts'),
  // biome-ignore lint/suspicious/noConsole: browsers have no process warnings
  warn: (message) => console.warn(message),
  openConnections: () => ({ usesProxy: false, extras: async () => ({}) }),
}
