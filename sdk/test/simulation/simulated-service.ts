import { createApp, createMemoryStorage } from '@fish-crab/server/app'
import type { VirtualTime } from './virtual-time.ts'

/** How a simulated network behaves. Times are in milliseconds. */
export interface NetworkOptions {
  /** From the client to the server, and back. */
  readonly latencyMs?: () => number
  /** Whether this request never arrives. */
  readonly losesRequest?: () => boolean
  /** Whether the response to a request that was served never arrives. */
  readonly losesAnswer?: () => boolean
}

/** One request, as the server saw it. */
export interface Served {
  readonly at: number
  readonly status: number
  readonly path: string
  /** When the window ends that counted it, in milliseconds; 0 when it was not counted. */
  readonly resetMs: number
}

/** The real service on memory, behind a network of virtual time. */
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

  /** A network of its own to the same service. */
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
