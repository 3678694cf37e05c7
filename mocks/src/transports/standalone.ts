import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { NodeRequest, sendNodeResponse } from 'srvx/node'
import { createClock, type MockClock } from '../mock/clock.ts'
import type { AnswerRequest } from '../mock/outcome.ts'
import { answerMalformed, mistakeAnswer } from './standalone-mistakes.ts'
import { bringAbout } from './standalone-outcome.ts'

/** What {@link serveStandalone} takes. */
export interface StandaloneOptions {
  /** The world that answers. The request it gets has the address of its client as `ip`. */
  readonly answer: AnswerRequest
  /** Answers requests that steer the world; `undefined` for all others. @default nothing steers it */
  readonly control?: (request: Request) => Promise<Response | undefined>
  /**
   * The time of the world, in unix milliseconds: the `Date` of answers must go with their other times.
   * @default Date.now
   */
  readonly now?: () => number
  /** Lets the latency of faults pass, on the clock of the world. @default in real time */
  readonly sleep?: MockClock['sleep']
  /** Address to listen on. Whoever reaches it can read every key of the world. @default '127.0.0.1' */
  readonly host?: string
  /** Port to listen on; 0 is any free one. @default 0 */
  readonly port?: number
}

/** A world on a socket, for clients in any language. */
export interface Standalone extends AsyncDisposable {
  /** Where it listens, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** What whoever started it should know, each a sentence. */
  readonly warnings: readonly string[]
  /** Stops listening and cuts every connection, answered or not. */
  close(): Promise<void>
}

/** As the server itself keeps connections: a client must not meet one that closes while it sends. */
const KEEP_ALIVE_MS = 65_000
const LINGER_MS = 500
const LOOPBACK = /^(127\.|::1$|localhost$)/

/**
 * Serves a world on a plain socket. Faults are what a real network makes of them: resets are resets, and a body that
 * was cut short ends before its `content-length`. Latency passes on the clock of the world: while that stands
 * still, moving it brings the answer. Each address is a client of its own; on Linux and Windows all of
 * `127.0.0.0/8` is there without further ado.
 * @throws Node's own error (`EADDRINUSE`, `EACCES`, …) when the address cannot be had
 * @example
 * await using standalone = await serveStandalone({ answer })
 * await fetch(`${standalone.url}/status`)
 */
export async function serveStandalone(options: StandaloneOptions): Promise<Standalone> {
  const { host = '127.0.0.1', port = 0 } = options
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('clientError', (error, socket) => answerMalformed(error, socket, crypto.randomUUID()))
  server.on('request', (req, res) => {
    exchange(options, req, res).catch(() => res.destroy())
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

async function exchange(options: StandaloneOptions, req: IncomingMessage, res: ServerResponse) {
  const { answer, control, now, sleep = createClock({}).sleep } = options
  if (now) res.setHeader('date', new Date(now()).toUTCString())
  // The server makes its requests in the same way, so that paths and headers reach the app unchanged.
  const request: Request = new NodeRequest({ req, res })
  try {
    const steering = await control?.(request)
    if (steering) await sendNodeResponse(res, steering)
    else await bringAbout(await answer(request, 'standalone'), res, sleep)
  } catch (error) {
    if (res.headersSent) throw error
    await sendNodeResponse(res, mistakeAnswer(error, crypto.randomUUID()))
  }
  if (!req.complete) discardRest(req)
}

/** Reads and drops what a client still sends of a refused body: cutting it at once might lose the answer on its way. */
function discardRest(req: IncomingMessage): void {
  const { socket } = req
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  req.once('close', () => clearTimeout(cut))
  req.removeAllListeners('data')
  req.resume()
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function warningsFor(host: string): string[] {
  if (LOOPBACK.test(host)) return []
  return [`Listening on ${host}: everyone who reaches this address can read all keys of the mock and steer it.`]
}
