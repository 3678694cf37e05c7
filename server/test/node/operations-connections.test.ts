import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { RunningServer } from '@fish-crab/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { listen, SentResponse } from '../../src/node/listener.ts'
import { newFolder } from './data-folder.ts'
import { head, openRaw } from './raw-socket.ts'
import { startTestServer } from './running.ts'

/** Longer than a test may take, so a test that waits for this time fails. */
const NEVER_MS = 600_000

/** A program that sends a request and immediately resets the connection. */
const RESET = `
const [, port, request] = process.argv
const socket = require('node:net').connect(Number(port), '127.0.0.1', () => socket.write(request, () => socket.resetAndDestroy()))`

const BIG_FILE = '/docs/swagger-ui-bundle.js'
const ANSWERS = 12

/** Connects, and settles when the server has closed the connection without sending a byte. */
async function refused(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => {
    socket.destroy()
  })
  socket.on('error', () => {}).resume()
  await once(socket, 'close')
  expect(socket.bytesRead).toBe(0)
}

/** Requests more data than the kernel buffers for a client, and reads none of the data. */
async function askForTooMuch({ url }: RunningServer, next = BIG_FILE): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => {
    socket.destroy()
  })
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.pause()
  socket.write(head(`GET ${BIG_FILE} HTTP/1.1`).repeat(ANSWERS))
  // The response to another request shows that the server has read the requests of the socket. Soon the buffers of the
  // socket are full.
  await (await fetch(url + next)).arrayBuffer()
  return socket
}

