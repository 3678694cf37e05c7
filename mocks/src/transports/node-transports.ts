import { assertKnownKeys, keysOf } from '../mock/known-keys.ts'
import type { ListenOptions, NodeLanes, ServeOptions } from './node-transports-types.ts'

/** The lanes of Node. Loaded when they are first used: whoever answers by handlers alone needs neither. */
export const nodeLanes: NodeLanes = {
  async listen({ world, clock, origin }, options) {
    assertKnownKeys('listen()', options, keysOf<ListenOptions>({ onUnhandled: 1, passthrough: 1 }))
    // Both have Node's modules, and a network of their own below them, which goes on unseen.
    const other = 'Bun' in globalThis ? 'Bun' : 'Deno' in globalThis ? 'Deno' : undefined
    if (other !== undefined) {
      throw new Error(`listen() cannot intercept on ${other}. Use mock.fetch, mock.client() or serve().`)
    }
    const { intercept } = await import('./intercept.ts')
    return intercept({ ...options, answer: world.answer, origin, sleep: clock.hold })
  },

  async serve({ world, clock }, options) {
    assertKnownKeys('serve()', options, keysOf<ServeOptions>({ host: 1, port: 1 }))
    const [{ serveStandalone }, { createControlApi }] = await Promise.all([
      import('./standalone.ts'),
      import('../control-api/control-api.ts'),
    ])
    const control = createControlApi({ world, clock })
    return serveStandalone({ ...options, answer: world.answer, control, now: clock.now, sleep: clock.hold })
  },
}
