import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { HEADERS } from '@fish-crab/sdk/contract'
import { NodeRequest, sendNodeResponse } from 'srvx/node'
import { requestIdOf } from '../app/http/exchange.ts'
import { Failure } from '../app/http/failure.ts'
import { parserError } from '../app/http/raw-error.ts'
import type { Logger } from '../app/options.ts'
import { type Connections, watchConnections } from './connections.ts'
import { ambiguityOf, LINGER_MS, refuse, tunnelFailure } from './refusal.ts'

type Fetch = (request: Request, host: { readonly target: string | undefined }) => Promise<Response>

/** A listening server. */
export interface Listener {
  /** Where it listens, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** Begins to answer. Requests that came before wait until then. */
  serve(fetch: Fetch): void
  /** Cuts all connections: a close under way no longer waits for requests in flight. */
  cut(): void
  /** Takes no more connections, lets requests in flight finish, and cuts what is left after the grace. */
  close(graceMs: number): Promise<void>
}

/** What {@link listen} takes. */
export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly logger: Logger
  readonly isAccepting: () => boolean
  /** Hears of every connection that was refused because there were too many. @default nobody */
  readonly onDrop?: () => void
  /** @default 4096 connections, and times as below */
  readonly limits?: Partial<ConnectionLimits>
}

/** What a connection may take. All times are in milliseconds. */
export interface ConnectionLimits {
  /** How many there may be at once; one more is closed at once. */
  readonly connections: number
  /** How long the headers of a request may take. */
  readonly headersMs: number
  /** How long a request may take to arrive, body included. */
  readonly requestMs: number
  /** How often the two are looked at, and so by how much they may be exceeded. */
  readonly checkMs: number
  /** How long a connection is kept for the next request. */
  readonly keepAliveMs: number
  /** How long a connection may stand still in the middle of an answer, because its client does not read. */
  readonly stalledMs: number
}

/** Longer than nginx keeps its own connections (60 s): the one that closes first must not be this side. */
const KEEP_ALIVE_MS = 65_000

/** The limits of a server's connections. An idle one costs some 16 KB. */
const CONNECTION_LIMITS: ConnectionLimits = {
  connections: 4096,
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 1000,
  keepAliveMs: KEEP_ALIVE_MS,
  stalledMs: KEEP_ALIVE_MS,
}

const HEAD_MS = 40

/** Takes an address, to serve an app there. Rejects with Node's own error when it cannot be had. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, port, logger, isAccepting, onDrop, limits: given } = options
  const { promise: serving, resolve: serve } = Promise.withResolvers<Fetch>()
  const limits = { ...CONNECTION_LIMITS, ...given }
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAliveTimeout: limits.keepAliveMs,
    // Such requests are refused below, in the form of every other error.
    requireHostHeader: false,
  })
  server.maxConnections = limits.connections
  server.timeout = limits.stalledMs
  if (onDrop) server.on('drop', onDrop)
  const connections = watchConnections(server)
  const respond = async (req: IncomingMessage, res: ServerResponse, isLast: () => boolean) => {
    try {
      const fetch = await serving
      const response = await fetch(new NodeRequest({ req, res }), { target: req.url })
      // The last response on its connection says so, also when the stop began while it was being made.
      if (!isAccepting() && isLast()) res.setHeader('connection', 'close')
      await sendNodeResponse(res, response)
      if (!req.complete) discardRest(req)
    } catch (err) {
      logger.error({ err }, 'an answer could not be sent')
      res.destroy()
    }
  }
  const refuseRequest = (req: IncomingMessage, failure: Failure) => {
    const request = { requestId: requestIdOf(req.headers[HEADERS.requestId]), method: req.method }
    connections.breakOff(req.socket, () => refuse(req.socket, failure, request))
    req.resume()
  }
  server.on('request', (req, res) => {
    const ambiguity = ambiguityOf(req)
    if (ambiguity) {
      refuseRequest(req, ambiguity)
      return
    }
    const left = connections.use(req, res, (isLast) => respond(req, res, isLast))
    // A connection that was kept alive before the stop began would hold it up for the whole grace.
    void left.then(() => isAccepting() || connections.closeIdle())
  })
  server.on('checkExpectation', (req: IncomingMessage) => refuseRequest(req, new Failure('expectation_failed')))
  server.on('connect', (req: IncomingMessage) => {
    // Node has let go of the socket, and of its errors.
    req.socket.on('error', () => {}).resume()
    refuseRequest(req, tunnelFailure())
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') {
      socket.destroy(error)
      return
    }
    connections.breakOff(socket, () => refuse(socket, parserError(error), { requestId: crypto.randomUUID() }))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    url: urlOf(server),
    serve,
    cut: () => server.closeAllConnections(),
    close: (graceMs) => close(server, connections, graceMs),
  }
}

/**
 * Reads and drops what a client still sends of a refused body, for a while, then cuts the connection. Cutting it at
 * once would reset it, and the client might never see why it was refused.
 */
function discardRest(req: IncomingMessage): void {
  const { socket } = req
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  // Of the request, not of its socket: that one may carry many more.
  req.once('close', () => clearTimeout(cut))
  req.removeAllListeners('data')
  req.resume()
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

async function close(server: Server, connections: Connections, graceMs: number): Promise<void> {
  // After a moment for a request whose head is under way.
  const cutUnused = setTimeout(() => connections.closeUnused(), HEAD_MS)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    connections.closeIdle()
  })
  clearTimeout(cutUnused)
  clearTimeout(cut)
}
