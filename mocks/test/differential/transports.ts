import { createMock, type Mock } from '@fish-crab/mocks'
import { setupServer } from 'msw/node'
import { startRealServer } from './real-server.ts'
import { type Send, sendByFetch, sendByHttp } from './send.ts'
import { optionsOf } from './setup.ts'

/** A mock behind one transport. */
export interface OpenedTransport extends AsyncDisposable {
  readonly send: Send
  advance(milliseconds: number): void
}

/** Opens a transport with a fresh mock. What intercepts, does so until it is closed: one transport at a time. */
export type OpenTransport = (seed: number) => Promise<OpenedTransport>

/** Transports by name, the one that the others are compared with first. */
export type Transports = Readonly<Record<string, OpenTransport>>

/** Every transport, and the server itself. */
export const TRANSPORTS: Transports = {
  async direct(seed) {
    const mock = await createMock(optionsOf(seed))
    return transportOf(mock, sendByFetch(mock.fetch, mock.origin))
  },

  async msw(seed) {
    const mock = await createMock(optionsOf(seed))
    const network = setupServer(...mock.handlers())
    network.listen({ onUnhandledFrame: 'error' })
    // Looked up at each call, as test suites do.
    return transportOf(
      mock,
      sendByFetch((...args) => globalThis.fetch(...args), mock.origin),
      () => network.close(),
    )
  },

  async intercept(seed) {
    const mock = await createMock(optionsOf(seed))
    await mock.listen()
    const { send, close } = sendByHttp(mock.origin)
    return transportOf(mock, send, close)
  },

  async http(seed) {
    const mock = await createMock(optionsOf(seed))
    const { url } = await mock.serve()
    const { send, close } = sendByHttp(url)
    return transportOf(mock, send, close)
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

function transportOf(mock: Mock, send: Send, close: () => void = () => {}): OpenedTransport {
  return {
    send,
    advance: (milliseconds) => mock.clock.advance(milliseconds),
    async [Symbol.asyncDispose]() {
      close()
      await mock[Symbol.asyncDispose]()
    },
  }
}
