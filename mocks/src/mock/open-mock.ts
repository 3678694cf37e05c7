import { userNameKey } from '@fish-crab/sdk/contract'
import { nodeTransports } from '#node-transports'
import { createSent } from '../history/history.ts'
import { assertKnownKeys, checkOrigin, keysOf } from '../service/check-options.ts'
import { createClock } from '../service/clock.ts'
import { createDirectFetch } from '../transports/direct.ts'
import { createHandlers } from '../transports/msw.ts'
import type { Mock, MockClientOptions } from './mock.ts'
import { createMockService } from './mock-service.ts'
import { checkOptions, type MockOptions } from './options.ts'

export async function openMock(options: MockOptions): Promise<Mock> {
  const serviceOptions = checkOptions(options)
  const origin = checkOrigin(options.origin ?? `http://fish-${crypto.randomUUID().slice(0, 8)}.test`)
  const clock = createClock({
    startAt: options.startAt,
    source: options.clock && (() => options.clock?.now() ?? 0),
    autoAdvance: options.autoAdvance,
  })
  // Clients of the SDK that use the same clock share a rate limiter. A new object after a reset gives new clients a new
  // limiter.
  const newClientClock = (): typeof clock => Object.create(clock)
  let clientClock = newClientClock()
  const mock = await createMockService(serviceOptions, clock)
  const transport = { handle: mock.handle, origin, hold: clock.hold }
  const fetch = createDirectFetch(transport)
  const opened = new Set<AsyncDisposable>()

  function user(name: string) {
    const found = mock.service.users.get(userNameKey(name))
    if (!found) throw new Error(`The seed has no user "${name}". Add it to createMock({ seed: { users } }).`)
    return { ...found }
  }

  async function closeWithMock<Opened extends AsyncDisposable>(opening: Promise<Opened>): Promise<Opened> {
    const resource = await opening
    opened.add(resource)
    return resource
  }

  async function close(): Promise<void> {
    const resources = [...opened]
    opened.clear()
    mock.service.app.closeStreams()
    await Promise.all(resources.map((one) => one[Symbol.asyncDispose]()))
  }

  return {
    origin,
    clock,
    gamemodes: serviceOptions.gamemodes,
    fetch,
    from: (address) => ({ fetch: createDirectFetch({ ...transport, address }) }),
    handlers: (at = origin) => createHandlers({ ...transport, origin: at }),
    listen: (listenOptions = {}) => closeWithMock(nodeTransports.listen(mock, origin, listenOptions)),
    serve: (serveOptions = {}) => closeWithMock(nodeTransports.serve(mock, serveOptions)),
    user,
    client: (name, clientOptions = {}) => {
      assertKnownKeys('mock.client()', clientOptions, keysOf<MockClientOptions>({ transport: 1, withApiKey: 1 }))
      const { transport: by = 'direct', withApiKey = false } = clientOptions
      if (by !== 'direct' && by !== 'network') throw new TypeError("transport must be 'direct' or 'network'.")
      const { name: userName, fernetKey, apiKey } = user(name)
      return {
        baseUrl: origin,
        user: userName,
        fernetKey,
        clock: clientClock,
        random: () => 0,
        env: {},
        ...(withApiKey ? { apiKey } : {}),
        ...(by === 'direct' ? { fetch } : {}),
      }
    },
    fail: (fault, faultOptions) => mock.faults.add(fault, faultOptions),
    get faults() {
      return mock.faults.pending()
    },
    assertNoPendingFaults: () => mock.faults.assertNonePending(),
    get requests() {
      return mock.history.entries
    },
    sent: createSent(() => mock.history.entries),
    reset: async () => {
      await mock.reset()
      clientClock = newClientClock()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
