// Sends requests in every way a Node program can, while they are intercepted, and counts what reaches a real server
// all the same. A process of its own, so that nothing of a test runner hides an escape. Prints one JSON object.
import { channel } from 'node:diagnostics_channel'
import { createServer, get, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import * as https from 'node:https'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, type Server, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { intercept } from '../src/lanes/intercept.ts'
import { certificate, privateKey } from './intercept-certificate.ts'
import { createProxy } from './intercept-proxy.ts'

const undici = createRequire(import.meta.url)('undici') as typeof import('undici')
const CALLS = Number(process.argv[2] ?? 130)
const AT_ONCE = 5
const uncaught: string[] = []
process.on('uncaughtException', (error) => uncaught.push(String(error.stack)))
process.on('unhandledRejection', (error) => uncaught.push(String((error as Error)?.stack ?? error)))

let reached = 0
const handler: Parameters<typeof createServer>[1] = (incoming, response) => {
  reached += 1
  incoming.resume().on('end', () => response.setHeader('content-length', 4).end('real'))
}
const listening = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
const servers = [
  createServer(handler),
  https.createServer({ key: privateKey, cert: certificate }, handler),
  createServer(handler),
]
const [plainPort = 0, securePort = 0, otherPort = 0] = await Promise.all(servers.map(listening))
const proxy = createProxy()
const proxyUrl = `http://127.0.0.1:${await listening(proxy.server)}`
const plain = `http://127.0.0.1:${plainPort}`
const secure = `https://127.0.0.1:${securePort}`
const other = `http://127.0.0.1:${otherPort}`

/** A way to send one request. Made before or after interception began, it keeps its connections to itself. */
type Send = (url: string) => Promise<string>
interface Way {
  readonly origin: string
  make(): { send: Send; end?: () => unknown }
}

const capturedFetch = fetch
const post = { method: 'POST', body: 'gAAAA' } as const
const tls = { rejectUnauthorized: false }
const text = async (answer: Promise<{ body: { text(): Promise<string> } }>) => (await answer).body.text()

function byNode(send: typeof get | typeof httpRequest, options: RequestOptions, body?: string): Send {
  return (url) =>
    new Promise((resolve, reject) => {
      const call = send(url, options, (answer) => {
        let all = ''
        answer.setEncoding('utf8').on('data', (piece) => {
          all += piece
        })
        answer.on('end', () => resolve(all)).on('error', reject)
      })
      call.on('error', reject).end(body)
    })
}

/** Writes a request by hand to a socket that stays open, one after the other. */
function byHand(url: string): { send: Send; end: () => void } {
  const { hostname, port, host } = new URL(url)
  let socket: Socket | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const once: Send = (target) =>
    new Promise((resolve, reject) => {
      if (!socket || socket.destroyed) socket = connect(Number(port), hostname).on('error', () => {})
      const { pathname } = new URL(target)
      const own = socket
      let all = ''
      const onData = (piece: Buffer) => {
        all += piece.toString('latin1')
        const body = all.split('\r\n\r\n')[1]
        if (body?.length === 4) done(() => resolve(body))
      }
      const onClose = () => done(() => reject(new Error('closed')))
      const onError = (error: Error) => done(() => reject(error))
      const done = (settle: () => void) => {
        own.off('data', onData).off('close', onClose).off('error', onError)
        settle()
      }
      own.on('data', onData).on('close', onClose).on('error', onError)
      own.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
    })
  const send: Send = (target) => {
    const answer = turn.then(() => once(target))
    turn = answer.catch(() => {})
    return answer
  }
  return { send, end: () => socket?.destroy() }
}

function withUndici(origin: string, make: () => import('undici').Dispatcher, options: object = {}): Way {
  return {
    origin,
    make() {
      const dispatcher = make()
      return { send: (url) => text(undici.request(url, { dispatcher, ...options })), end: () => dispatcher.close() }
    },
  }
}

function withPrivateFetch(origin: string, make: () => import('undici').Dispatcher, init: RequestInit = {}): Way {
  return {
    origin,
    make() {
      const dispatcher = make()
      const extras = { dispatcher: new undici.Dispatcher1Wrapper(dispatcher) } as unknown as RequestInit
      return { send: async (url) => (await fetch(url, { ...init, ...extras })).text(), end: () => dispatcher.close() }
    },
  }
}

function withNode(
  origin: string,
  send: typeof get | typeof httpRequest,
  makeAgent: () => HttpAgent,
  body?: string,
): Way {
  return {
    origin,
    make() {
      const agent = makeAgent()
      const method = body === undefined ? 'GET' : 'POST'
      return { send: byNode(send, { agent, method, ...tls }, body), end: () => agent.destroy() }
    },
  }
}

const proxyEnv = { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl, http_proxy: proxyUrl, https_proxy: proxyUrl }
const envProxy = { httpProxy: proxyUrl, httpsProxy: proxyUrl, noProxy: '', requestTls: tls, connect: tls }
const keepAlive = { keepAlive: true }
const ways: Record<string, Way> = {
  fetch: { origin: plain, make: () => ({ send: async (url) => (await fetch(url)).text() }) },
  'fetch POST': { origin: plain, make: () => ({ send: async (url) => (await fetch(url, post)).text() }) },
  'captured fetch': { origin: plain, make: () => ({ send: async (url) => (await capturedFetch(url)).text() }) },
  'fetch, own dispatcher': withPrivateFetch(plain, () => new undici.Agent()),
  'fetch POST, own dispatcher': withPrivateFetch(plain, () => new undici.Agent(), post),
  'fetch https, own dispatcher': withPrivateFetch(secure, () => new undici.Agent({ connect: tls })),
  'undici.request': { origin: plain, make: () => ({ send: (url) => text(undici.request(url)) }) },
  'undici.fetch': { origin: plain, make: () => ({ send: async (url) => (await undici.fetch(url)).text() }) },
  'undici.request, Agent': withUndici(plain, () => new undici.Agent()),
  'undici.request, Pool': withUndici(plain, () => new undici.Pool(plain, { connections: 3 })),
  'undici.request, Client': withUndici(plain, () => new undici.Client(plain)),
  'undici.request POST, Pool': withUndici(plain, () => new undici.Pool(plain), post),
  'undici.request https, Agent': withUndici(secure, () => new undici.Agent({ connect: tls })),
  'undici.request stream, Client': {
    origin: plain,
    make() {
      const client = new undici.Client(plain)
      const send: Send = (url) =>
        text(client.request({ path: new URL(url).pathname, method: 'PUT', body: Readable.from(['g', 'AAAA']) }))
      return { send, end: () => client.close() }
    },
  },
  'http.get': { origin: plain, make: () => ({ send: byNode(get, {}) }) },
  'http.get, no agent': { origin: plain, make: () => ({ send: byNode(get, { agent: false }) }) },
  'http.get, own agent': withNode(plain, get, () => new HttpAgent(keepAlive)),
  'http.request POST, own agent': withNode(plain, httpRequest, () => new HttpAgent(keepAlive), 'gAAAA'),
  'https.get, own agent': withNode(secure, https.get, () => new https.Agent(keepAlive)),
  'net.connect by hand': { origin: plain, make: () => byHand(plain) },
  'proxy: undici.request, EnvHttpProxyAgent': withUndici(plain, () => new undici.EnvHttpProxyAgent(envProxy)),
  'proxy: undici.request, ProxyAgent tunnel': withUndici(
    plain,
    () => new undici.ProxyAgent({ uri: proxyUrl, proxyTunnel: true }),
  ),
  'proxy: undici.request https, ProxyAgent': withUndici(
    secure,
    () => new undici.ProxyAgent({ uri: proxyUrl, requestTls: tls }),
  ),
  'proxy: fetch, EnvHttpProxyAgent': withPrivateFetch(plain, () => new undici.EnvHttpProxyAgent(envProxy)),
  'proxy: fetch POST, EnvHttpProxyAgent': withPrivateFetch(plain, () => new undici.EnvHttpProxyAgent(envProxy), post),
  'proxy: fetch https, EnvHttpProxyAgent': withPrivateFetch(secure, () => new undici.EnvHttpProxyAgent(envProxy)),
  'proxy: http.get, HTTP_PROXY': withNode(plain, get, () => new HttpAgent({ ...keepAlive, proxyEnv } as object)),
  'proxy: https.get, HTTPS_PROXY': withNode(
    secure,
    https.get,
    () => new https.Agent({ ...keepAlive, proxyEnv, ...tls } as object),
  ),
}

interface Row {
  readonly combination: string
  calls: number
  answered: number
  refused: number
  escaped: number
  readonly failures: string[]
}
const rows: Row[] = []

async function play(combination: string, send: Send, origin: string, calls: number): Promise<void> {
  const row: Row = { combination, calls: 0, answered: 0, refused: 0, escaped: 0, failures: [] }
  const before = reached + proxy.reached()
  const one = async () => {
    row.calls += 1
    try {
      if ((await send(`${origin}/${row.calls}`)) === 'mock') row.answered += 1
    } catch (caught) {
      const { message, cause } = caught as Error
      const name =
        (caught as Error).name === 'UnhandledRequestError' || (cause as Error)?.name === 'UnhandledRequestError'
      if (name) row.refused += 1
      else row.failures.push(`${message} | ${(cause as Error)?.message}`)
    }
  }
  while (row.calls < calls) await Promise.all(Array.from({ length: AT_ONCE }, one))
  row.escaped = reached + proxy.reached() - before
  rows.push(row)
}

const listen = async () => {
  const answer = async () => ({ response: new Response('mock'), delayMs: 0 })
  const interceptions = await Promise.all([plain, secure].map((origin) => intercept({ answer, origin })))
  return () => Promise.all(interceptions.map((interception) => interception.close()))
}

/** What interception may have changed in the process. */
const traces = () => [
  ...[1, 2].map((version) => Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`))),
  ...[fetch, Headers, Request, Response, Headers.prototype.append],
  ...['connect', '_writeGeneric', 'write', 'destroy'].map((name) => Reflect.get(Socket.prototype, name)),
  ...[get, httpRequest, https.get, HttpAgent.prototype, Reflect.get(HttpAgent.prototype, 'addRequest')],
  ...['undici:client:sendHeaders', 'undici:client:connected', 'http2.client.stream.created', 'net.client.socket'].map(
    (name) => channel(name).hasSubscribers,
  ),
  Reflect.get(globalThis, Symbol.for('fish-crab.interceptions')),
  ...['exit', 'beforeExit', 'uncaughtException', 'warning'].map((name) => process.listenerCount(name)),
]
const originals = traces()

const begun = performance.now()
const notReal: string[] = []
for (const [name, { origin, make }] of Object.entries(ways)) {
  const warm = make()
  const expectReal = async (when: string) => {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => warm.send(`${origin}/real`)))
    if (answers.some((answer) => answer !== 'real')) notReal.push(`${name} ${when}: ${answers}`)
  }
  await expectReal('before')
  let close = await listen()
  await play(`${name}, warm`, warm.send, origin, CALLS)
  const cold = make()
  await play(`${name}, cold`, cold.send, origin, CALLS)
  await close()
  await expectReal('after closing')
  close = await listen()
  await play(`${name}, listening again`, warm.send, origin, CALLS)
  await close()
  await expectReal('at the end')
  await Promise.all([warm.end?.(), cold.end?.()])
}

// An origin that nobody mocks: refused, whether its connection is new or old.
for (const name of ['fetch', 'fetch POST, own dispatcher', 'undici.request', 'http.get', 'http.get, own agent']) {
  const { send, end } = (ways[name] as Way).make()
  await send(`${other}/real`)
  const close = await listen()
  await play(`${name}, to another origin`, send, other, 20)
  await close()
  await end?.()
}
const elapsedMs = Math.round(performance.now() - begun)
const changed = traces().flatMap((trace, index) => (trace === originals[index] ? [] : [index]))
for (const server of [...servers, proxy.server]) server.close()
for (const server of servers) server.closeAllConnections()
proxy.end()
process.stdout.write(JSON.stringify({ rows, notReal, uncaught, changed, elapsedMs }))
