import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { HEADERS } from '@fish-crab/sdk/contract'
import { FastResponse } from 'srvx'
import { NodeRequest, sendNodeResponse } from 'srvx/node'
import type { Logger, RequestHost } from '../app/core/host.ts'
import { METHODS, requestIdOf } from '../app/http/context.ts'
import { HttpError, parserError, rawErrorResponse } from '../app/http/http-error.ts'
import { type Connections, type PendingRequest, watchConnections } from './connections.ts'
import { discardRest, LINGER_MS } from './discard-rest.ts'
import { JoinedBodyRequest } from './joined-body.ts'
import { bodyReaderOf } from './read-body.ts'

/** A response that keeps the parts of which it was made, so that Node sends them without a stream. */
export class SentResponse extends FastResponse {
  readonly content: BodyInit | null
  readonly fields: Readonly<Record<string, string>>

  constructor(body: BodyInit | null = null, init: ResponseInit = {}) {
    super(body, init)
    this.content = body
    this.fields = init.headers as Readonly<Record<string, string>>
  }
}

/** Resolves when the response is sent. Node sends the head and a body that is complete in one write. */
function send(res: ServerResponse, response: Response): Promise<void> {
  if (!(response instanceof SentResponse) || response.content instanceof ReadableStream) {
    return sendNodeResponse(res, response) as Promise<void>
  }
  const { content, fields, status } = response
  return new Promise((resolve) => res.writeHead(status, fields).end(content ?? undefined, resolve))
}

/** Returns a function whose promise resolves at the end of the current turn of the event loop. */
function createTurnEnd(): () => Promise<void> {
  let end: Promise<void> | undefined
  return () => {
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = undefined
        resolve()
      })
    })
    return end
  }
}

interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly fetch: (request: Request, host: RequestHost) => Promise<Response>
  readonly logger: Logger
  readonly isAccepting: () => boolean
  /** Called for every connection above the limits. */
  readonly onDrop?: () => void
  /** Called for every response that an error ends early. */
  readonly onCut?: () => void
  /** Whether clients share the addresses of proxies. If so, the limit per client does not apply. @default false */
  readonly isBehindProxy?: boolean
  /** @default 4096 connections, or fewer if file descriptors are limited, and the times of `CONNECTION_LIMITS` */
  readonly limits?: Partial<ConnectionLimits>
}

/** Limits of connections. All times are in milliseconds. */
export interface ConnectionLimits {
  /**
   * Maximum number of open connections. One client may open a quarter of this number. Further connections are closed
   * immediately.
   */
  readonly connections: number
  /** Time for the headers of a request. */
  readonly headersMs: number
  /** Time for a whole request. */
  readonly requestMs: number
  /** Interval of the checks of `headersMs` and `requestMs`. A request may exceed each time by up to one interval. */
  readonly checkMs: number
  /** Time to keep an idle connection open. */
  readonly keepAliveMs: number
  /** Time that a response may stall because its client does not read. */
  readonly stalledMs: number
}

/** Longer than nginx keeps idle connections (60 s), so that nginx closes a connection first. */
const KEEP_ALIVE_MS = 65_000

const MAX_CONNECTIONS = 4096

/** File descriptors that are reserved for uses other than client connections: storage, log, modules. */
const OTHER_DESCRIPTORS = 128

/**
 * If no descriptor is free, the system neither accepts nor refuses new connections. Without this limit, one client
 * could use up all descriptors.
 */
function maxConnections(): number {
  // By default, the report looks up the host names of connected addresses, which may take seconds.
  const report: NonNullable<typeof process.report> & { excludeNetwork?: boolean } = process.report
  report.excludeNetwork = true
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const descriptors = Number(userLimits?.open_files?.soft) || Number.POSITIVE_INFINITY
  return Math.min(MAX_CONNECTIONS, Math.max(descriptors - OTHER_DESCRIPTORS, OTHER_DESCRIPTORS))
}

const CONNECTION_LIMITS: Omit<ConnectionLimits, 'connections'> = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 1000,
  keepAliveMs: KEEP_ALIVE_MS,
  stalledMs: KEEP_ALIVE_MS,
}

/**
 * Share of the connections that one client may have. This limit is needed because the rate limit counts neither idle
 * connections nor `/livez`.
 */
const CLIENT_SHARE = 1 / 4

/** Time for a request whose head is arriving when the server stops. */
const HEAD_MS = 40

