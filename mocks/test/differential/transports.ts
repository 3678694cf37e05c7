import { createMock, type Mock } from '@fish-crab/mocks'
import { setupServer } from 'msw/node'
import { startRealServer } from './real-server.ts'
import { type Send, sendByFetch, sendByHttp } from './send.ts'
import { optionsOf } from './setup.ts'

/** An open transport to a mock or a server. */
export interface OpenedTransport extends AsyncDisposable {
  readonly send: Send
  advance(milliseconds: number): void
}

/**
 * Opens a transport to a new mock. Some transports intercept requests until they are closed, so open only one transport
 * at a time.
 */
export type OpenTransport = (seed: number) => Promise<OpenedTransport>

/** Transports by name. The first transport is the reference for all comparisons. */
export type Transports = Readonly<Record<string, OpenTransport>>

/** Every transport of a mock, and the real server. */
export const TRANSPORTS: Transports = {
  async direct(seed) {
    const mock = await createMock(optionsOf(seed))
    return transportOf(mock, sendByFetch(mock.fetch, mock.origin))
  },

  async msw(seed) {
    const mock = await createMock(optionsOf(seed))
    const network = setupServer(...mock.handlers())
    network.listen({ onUnhandledFrame: 'error' })
    // Look up `fetch` at each call, as code under test does.
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
