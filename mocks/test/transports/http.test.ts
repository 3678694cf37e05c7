import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
// Import the listener of `startServer()`, so that responses can be compared without an app.
import { listen } from '../../../server/src/node/listener.ts'
import { type MockServer, type ServeHttpOptions, serveHttp } from '../../src/transports/http.ts'
import { startStandalone } from './standalone-mock.ts'

const KIB = 1024
const open: MockServer[] = []
afterEach(() => Promise.all(open.splice(0).map(({ close }) => close())))

/** Serves a handler over HTTP until the end of the test. */
async function serve(handle: ServeHttpOptions['handle'], options: Partial<ServeHttpOptions> = {}) {
  const standalone = await serveHttp({ handle, ...options })
  open.push(standalone)
  return standalone
}

const plain = (body: BodyInit | null = 'ok') => ({ response: new Response(body), delayMs: 0 })

/** Starts the listener of the real server without an app. */
async function listenAsServer() {
  const logger = { info() {}, warn() {}, error() {} }
  const fetch = async () => new Response()
  const { url, close } = await listen({ host: '127.0.0.1', port: 0, fetch, logger, isAccepting: () => true })
  return { url, [Symbol.asyncDispose]: () => close(0) }
}

/** Sends raw bytes, and returns all data until the connection ends. */
async function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  return text(socket)
}