export async function listen(options: ListenOptions) {
  const {
    host,
    port,
    fetch,
    logger,
    isAccepting,
    onDrop = () => {},
    onCut = () => {},
    isBehindProxy,
    limits: given,
  } = options
  const limits = { ...CONNECTION_LIMITS, connections: maxConnections(), ...given }
  const server = createServer({
    IncomingMessage: JoinedBodyRequest,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAliveTimeout: limits.keepAliveMs,
    // A missing `Host` is refused below, in the same format as all other errors.
    requireHostHeader: false,
  })
  server.maxConnections = limits.connections
  // By default, Node silently drops headers beyond a thousand. Their total size is limited anyway.
  server.maxHeadersCount = 0
  server.timeout = limits.stalledMs
  server.on('drop', onDrop)
  const perClient = isBehindProxy ? Number.POSITIVE_INFINITY : Math.ceil(limits.connections * CLIENT_SHARE)
  const connections = watchConnections(server, {
    perClient,
    onDrop,
    onDone: ({ req, res, requestId }) => {
      if (res.errored) {
        logger.warn({ requestId, err: res.errored }, 'a response was cut')
        onCut()
      }
      // Otherwise, a kept-alive connection would delay the stop by the whole grace period.
      if (!isAccepting()) connections.closeIfIdle(req.socket)
    },
  })
  const turnEnd = createTurnEnd()
  const respond = async (pending: PendingRequest) => {
    const { req, res } = pending
    try {
      const response = await fetch(new NodeRequest({ req, res }), {
        target: req.url,
        readBody: bodyReaderOf(req),
        isClosed: () => res.destroyed,
      })
      if (response instanceof SentResponse) pending.requestId = response.fields[HEADERS.requestId]
      // The responses of one turn are sent together: the first write wakes the clients up, and each write to a client
      // that is awake costs less.
      await turnEnd()
      // The header is set here, because the stop may have started while the response was created.
      if (!isAccepting() && connections.isLast(req)) res.setHeader('connection', 'close')
      await send(res, response)
      if (!req.complete) discardRest(req)
    } catch (err) {
      logger.error({ err }, 'a response could not be sent')
      res.destroy()
    }
  }
  const refuseRequest = (req: IncomingMessage, error: HttpError) => {
    const request = { requestId: requestIdOf(req.headers[HEADERS.requestId]), method: req.method }
    connections.reject(req.socket, () => sendError(req.socket, error, request))
    req.resume()
  }
  server.on('request', (req, res) => {
    const ambiguity = ambiguityError(req)
    if (ambiguity) {
      refuseRequest(req, ambiguity)
      return
    }
    const pending = connections.accept(req, res)
    if (pending) void respond(pending)
  })
  server.on('checkExpectation', (req: IncomingMessage) => refuseRequest(req, new HttpError('expectation_failed')))
  server.on('connect', (req: IncomingMessage) => {
    // Node no longer handles the errors of this socket.
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
    /** Closes all connections. Then a pending `close` settles without waiting for requests in flight. */
    cut: () => connections.closeAll(),
    /** Accepts no more connections, lets requests in flight finish, and closes the rest after the grace period. */
    close: (graceMs: number) => close(server, connections, graceMs),
  }
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

async function close(server: Server, connections: Connections, graceMs: number): Promise<void> {
  const cutUnused = setTimeout(() => connections.closeUnused(), HEAD_MS)
  const cut = setTimeout(() => connections.closeAll(), graceMs)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    connections.closeIdle()
  })
  clearTimeout(cutUnused)
  clearTimeout(cut)
}

/** A valid `Host` (RFC 3986, section 3.2) has no character that ends an authority, no user and no list. */
const HOST = /^[^\s/\\?#@,]*$/

/**
 * The error for a request that Node's parser accepts, but a proxy in front may have read as a different request, or as
 * two requests (RFC 9112, sections 2.3, 3.2 and 6.1).
 */
function ambiguityError(req: IncomingMessage): HttpError | undefined {
  const message = versionError(req) ?? hostError(req) ?? authorityError(req) ?? encodingError(req)
  return message === undefined ? undefined : new HttpError('malformed_request', { message })
}

function versionError({ httpVersion }: IncomingMessage): string | undefined {
  return /^1\.[01]$/.test(httpVersion) ? undefined : `Unsupported version HTTP/${httpVersion}. Send HTTP/1.1.`
}

function hostError({ httpVersion, rawHeaders, headers }: IncomingMessage): string | undefined {
  const lines = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (lines > 1) return 'The request has more than one Host header. Send one.'
  if (lines === 0 && httpVersion === '1.1') return 'The request has no Host header. Send one.'
  return isHost(headers.host ?? '') ? undefined : 'The Host header is not a host, with or without a port.'
}

/**
 * A name has at most 255 bytes. Parsing a long international name takes milliseconds, since the URL parser maps it first.
 */
const MAX_HOST_LENGTH = '['.length + 255 + ']:65535'.length

/** Accepts the empty `Host` of a request without an authority. Any other `Host` must make a valid URL. */
function isHost(text: string): boolean {
  return text === '' || (text.length <= MAX_HOST_LENGTH && HOST.test(text) && URL.canParse(`http://${text}`))
}

/** If the target is a whole URL, also parses the host of the target. The app checks the rest of the target. */
function authorityError({ url = '' }: IncomingMessage): string | undefined {
  if (url.startsWith('/') || url === '*') return undefined
  const [authority = ''] = url.replace(/^[^:]*:[/\\]*/, '').split(/[/\\?#]/, 1)
  return authority.length <= MAX_HOST_LENGTH ? undefined : 'The host in the request target is too long.'
}

function encodingError({ httpVersion, headers }: IncomingMessage): string | undefined {
  const coding = headers['transfer-encoding']
  if (coding === undefined || (httpVersion === '1.1' && coding.toLowerCase() === 'chunked')) return undefined
  return 'Unsupported Transfer-Encoding. Only chunked is supported, in HTTP/1.1.'
}

/** The error for `CONNECT`, which only proxies support (RFC 9110, section 9.3.6). */
function tunnelError(): HttpError {
  return new HttpError('method_not_allowed', {
    message: 'CONNECT is not supported. Send the request without it.',
    headers: { allow: METHODS.join(', ') },
  })
}

/**
 * Sends an error for a request that never reaches the app, and closes the connection. The server ends its side
 * immediately, and destroys the socket after a moment. Otherwise, a client that never ends its side would occupy the
 * file descriptor.
 */
function sendError(
  socket: Duplex,
  error: HttpError,
  request: { readonly requestId: string; readonly method?: string | undefined },
): void {
  // The previous response ended the connection.
  if (!socket.writable) return
  socket.end(rawErrorResponse(error, { ...request, reason: STATUS_CODES[error.status] }))
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
}
