import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { HEADERS } from '@fish-crab/sdk/contract'
import { errorBody, HttpError, parserError, rawErrorResponse } from '@fish-crab/server/internal'
import { NodeRequest, sendNodeResponse } from 'srvx/node'
import { discardRest } from '../../../server/src/node/discard-rest.ts'
import { createClock, type MockClock } from '../service/clock.ts'
import type { HandleRequest, Outcome } from '../service/outcome.ts'
import { applyOutcome, connectionReset } from './network-faults.ts'

/** Where a mock listens. */
export interface ServeOptions {
  /** Address to listen on. Everyone who can reach this address can read every key of the mock. @default '127.0.0.1' */
  readonly host?: string
  /** Port to listen on. With 0, the mock listens on any free port. @default 0 */
  readonly port?: number
}

/** Options of {@link serveHttp}. */
export interface ServeHttpOptions extends ServeOptions {
  /** Handles requests, which have the address of the client as `ip`. */
  readonly handle: HandleRequest
  /** The control API, which resolves to `undefined` for all other requests. @default none */
  readonly control?: (request: Request) => Promise<Response | undefined>
  /** The time of the `date` header, in unix milliseconds. @default Date.now */
  readonly now?: () => number
  /** Waits for the delay of a fault, on the clock of the mock. @default in real time */
  readonly sleep?: MockClock['sleep']
}

/** A mock that is served over HTTP, for clients in any language. */
export interface MockServer extends AsyncDisposable {
  /** The URL of the server, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** Warnings to show to the user, one sentence each. */
  readonly warnings: readonly string[]
  /** Stops listening and closes all connections, including those with requests in flight. */
  close(): Promise<void>
}

/**
 * The real server uses the same value. The value is long, so that no connection is closed while a client is about to
 * reuse the connection.
 */
const KEEP_ALIVE_MS = 65_000
const LOOPBACK = /^(127\.|::1$|localhost$)/

/**
 * Serves a mock over HTTP, with faults on the real connection. Delays use the clock of the mock. Each client address
 * has its own rate limit; on Linux and Windows, a client can use any address in `127.0.0.0/8`.
 * @throws Node's own error (`EADDRINUSE`, `EACCES`, …) when the address is not available
 * @example
 * const server = await serveHttp({ handle })
 * await fetch(`${server.url}/status`)
 * await server.close()
 */
export async function serveHttp(options: ServeHttpOptions): Promise<MockServer> {
  const { host = '127.0.0.1', port = 0 } = options
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('clientError', (error, socket) => respondToMalformed(error, socket))
  server.on('request', (req, res) => {
    respond(options, req, res).catch(() => res.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })

  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return {
    url: urlOf(server.address() as AddressInfo),
    warnings: warningsFor(host),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function respond(options: ServeHttpOptions, req: IncomingMessage, res: ServerResponse) {
  const { handle, control, now, sleep = createClock({}).sleep } = options
  if (now) res.setHeader('date', new Date(now()).toUTCString())
  // Use the same adapter as the server, so that paths and headers reach the app unchanged.
  const request: Request = new NodeRequest({ req, res })
  try {
    const controlled = await control?.(request)
    if (controlled) await sendNodeResponse(res, controlled)
    else await sendOutcome(request, await handle(request, 'http'), res, sleep)
  } catch (error) {
    if (res.headersSent) throw error
    await sendNodeResponse(res, internalErrorResponse(error))
  }
  if (!req.complete) discardRest(req)
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function warningsFor(host: string): string[] {
  if (LOOPBACK.test(host)) return []
  return [`Listening on ${host}: everyone who can reach this address can read all keys of the mock and control it.`]
}

/** Sends a response with its delay and network fault. Does not reject when the client disconnects. */
async function sendOutcome(
  request: Request,
  outcome: Outcome,
  res: ServerResponse,
  sleep: MockClock['sleep'],
): Promise<void> {
  const { socket } = res
  const disconnected = new AbortController()
  res.once('close', () => disconnected.abort())
  if (res.destroyed) disconnected.abort()
  const connection = {
    sleep,
    signal: disconnected.signal,
    reset() {
      socket?.resetAndDestroy()
      return connectionReset()
    },
    cut() {
      // Read the rest of the request, because unread bytes would turn the end of the connection into a reset.
      res.req.resume()
      socket?.destroySoon()
    },
  }
  try {
    const response = await applyOutcome(request, outcome, connection)
    disconnected.signal.throwIfAborted()
    await sendNodeResponse(res, response)
  } catch (error) {
    if (!res.destroyed && !socket?.destroyed) throw error
    const { bodyUsed, body } = outcome.response
    if (!bodyUsed) await body?.cancel().catch(() => {})
  }
}

/** Responds to a malformed HTTP request as the server does, and closes the connection. */
function respondToMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const response = parserError(error)
  socket.end(rawErrorResponse(response, { requestId: crypto.randomUUID(), reason: STATUS_CODES[response.status] }))
}

/** The response to an error in the mock itself. The message helps to find a mistake in a test's setup. */
function internalErrorResponse(error: unknown): Response {
  const requestId = crypto.randomUUID()
  const message = error instanceof Error ? error.message : 'unknown'
  const failure = new HttpError('internal_error', { message: `The mock failed: ${message}` })
  const headers = { [HEADERS.requestId]: requestId }
  return Response.json(errorBody(failure, requestId), { status: failure.status, headers })
}
