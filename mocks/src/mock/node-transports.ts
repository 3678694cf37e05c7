import { assertKnownKeys, keysOf } from '../service/check-options.ts'
import type { MockServer, ServeOptions } from '../transports/http.ts'
import type { Interception } from '../transports/intercept.ts'
import type { ListenOptions } from './mock.ts'
import type { MockService } from './mock-service.ts'

export interface NodeTransports {
  listen(mock: MockService, origin: string, options: ListenOptions): Promise<Interception>
  serve(mock: MockService, options: ServeOptions): Promise<MockServer>
}

/** Each transport is loaded on first use, because a test suite that uses only `handlers()` needs neither transport. */
export const nodeTransports: NodeTransports = {
  async listen({ handle, clock, served }, origin, options) {
    assertKnownKeys('listen()', options, keysOf<ListenOptions>({ onUnhandled: 1, passthrough: 1 }))
    // Bun and Deno provide Node's modules, but their native network stack bypasses the interceptor.
    const runtime = 'Bun' in globalThis ? 'Bun' : 'Deno' in globalThis ? 'Deno' : undefined
    if (runtime !== undefined) {
      throw new Error(`listen() cannot intercept requests on ${runtime}. Use mock.fetch, mock.client() or serve().`)
    }
    const { intercept } = await import('../transports/intercept.ts')
    return intercept({ ...options, handle, origin, served, sleep: clock.hold })
  },

  async serve(mock, options) {
    assertKnownKeys('serve()', options, keysOf<ServeOptions>({ host: 1, port: 1 }))
    const [{ serveHttp }, { createControlApi }] = await Promise.all([
      import('../transports/http.ts'),
      import('../control-api/control-api.ts'),
    ])
    const { handle, clock, served } = mock
    const control = createControlApi(mock)
    const server = await serveHttp({ ...options, handle, control, now: clock.now, sleep: clock.hold })
    served.add(server.url)
    const close = () => {
      served.delete(server.url)
      return server.close()
    }
    return { ...server, close, [Symbol.asyncDispose]: close }
  },
}
