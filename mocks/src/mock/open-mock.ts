import { userNameKey } from '@fish-crab/sdk/contract'
import { nodeLanes } from '#node-transports'
import { createSent } from '../history/sent.ts'
import { createDirectFetch } from '../transports/direct.ts'
import { createHandlers } from '../transports/handlers.ts'
import { checkOptions } from './check-options.ts'
import { createClock } from './clock.ts'
import { assertKnownKeys } from './known-keys.ts'
import type { Mock } from './mock.ts'
import { createWorld } from './mock-state.ts'
import type { MockOptions } from './options.ts'
import { checkOrigin } from './origin.ts'

/** Makes the world behind `createMock`. */
export async function openMock(options: MockOptions): Promise<Mock> {
  checkOptions(options)
  // A copy: whoever changes the seed later means no world that was made of it.
  const seed = structuredClone(options.seed ?? {})
  const { limits = {}, keys = {}, trustProxy = 0 } = options
  const allowedOrigins = (options.allowedOrigins ?? []).map((one) => checkOrigin(one))
  const origin = checkOrigin(options.origin ?? `http://fish-${crypto.randomUUID().slice(0, 8)}.test`)
  const clock = createClock({
    startAt: options.startAt,
    source: options.clock && (() => options.clock?.now() ?? 0),
    autoAdvance: options.autoAdvance,
  })
  const world = await createWorld({ seed, limits, masterApiKey: keys.master, allowedOrigins, trustProxy }, clock)
  const { answer } = world
  const lane = { answer, origin, hold: clock.hold }
  const fetch = createDirectFetch(lane)
  const opened = new Set<AsyncDisposable>()
  const node = { world, clock, origin }

  function user(name: string) {
    const found = world.service.users.get(userNameKey(name))
    if (!found) throw new Error(`The seed has no user "${name}". Add it to createMock({ seed: { users } }).`)
    const { id: _, ...seeded } = found
    return seeded
  }

  async function keep<Lane extends AsyncDisposable>(lane: Promise<Lane>): Promise<Lane> {
    const ready = await lane
    opened.add(ready)
    return ready
  }

  return {
    origin,
    clock,
    fetch,
    from: (address) => ({ fetch: createDirectFetch({ ...lane, address }) }),
    handlers: (at = origin) => createHandlers({ ...lane, origin: at }),
    listen: (listenOptions = {}) => keep(nodeLanes.listen(node, listenOptions)),
    serve: (serveOptions = {}) => keep(nodeLanes.serve(node, serveOptions)),
    user,
    client: (name, clientOptions = {}) => {
      assertKnownKeys('mock.client()', clientOptions, ['lane', 'withApiKey'])
      const { lane: by = 'direct', withApiKey = false } = clientOptions
      if (by !== 'direct' && by !== 'network') throw new TypeError("lane must be 'direct' or 'network'.")
      const { name: userName, fernetKey, apiKey } = user(name)
      return {
        baseUrl: origin,
        user: userName,
        fernetKey,
        clock,
        // Waits then end exactly when the service says.
        random: () => 0,
        env: {},
        ...(withApiKey ? { apiKey } : {}),
        ...(by === 'direct' ? { fetch } : {}),
      }
    },
    fail: (fault, scope) => world.faults.order(fault, scope),
    get faults() {
      return world.faults.pending()
    },
    get requests() {
      return world.journal.entries
    },
    sent: createSent(() => world.service),
    reset: () => world.reset(),
    async [Symbol.asyncDispose]() {
      const lanes = [...opened]
      opened.clear()
      await Promise.all(lanes.map((one) => one[Symbol.asyncDispose]()))
    },
  }
}
