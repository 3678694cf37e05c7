import { createApp, createMemoryStorage } from '@fish-crab/server/app'
import type { VirtualTime } from './virtual-time.ts'

/** How a simulated network behaves. Times are in milliseconds. */
export interface NetworkOptions {
  /** Returns the delay of each request and of each response. */
  readonly latencyMs?: () => number
  /** Decides whether a request is lost before it reaches the server. */
  readonly losesRequest?: () => boolean
  /** Decides whether the response is lost after the server has handled the request. */
  readonly losesAnswer?: () => boolean
}

/** A request that the server received. */
export interface Served {
  readonly at: number
  readonly status: number
  readonly path: string
  /** The end of the rate limit window that counted the request, in milliseconds; 0 if the request was not counted. */
  readonly resetMs: number
}

/** Creates the real service with memory storage, behind a network in virtual time. */
export async function simulateService(time: VirtualTime, { apiKey }: { readonly apiKey?: string } = {}) {
  const served: Served[] = []
  const app = createApp({
    storage: createMemoryStorage(),
    secrets: { encryption: 'encryption '.repeat(8), session: 'session '.repeat(8) },
    passwords: { hash: async (password) => password, verify: async (password, hash) => password === hash },
    version: 'simulated',
    clientAddress: () => '192.0.2.1',
    clock: time.now,
    ...(apiKey === undefined ? {} : { masterApiKey: apiKey }),
  })
  const player = await app.users.create({ name: 'Alex' })

  /** Returns a fetch over a separate network to the service. */
  function connect({ latencyMs = () => 20, losesRequest, losesAnswer }: NetworkOptions = {}): typeof fetch {
    return async (input, init) => {
      const request = new Request(input, init)
      await time.sleep(latencyMs())
      if (losesRequest?.()) throw new TypeError('fetch failed')
      const response = await app.fetch(request)
      const resetMs = Number(response.headers.get('x-ratelimit-reset')) * 1000
      served.push({ at: time.now(), status: response.status, path: new URL(request.url).pathname, resetMs })
      response.headers.set('date', new Date(time.now()).toUTCString())
      await time.sleep(latencyMs())
      if (losesAnswer?.()) throw new TypeError('fetch failed')
      return response
    }
  }
  return { connect, served, player }
}