describe('connections', () => {
  const QUICK = { headersMs: 30, requestMs: 60, checkMs: 10, keepAliveMs: 1000 }

  it.each([
    ['headers never end', 'GET /status HTTP/1.1\r\nhost: service.test\r\n'],
    ['body never ends', head('POST /post/fish?name=Alex HTTP/1.1', { 'content-length': '10' })],
  ])('whose %s are closed after an error response', async (_, text) => {
    const { url } = await startTestServer({}, { connections: QUICK })
    const socket = await openRaw(url)
    socket.send(text)
    const gone = once(socket.socket, 'close')
    // A write for an unknown user gets 404 before the body arrives. Then the server closes the connection.
    expect(await socket.until(/^HTTP\/1\.1 (408|404)/)).toMatch(/^HTTP\/1\.1 (408|404)/)
    await gone
  })

  it('whose body arrives too slowly get 408 while the server waits for the body', async () => {
    const { url } = await startTestServer({}, { connections: QUICK })
    const socket = await openRaw(url)
    socket.send(head('POST /admin/login HTTP/1.1', { 'content-type': 'application/json', 'content-length': '10' }))
    socket.send('{')
    expect(await socket.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('that are idle are closed', async () => {
    const { url } = await startTestServer({}, { connections: { keepAliveMs: 20 } })
    const socket = await openRaw(url)
    const gone = once(socket.socket, 'close')
    socket.send(head('GET /livez HTTP/1.1'))
    await socket.until(/ok/)
    await gone
  })

  it('that are reset before the server accepts them cause no log lines, since their client has no address', async () => {
    const logger = { info: vi.fn(), warn() {}, error() {} }
    const { url } = await startTestServer({}, { logger })
    const { port } = new URL(url)
    // The server process is blocked while another process connects, so that the connection waits in the kernel.
    execFileSync(process.execPath, ['-e', RESET, port, head('GET /status HTTP/1.1')])
    await (await fetch(`${url}/livez`)).text()
    const requests = logger.info.mock.calls.filter(([, message]) => message === 'request').map(([fields]) => fields)
    expect(requests).toEqual([
      expect.objectContaining({ path: '/livez', address: expect.stringContaining('127.0.0.1') }),
    ])
  })

  it('that exceed the limit are refused and counted, and new connections are accepted after earlier connections close', async () => {
    // Behind a proxy, all connections come from one address.
    const { url } = await startTestServer({ FISH_TRUST_PROXY: '1' }, { connections: { connections: 2 } })
    const first = await openRaw(url)
    const second = await openRaw(url)
    for (const socket of [first, second]) {
      socket.send(head('GET /livez HTTP/1.1'))
      await socket.until(/ok/)
    }
    await refused(url)
    first.send(head('GET /metrics HTTP/1.1'))
    expect(await first.until(/process_uptime_seconds \d/)).toContain('\nfish_connections_dropped_total 1\n')
    const gone = once(second.socket, 'close')
    second.socket.end()
    await gone
    expect((await fetch(`${url}/livez`)).status).toBe(200)
  })

  it.runIf(process.platform === 'linux')('of one client are limited to a quarter of all connections', async () => {
    const { url } = await startTestServer({}, { connections: { connections: 8 } })
    const [first, second] = [await openRaw(url), await openRaw(url)]
    await refused(url)
    const other = await openRaw(url, { localAddress: '127.0.0.2' })
    other.send(head('GET /metrics HTTP/1.1'))
    expect(await other.until(/process_uptime_seconds \d/)).toContain('\nfish_connections_dropped_total 1\n')

    const gone = once(first.socket, 'close')
    first.socket.end()
    await gone
    const third = await openRaw(url)
    for (const socket of [second, third]) {
      socket.send(head('GET /livez HTTP/1.1'))
      expect(await socket.until(/ok/)).toMatch(/^HTTP\/1\.1 200 /)
    }
    await refused(url)
  })

  it('that time out are freed, even if the client never closes its side', async () => {
    const { url } = await startTestServer({}, { connections: { ...QUICK, connections: 1 } })
    const { hostname, port } = new URL(url)
    const silent = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    onTestFinished(() => {
      silent.destroy()
    })
    silent.resume()
    await once(silent, 'end')
    const isLetIn = () =>
      fetch(`${url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      )
    await expect.poll(isLetIn, { interval: 10 }).toBe(true)
  })

  it('are closed if the client sends more than 64 requests without waiting for a response', async () => {
    const { url } = await startTestServer()
    const greedy = await openRaw(url)
    const gone = once(greedy.socket, 'close')
    greedy.send(head('GET /livez HTTP/1.1').repeat(1000))
    await gone
    expect((await fetch(`${url}/livez`)).status).toBe(200)
  })

  it('are closed if the client does not read responses', async () => {
    const server = await startTestServer({}, { connections: { stalledMs: 300 }, graceMs: NEVER_MS })
    // The second response is small, since a large response might exceed the time limit on a busy machine.
    await askForTooMuch(server, '/livez')
    // If the connection were still open, the stop would wait for the whole grace period.
    await server.close()
  })
})

describe('the stop of a server', () => {
  it.each(['memory:', 'file:'])(
    'does not wait for the grace period if all keep-alive connections are idle (%s)',
    async (storage) => {
      const server = await startTestServer(
        { FISH_STORAGE: storage === 'file:' ? `file:${newFolder()}` : storage },
        { graceMs: NEVER_MS },
      )
      const sockets = await Promise.all([1, 2, 3].map(() => openRaw(server.url)))
      for (const socket of sockets.slice(1)) {
        socket.send(head('GET /livez HTTP/1.1'))
        await socket.until(/ok/)
      }
      await server.close()
      for (const { socket } of sockets) if (!socket.closed) await once(socket, 'close')
    },
  )

  it('closes the connection of an incomplete request after the grace period', async () => {
    const server = await startTestServer({}, { graceMs: 50 })
    const socket = await openRaw(server.url)
    socket.send(head('POST /admin/login HTTP/1.1', { 'content-type': 'application/json', 'content-length': '2' }))
    socket.send('{')
    await fetch(`${server.url}/livez`)
    const gone = once(socket.socket, 'close')
    const started = performance.now()
    await server.close()
    expect(performance.now() - started).toBeGreaterThanOrEqual(45)
    await gone
  })

  it('completes the responses to a slow client', async () => {
    const server = await startTestServer({}, { graceMs: NEVER_MS })
    const { byteLength } = await (await fetch(`${server.url}/docs/swagger-ui-bundle.js`)).arrayBuffer()
    const socket = await askForTooMuch(server)
    const closed = server.close()
    await new Promise((resolve) => setTimeout(resolve, 20))
    socket.resume()
    await once(socket, 'close')
    expect(socket.bytesRead).toBeGreaterThan(byteLength * ANSWERS)
    await closed
  })

  it('releases the port', async () => {
    const server = await startTestServer({}, { graceMs: 50 })
    await server.close()
    const next = createServer().listen(Number(new URL(server.url).port), '127.0.0.1')
    await once(next, 'listening')
    next.close()
  })
})

describe('a response that ends early because of an error', () => {
  /** Serves this body. Returns the client socket, and the warnings in the log. */
  async function request(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
    const warnings: unknown[][] = []
    const server = await listen({
      host: '127.0.0.1',
      port: 0,
      logger: { info() {}, error() {}, warn: (...warning) => warnings.push(warning) },
      isAccepting: () => true,
      fetch: async () => new SentResponse(body, { headers: { 'x-request-id': 'mine' } }),
    })
    onTestFinished(() => server.close(0))
    const { socket, send } = await openRaw(server.url)
    send(head('GET / HTTP/1.1'))
    return { socket, warnings }
  }

  it('is logged with its request id, and the connection is closed', async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error('The storage is unreachable.')),
    })
    const { socket, warnings } = await request(body)
    await once(socket.resume(), 'close')
    const fields = { requestId: 'mine', err: new Error('The storage is unreachable.') }
    await expect.poll(() => warnings).toEqual([[fields, 'a response was cut']])
  })

  it('is not logged if the client has disconnected', async () => {
    const cancelled = Promise.withResolvers<void>()
    const body = new ReadableStream(
      { pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)), cancel: () => cancelled.resolve() },
      { highWaterMark: 0 },
    )
    const { socket, warnings } = await request(body)
    socket.destroy()
    await cancelled.promise
    await new Promise((resolve) => setImmediate(resolve))
    expect(warnings).toEqual([])
  })
})
