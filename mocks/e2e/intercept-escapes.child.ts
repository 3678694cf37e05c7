// Sends requests in every way that a Node program can, while requests are intercepted, and counts the requests that
// reach a real server or proxy. The script runs in a separate process, so that the test runner cannot hide an escape.
// The output is one JSON object.
import { channel } from 'node:diagnostics_channel'
import { createServer, get, Agent as HttpAgent, request as httpRequest } from 'node:http'
import * as https from 'node:https'
import { type AddressInfo, type Server, Socket } from 'node:net'
import { intercept } from '../src/transports/intercept.ts'
import { certificate, privateKey } from './intercept-certificate.ts'
import type { Send } from './intercept-escapes-senders.ts'
import { type Way, waysTo } from './intercept-escapes-ways.ts'
import { createProxy } from './intercept-proxy.ts'

const CALLS = Number(process.argv[2] ?? 130)
const AT_ONCE = 5
const uncaught: string[] = []
process.on('uncaughtException', (error) => uncaught.push(String(error.stack)))
process.on('unhandledRejection', (error) => uncaught.push(String((error as Error)?.stack ?? error)))

let reached = 0
const handler: Parameters<typeof createServer>[1] = (incoming, response) => {
  reached += 1
  // Close each connection, since interception does not affect connections that are already open.
  response.setHeader('connection', 'close')
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
const ways = waysTo({ plain, secure, proxyUrl })

interface Row {
  readonly combination: string
  calls: number
  responded: number
  refused: number
  escaped: number
  readonly failures: string[]
}
const rows: Row[] = []

async function play(combination: string, send: Send, origin: string, calls: number): Promise<void> {
  const row: Row = { combination, calls: 0, responded: 0, refused: 0, escaped: 0, failures: [] }
  const before = reached + proxy.reached()
  const one = async () => {
    row.calls += 1
    try {
      if ((await send(`${origin}/${row.calls}`)) === 'mock') row.responded += 1
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
  const handle = async () => ({ response: new Response('mock'), delayMs: 0 })
  const interceptions = await Promise.all([plain, secure].map((origin) => intercept({ handle, origin })))
  return () => Promise.all(interceptions.map((interception) => interception.close()))
}

/** Returns the global state that interception might change. */
const traces = () => [
  ...[1, 2].map((version) => Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`))),
  ...[fetch, Headers, Request, Response, Headers.prototype.append],
  ...['connect', 'write', 'destroy'].map((name) => Reflect.get(Socket.prototype, name)),
  ...[get, httpRequest, https.get, HttpAgent.prototype, Reflect.get(HttpAgent.prototype, 'addRequest')],
  ...['undici:client:sendHeaders', 'undici:client:connected', 'net.client.socket'].map(
    (name) => channel(name).hasSubscribers,
  ),
  Reflect.get(globalThis, Symbol.for('fish-crab.interceptions')),
  ...['exit', 'beforeExit', 'uncaughtException', 'warning'].map((name) => process.listenerCount(name)),
]
const originals = traces()

const begun = performance.now()
const notReal: string[] = []
for (const [name, { origin, make }] of Object.entries(ways)) {
  for (const round of ['first', 'second']) {
    const close = await listen()
    const intercepted = make()
    await play(`${name}, ${round} round`, intercepted.send, origin, CALLS)
    await intercepted.end?.()
    await close()
    const { send, end } = make()
    const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => send(`${origin}/real`)))
    if (responses.some((response) => response !== 'real')) notReal.push(`${name}, ${round} round: ${responses}`)
    await end?.()
  }
}

// Send requests to an origin that is not mocked.
for (const name of ['fetch', 'fetch POST, own dispatcher', 'undici.request', 'http.get', 'http.get, own agent']) {
  const close = await listen()
  const { send, end } = (ways[name] as Way).make()
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
