// Sends requests with every kind of HTTP/1.1 client while requests are intercepted, and counts the requests that reach
// a real server or proxy. The script runs in a separate process, so that the test runner cannot hide an escape. The
// output is one JSON object.
import { createServer, get, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import * as https from 'node:https'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, createServer as createProxy, type Server, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { intercept } from '../src/transports/intercept.ts'
import { certificate, privateKey } from './intercept-certificate.ts'

const undici = createRequire(import.meta.url)('undici') as typeof import('undici')
const capturedFetch = fetch
const CALLS = 30
const AT_ONCE = 5

/** Sends one request, and returns the body of the response. */
type Send = (url: string) => Promise<string>
/** A client with its own connections. */
type Make = () => { readonly send: Send; readonly end?: () => unknown }

const uncaught: string[] = []
process.on('uncaughtException', (error) => uncaught.push(String(error.stack)))
process.on('unhandledRejection', (error) => uncaught.push(String((error as Error)?.stack ?? error)))

let reached = 0
const real: Parameters<typeof createServer>[1] = (incoming, response) => {
  reached += 1
  // Interception does not affect connections that are already open, so each connection is closed.
  incoming.resume().on('end', () => response.setHeader('connection', 'close').end('real'))
}
const proxy = createProxy((socket) => {
  reached += 1
  socket.destroy()
})
const tlsServer = https.createServer({ key: privateKey, cert: certificate }, real)
const servers: Server[] = [createServer(real), tlsServer, createServer(real), proxy]
const [plainAt, secureAt, otherAt, proxyAt] = await Promise.all(
  servers.map(async (server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }),
)
const [plain, secure, other] = [`http://${plainAt}`, `https://${secureAt}`, `http://${otherAt}`]
const proxyUrl = `http://${proxyAt}`

const tls = { rejectUnauthorized: false }
const post = { method: 'POST', body: 'gAAAA' } as const

const withFetch = (send: typeof fetch, init: RequestInit = {}): Make => {
  return () => ({ send: async (url) => (await send(url, init)).text() })
}

function withDispatcher(makeDispatcher: () => import('undici').Dispatcher, init: object = {}): Make {
  return () => {
    const dispatcher = makeDispatcher()
    const send: Send = async (url) => (await undici.request(url, { dispatcher, ...init })).body.text()
    return { send, end: () => dispatcher.close() }
  }
}

/** Sends with the `fetch` of Node through a dispatcher of the package undici. */
function withOwnDispatcher(makeDispatcher: () => import('undici').Dispatcher, init: RequestInit = {}): Make {
  return () => {
    const dispatcher = makeDispatcher()
    const extras = { ...init, dispatcher: new undici.Dispatcher1Wrapper(dispatcher) } as RequestInit
    return { send: async (url) => (await fetch(url, extras)).text(), end: () => dispatcher.close() }
  }
}

function withNode(request: typeof httpRequest, options: RequestOptions, agent?: () => HttpAgent, body?: string): Make {
  return () => {
    const own = agent?.()
    const send: Send = (url) =>
      new Promise((resolve, reject) => {
        const all = { ...options, ...tls, ...(own && { agent: own }), ...(body && { method: 'POST' }) }
        const call = request(url, all, (response) => text(response).then(resolve, reject))
        call.on('error', reject).end(body)
      })
    return { send, end: () => own?.destroy() }
  }
}

/** Writes each request to a new raw socket. */
const byHand: Make = () => ({
  send: (url) =>
    new Promise((resolve, reject) => {
      const { hostname, port, host, pathname } = new URL(url)
      const socket = connect(Number(port), hostname).on('error', reject)
      let response = ''
      socket.on('data', (piece) => {
        response += piece
        const [body] = /(mock|real)$/.exec(response) ?? []
        if (!body) return
        resolve(body)
        socket.destroy()
      })
      socket.on('close', () => reject(new Error('closed')))
      socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
    }),
})

const keepAlive = { keepAlive: true }
const byProxy = { ...keepAlive, proxyEnv: { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl } } as object
const envProxy = { httpProxy: proxyUrl, httpsProxy: proxyUrl, noProxy: '' }

/** The kinds of clients, each with the origin to which it sends. A `proxy` forwards requests, and a `tunnel` bytes. */
const CLIENTS: Readonly<Record<string, readonly [origin: string, make: Make]>> = {
  fetch: [plain, withFetch(fetch)],
  'fetch, POST': [plain, withFetch(fetch, post)],
  'captured fetch': [plain, withFetch(capturedFetch)],
  'fetch, own dispatcher': [plain, withOwnDispatcher(() => new undici.Agent(), post)],
  'fetch, own dispatcher, https': [secure, withOwnDispatcher(() => new undici.Agent({ connect: tls }))],
  'undici.request': [plain, () => ({ send: async (url) => (await undici.request(url)).body.text() })],
  'undici Pool': [plain, withDispatcher(() => new undici.Pool(plain, { connections: 3 }), post)],
  'undici Client': [plain, withDispatcher(() => new undici.Client(plain))],
  'undici Agent, https': [secure, withDispatcher(() => new undici.Agent({ connect: tls }))],
  'http.get': [plain, withNode(get, {})],
  'http.get, no agent': [plain, withNode(get, { agent: false })],
  'http.request, own agent': [plain, withNode(httpRequest, {}, () => new HttpAgent(keepAlive), 'gAAAA')],
  'https.get, own agent': [secure, withNode(https.get, {}, () => new https.Agent(keepAlive))],
  'net.connect': [plain, byHand],
  'proxy: undici': [plain, withDispatcher(() => new undici.EnvHttpProxyAgent(envProxy))],
  'proxy: fetch': [plain, withOwnDispatcher(() => new undici.EnvHttpProxyAgent(envProxy), post)],
  'proxy: http': [plain, withNode(get, {}, () => new HttpAgent(byProxy))],
  'tunnel: undici': [plain, withDispatcher(() => new undici.ProxyAgent({ uri: proxyUrl, proxyTunnel: true }))],
  'tunnel: fetch': [secure, withOwnDispatcher(() => new undici.EnvHttpProxyAgent(envProxy))],
  'tunnel: https': [secure, withNode(https.get, {}, () => new https.Agent({ ...byProxy, ...tls }))],
}

const listen = async () => {
  const handle = async () => ({ response: new Response('mock'), delayMs: 0 })
  const opened = await Promise.all([plain, secure].map((origin) => intercept({ handle, origin })))
  return () => Promise.all(opened.map((interception) => interception.close()))
}

/** Returns `mock`, `real`, `refused` or the message of another error. */
const outcomeOf = (send: Send, url: string) =>
  send(url).catch((error: Error & { cause?: Error }) =>
    [error.name, error.cause?.name].includes('UnhandledRequestError') ? 'refused' : `${error} ${error.cause}`,
  )

/** Returns the global state that interception might change. */
const globals = () => [
  ...[1, 2].map((version) => Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`))),
  ...[fetch, Headers, Request, Response, Reflect.get(globalThis, Symbol.for('fish-crab.interceptions'))],
  ...['connect', 'write', 'destroy'].map((name) => Reflect.get(Socket.prototype, name)),
  ...[get, httpRequest, https.get, HttpAgent.prototype, Reflect.get(HttpAgent.prototype, 'addRequest')],
  ...['exit', 'beforeExit', 'uncaughtException', 'warning'].map((name) => process.listenerCount(name)),
]
const originals = globals()

const results: object[] = []
for (const [name, [origin, make]] of Object.entries(CLIENTS)) {
  // In the second round, interception was closed before.
  for (const round of [1, 2]) {
    const close = await listen()
    const client = make()
    const mocked = new Set<string>()
    for (let call = 0; call < CALLS; call += AT_ONCE) {
      const sent = Array.from({ length: AT_ONCE }, (_, at) => outcomeOf(client.send, `${origin}/${call + at}`))
      for (const outcome of await Promise.all(sent)) mocked.add(outcome)
    }
    const isBound = origin === secure || /Pool|Client/.test(name)
    const unmocked = isBound ? 'refused' : await outcomeOf(client.send, other)
    const escaped = reached
    await client.end?.()
    await close()
    const next = make()
    const after = /^(proxy|tunnel):/.test(name) ? 'real' : await outcomeOf(next.send, origin)
    await next.end?.()
    results.push({ name, round, mocked: [...mocked], unmocked, escaped, after })
    reached = 0
  }
}
const changed = globals().flatMap((value, index) => (value === originals[index] ? [] : [index]))
for (const server of servers) server.close()
process.stdout.write(JSON.stringify({ results, uncaught, changed }))
