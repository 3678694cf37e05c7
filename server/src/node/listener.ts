import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NodeRequest, sendNodeResponse } from 'srvx/node'
import type { Logger } from '../app/options.ts'

/** A listening server. */
export interface Listener {
  /** Where it listens, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** Takes no more connections, lets requests in flight finish, and cuts what is left after the grace. */
  close(graceMs: number): Promise<void>
}

/** What {@link listen} takes. */
export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly logger: Logger
  readonly isAccepting: () => boolean
}

const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 65_000
const LINGER_MS = 500

/** Serves an app on a socket. Rejects with Node's own error when the address cannot be had. */
export async function listen(
  fetch: (request: Request) => Promise<Response>,
  { host, port, logger, isAccepting }: ListenOptions,
): Promise<Listener> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  server.on('request', async (req, res) => {
    // A connection that was kept alive before the stop began would hold it up for the whole grace.
    const closeWhenStopping = () => isAccepting() || setImmediate(() => server.closeIdleConnections())
    res.once('close', closeWhenStopping)
    try {
      if (!isAccepting()) res.setHeader('connection', 'close')
      await sendNodeResponse(res, await fetch(new NodeRequest({ req, res })))
      if (!req.complete) discardRest(req, closeWhenStopping)
    } catch (err) {
      logger.error({ err }, 'an answer could not be sent')
      res.destroy()
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return { url: urlOf(server), close: (graceMs) => close(server, graceMs) }
}

/**
 * Reads and drops what a client still sends of a refused body, for a while, then cuts the connection. Cutting it at
 * once would reset it, and the client might never see why it was refused.
 */
function discardRest(req: IncomingMessage, done: () => void): void {
  const { socket } = req
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
  req.once('end', () => {
    clearTimeout(cut)
    done()
  })
  req.removeAllListeners('data')
  req.resume()
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

async function close(server: Server, graceMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
  clearTimeout(cut)
}