describe('a mock server', () => {
  it('responds to a raw HTTP client with all headers', async () => {
    const mock = await startStandalone()
    open.push(mock)
    const res = await raw(mock.url, 'GET /v1//demo/%66ish/ HTTP/1.1\r\nhost: mock\r\nconnection: close\r\n\r\n')
    expect(res).toMatch(/^HTTP\/1\.1 200 /)
    expect(res).toMatch(/x-ratelimit-remaining: 24\r\n/i)
    expect(res).toContain('{"user":"demo","fish":[')
  })

  it('treats each address as a separate client', async () => {
    const mock = await startStandalone()
    open.push(mock)
    const remaining = (localAddress: string) =>
      new Promise((resolve, reject) => {
        request(`${mock.url}/demo/fish`, { localAddress, agent: false }, (res) => {
          res.resume()
          resolve(`${res.statusCode} ${res.headers['x-ratelimit-remaining']}`)
        })
          .on('error', reject)
          .end()
      })
    expect(await remaining('127.0.0.1')).toBe('200 24')
    expect(await remaining('127.0.0.1')).toBe('200 23')
    expect(await remaining('127.0.0.2')).toBe('200 24')
    expect(
      (await mock.control('GET', 'requests')).body.requests.map(({ client }: { client: string }) => client),
    ).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.2'])
  })

  it('streams bodies in both directions concurrently', async () => {
    const { url } = await serve(async (request) => plain(request.body))
    const [first, last] = [new Uint8Array(100_000).fill(1), new Uint8Array(100_000).fill(2)]
    let end = () => {}
    const sent = request(url, { method: 'POST', agent: false })
    const responded = once(sent, 'response')
    sent.write(first)
    const [res] = await responded
    end = () => sent.end(last)
    // Do not end the request before a part of the response has arrived.
    res.once('readable', end)
    expect(Buffer.compare(await buffer(res), Buffer.concat([first, last]))).toBe(0)
  })

  it('applies a delay, and stops waiting when the client aborts', async () => {
    const { url } = await serve(async (request) => {
      return { ...plain(), delayMs: request.url.endsWith('/long') ? 60_000 : 30 }
    })
    const startedAt = performance.now()
    expect(await (await fetch(url)).text()).toBe('ok')
    expect(performance.now() - startedAt).toBeGreaterThan(28)
    await expect(fetch(`${url}/long`, { signal: AbortSignal.timeout(20) })).rejects.toThrow()
  })

  it.each([
    ['is not HTTP', 'this is no HTTP\r\n\r\n', 400],
    [
      'has headers that are too large',
      `GET /status HTTP/1.1\r\nhost: mock\r\nx-large: ${'a'.repeat(20 * KIB)}\r\n\r\n`,
      431,
    ],
    ['has a NUL in a header', 'GET /status HTTP/1.1\r\nhost: mock\r\nx-api-key: a\0b\r\n\r\n', 400],
  ])('refuses a request that %s with the same bytes as the real server', async (_, request, status) => {
    await using server = await listenAsServer()
    const { url } = await serve(async () => plain())
    const requestId = /[\da-f-]{36}/g
    const [mocked, real] = await Promise.all([url, server.url].map(async (at) => raw(at, request)))
    expect(mocked).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`))
    expect(mocked?.match(requestId)).toHaveLength(2)
    expect(mocked?.replaceAll(requestId, '')).toBe(real?.replaceAll(requestId, ''))
  })

  it('refuses a request without reading the whole body, and then accepts the next request', async () => {
    const mock = await startStandalone()
    open.push(mock)
    const refused = await fetch(`${mock.url}/post/fish?name=Alex`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: new Uint8Array(300 * 1024),
    })
    expect(refused.status).toBe(413)
    expect(await refused.json()).toMatchObject({ code: 'payload_too_large' })
    expect((await fetch(`${mock.url}/demo/fish`)).status).toBe(200)
  })

  it('closes the connection if a client does not finish the body of a refused request', async () => {
    const mock = await startStandalone()
    open.push(mock)
    const head = 'POST /post/fish?name=Alex HTTP/1.1\r\nhost: mock\r\ncontent-length: 10000000\r\n\r\n'
    expect(await raw(mock.url, `${head}and no end`)).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('refuses a write whose body never arrives, and lists the payload as unread', async () => {
    const mock = await startStandalone()
    open.push(mock)
    const head =
      'POST /post/fish?name=Alex HTTP/1.1\r\nhost: mock\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\n'
    expect(await raw(mock.url, `${head}and no end`)).toMatch(/^HTTP\/1\.1 415 /)
    const history = await fetch(`${mock.url}/__mock/requests`)
    expect(await history.json()).toMatchObject({ requests: [{ status: 415, payload: { kind: 'unread' } }] })
  })

  it('responds with status 500 and the error message if the mock itself fails', async () => {
    const { url } = await serve(async () => {
      throw new Error('no such state')
    })
    const res = await fetch(url)
    expect(res.status).toBe(500)
    expect(await res.json()).toMatchObject({ error: 'The mock failed: no such state', code: 'internal_error' })
  })

  it('closes idle, delayed and silent connections when close() is called', async () => {
    const standalone = await serve(async (request) => ({
      ...plain(),
      delayMs: request.url.endsWith('/late') ? 60_000 : 0,
      networkFault: request.url.endsWith('/silent') ? { kind: 'silence' } : undefined,
    }))
    const { hostname, port } = new URL(standalone.url)
    const unused = connect(Number(port), hostname)
    await once(unused, 'connect')
    const failures = ['/late', '/silent'].map((path) =>
      fetch(standalone.url + path).catch((error: Error) => error.name),
    )
    await fetch(standalone.url)
    await pause(20)
    await Promise.all([standalone.close(), once(unused, 'close')])
    expect(await Promise.all(failures)).toEqual(['TypeError', 'TypeError'])
    await expect(fetch(standalone.url)).rejects.toThrow()
  })

  it('closes at the end of an await using scope', async () => {
    let url = ''
    {
      await using standalone = await serveHttp({ handle: async () => plain() })
      url = standalone.url
      expect((await fetch(url)).status).toBe(200)
    }
    await expect(fetch(url)).rejects.toThrow()
  })

  it('listens on loopback by default, and warns about addresses outside of loopback', async () => {
    const own = await serve(async () => plain())
    expect(own.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(own.warnings).toEqual([])
    const { warnings } = await serve(async () => plain(), { host: '0.0.0.0' })
    expect(warnings).toEqual([
      expect.stringContaining('0.0.0.0: everyone who can reach this address can read all keys'),
    ])
  })

  it('cannot start if its port is in use', async () => {
    const first = await serve(async () => plain())
    const port = Number(new URL(first.url).port)
    await expect(serve(async () => plain(), { port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
