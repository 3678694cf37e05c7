import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { HEADERS } from '@fish-crab/sdk/contract'
import { NodeRequest, sendNodeResponse } from 'srvx/node'
import type { Logger } from '../app/core/host.ts'
import { requestIdOf } from '../app/http/context.ts'
import { HttpError, parserError, rawErrorResponse } from '../app/http/http-error.ts'
import { METHODS } from '../app/http/pipeline.ts'
import { type Connections, watchConnections } from './connections.ts'

type Fetch = (request: Request, host: { readonly target: string | undefined }) => Promise<Response>

/** A listening server. */
interface Listener {
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
interface ListenOptions {
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
  const refuseRequest = (req: IncomingMessage, failure: HttpError) => {
    const request = { requestId: requestIdOf(req.headers[HEADERS.requestId]), method: req.method }
    connections.reject(req.socket, () => sendError(req.socket, failure, request))
    req.resume()
  }
  server.on('request', (req, res) => {
    const ambiguity = ambiguityError(req)
    if (ambiguity) {
      refuseRequest(req, ambiguity)
      return
    }
    const left = connections.handle(req, res, (isLast) => respond(req, res, isLast))
    // A connection that was kept alive before the stop began would hold it up for the whole grace.
    void left.then(() => isAccepting() || connections.closeIdle())
  })
  server.on('checkExpectation', (req: IncomingMessage) => refuseRequest(req, new HttpError('expectation_failed')))
  server.on('connect', (req: IncomingMessage) => {
    // Node has let go of the socket, and of its errors.
    req.socket.on('error', () => {}).resume()
    refuseRequest(req, tunnelError())
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') {
      socket.destroy(error)
      return
    }
    connections.reject(socket, () => sendError(socket, parserError(error), { requestId: crypto.randomUUID() }))
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

/** How long a connection stays open after a refusal, in milliseconds: long enough to arrive and be read. */
const LINGER_MS = 500
/** What a `Host` may hold (RFC 3986, section 3.2): nothing that ends an authority, no user and no list. */
const HOST = /^[^\s/\\?#@,]*$/

/**
 * Why a request is refused although Node's parser took it: a proxy in front may have read it as another one, or as
 * two (RFC 9112, sections 3.2 and 6.1). `undefined`: it is not.
 */
function ambiguityError(req: IncomingMessage): HttpError | undefined {
  const message = hostMistake(req) ?? codingMistake(req)
  return message === undefined ? undefined : new HttpError('malformed_request', { message })
}

function hostMistake({ httpVersion, rawHeaders, headers }: IncomingMessage): string | undefined {
  const lines = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (lines > 1) return 'The request has more than one Host header. Send one.'
  if (lines === 0 && httpVersion === '1.1') return 'The request has no Host header. Send one.'
  return HOST.test(headers.host ?? '') ? undefined : 'The Host header is not a host, with or without a port.'
}

function codingMistake({ httpVersion, headers }: IncomingMessage): string | undefined {
  const coding = headers['transfer-encoding']
  if (coding === undefined || (httpVersion === '1.1' && coding.toLowerCase() === 'chunked')) return undefined
  return 'The only Transfer-Encoding that this server takes is chunked, in HTTP/1.1.'
}

/** The failure for `CONNECT`: a server that is no proxy opens no tunnel (RFC 9110, section 9.3.6). */
function tunnelError(): HttpError {
  return new HttpError('method_not_allowed', {
    message: 'This server opens no tunnels. Send the request without CONNECT.',
    headers: { allow: METHODS.join(', ') },
  })
}

/**
 * Responds to what must not reach the app in the form of every other error, and closes the connection: at once for
 * this side, and for a client that does not close its own after a moment, so that it holds no descriptor.
 */
function sendError(
  socket: Duplex,
  failure: HttpError,
  request: { readonly requestId: string; readonly method?: string | undefined },
): void {
  // The response before was the last one on its connection.
  if (!socket.writable) return
  socket.end(rawErrorResponse(failure, { ...request, reason: STATUS_CODES[failure.status] }))
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
}
