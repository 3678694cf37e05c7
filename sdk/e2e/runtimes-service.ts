import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createRelay, type Server as NetServer } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { createLogger, type RunningServer, readConfig, startServer } from '@fish-crab/server'

/** The first administrator of every server here. */
export const ADMIN = { username: 'admin', password: 'correct horse battery staple' } as const

/** Starts the built server on a free local port. The settings are environment variables, as for `fish-cli serve`. */
export function startBuiltServer(settings: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const env = { FISH_PORT: '0', FISH_STORAGE: 'memory:', FISH_ADMIN_PASSWORD: ADMIN.password, ...settings }
  const logger = createLogger('silent', { stream: process.stderr, colours: false })
  return startServer(readConfig({ env }), { logger, version: 'e2e' })
}

/**
 * Starts the built server behind a relay that counts connections, a proxy to the built server, and a control server
 * that reports the count.
 */
export async function startSurroundings() {
  const service = await startBuiltServer()
  const port = Number(new URL(service.url).port)

  let connections = 0
  const relay = createRelay((socket) => {
    connections += 1
    join(socket, connect(port, '127.0.0.1'))
  })
  const control = createServer(({ url }, response) => {
    // Requests for any other path get no response, so that clients can abort in flight.
    if (url === '/connections') response.end(String(connections))
  })
  const proxy = startProxy(port)
  const [url, controlUrl, proxyUrl] = await Promise.all([relay, control, proxy].map(listening))
  return {
    url: url ?? '',
    controlUrl: controlUrl ?? '',
    proxyUrl: proxyUrl ?? '',
    async stop() {
      for (const server of [control, proxy]) server.closeAllConnections()
      for (const server of [relay, control, proxy]) server.close()
      await service.close()
    },
  }
}

/**
 * A proxy for tunnels and for requests with absolute URLs. The proxy connects to `port`, regardless of the requested
 * host.
 */
function startProxy(port: number): Server {
  const proxy = createServer(async ({ url = '', method = '' }, response) => {
    const { pathname, search } = new URL(url)
    const upstream = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, { method })
    response.writeHead(upstream.status, { 'content-type': upstream.headers.get('content-type') ?? '' })
    response.end(await upstream.text())
  })
  proxy.on('connect', (_, socket) => {
    const onward = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'))
    join(socket, onward)
  })
  return proxy
}

function join(one: Duplex, other: Duplex): void {
  // The end or failure of either stream also ends the other stream.
  pipeline(one, other, one, () => {})
}

/** Lets a server listen on a free local port, and returns the address of the server. */
export async function listening(server: NetServer): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
