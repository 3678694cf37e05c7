import { createMock, type Mock } from '@fish-crab/mocks'
import { setupServer } from 'msw/node'
import { startRealServer } from './real-server.ts'
import { type Send, sendByFetch, sendByHttp } from './send.ts'
import { optionsOf } from './setup.ts'

/** A mock behind one way in. */
export interface OpenLane extends AsyncDisposable {
  readonly send: Send
  advance(milliseconds: number): void
}

/** Opens a transport with a fresh mock. What intercepts, does so until it is closed: one transport at a time. */
export type OpenLaneOf = (seed: number) => Promise<OpenLane>

/** Transports by name, the one that the others are compared with first. */
export type Transports = Readonly<Record<string, OpenLaneOf>>

/** Every way in, and the server itself. */
export const TRANSPORTS: Transports = {
  async direct(seed) {
    const mock = await createMock(optionsOf(seed))
    return laneOf(mock, sendByFetch(mock.fetch, mock.origin))
  },

  async msw(seed) {
    const mock = await createMock(optionsOf(seed))
    const network = setupServer(...mock.handlers())
    network.listen({ onUnhandledFrame: 'error' })
    // Looked up at each call, as test suites do.
    return laneOf(
      mock,
      sendByFetch((...args) => globalThis.fetch(...args), mock.origin),
      () => network.close(),
    )
  },

  async intercept(seed) {
    const mock = await createMock(optionsOf(seed))
    await mock.listen()
    const { send, close } = sendByHttp(mock.origin)
    return laneOf(mock, send, close)
  },

  async http(seed) {
    const mock = await createMock(optionsOf(seed))
    const { url } = await mock.serve()
    const { send, close } = sendByHttp(url)
    return laneOf(mock, send, close)
  },

  async server(seed) {
    const server = await startRealServer(seed)
    const { send, close } = sendByHttp(server.url)
    return {
      send,
      advance: server.advance,
      async [Symbol.asyncDispose]() {
        close()
        await server.close()
      },
    }
  },
}

function laneOf(mock: Mock, send: Send, close: () => void = () => {}): OpenLane {
  return {
    send,
    advance: (milliseconds) => mock.clock.advance(milliseconds),
    async [Symbol.asyncDispose]() {
      close()
      await mock[Symbol.asyncDispose]()
    },
  }
}
