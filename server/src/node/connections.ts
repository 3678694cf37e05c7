import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientKey } from '../app/http/client-address.ts'

export type Connections = ReturnType<typeof watchConnections>

interface Connection {
  /** Requests without a response, in order. It is the turn of the first one. */
  readonly queue: (() => void)[]
  /** Number of requests whose response is not sent. */
  inFlight: number
  latest?: { readonly req: IncomingMessage; readonly res: ServerResponse }
  /** After a malformed request, nothing more is read. */
  broken: boolean
}

interface ConnectionsOptions {
  /** Limit of open connections of one client: an IPv4 address, or the /64 of an IPv6 address. */
  readonly perClient: number
  /** Called for every connection above that limit, which is closed immediately. */
  readonly onDrop: () => void
  /** Called for each request in its turn. @param isLast whether no other request of its connection waits */
  readonly respond: (req: IncomingMessage, res: ServerResponse, isLast: () => boolean) => void
  /** Called when a response is sent and the whole request is read. */
  readonly onDone: (req: IncomingMessage) => void
}

/** Requests of a connection that may wait before no more are read. */
const MAX_PIPELINED = 16

/** Requests of a connection that may wait: those of one read, of which each takes some kilobytes. */
const MAX_WAITING = 64

/**
 * Tracks the connections of a server.
 *
 * Node emits all pipelined requests of one read at once, and 1,600 of them would block every other connection. Here, each
 * connection has one request in the handlers at a time, and other connections get a turn of the event loop in between.
 *
 * Node's `closeIdleConnections()` does not suit a graceful stop: it cuts responses that are still on their way to a slow
 * client, and waits for connections that never carried a request.
 */
export function watchConnections(server: Server, { perClient, onDrop, respond, onDone }: ConnectionsOptions) {
  const all = new Map<Socket, Connection>()
  const openByClient = new Map<string, number>()

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    // Reset before it was accepted. Its request would count for nobody, and a change would be nobody's.
    if (remoteAddress === undefined) {
      socket.destroy()
      return
    }
    const client = clientKey(remoteAddress)
    const open = openByClient.get(client) ?? 0
    if (open >= perClient) {
      onDrop()
      socket.destroy()
      return
    }
    openByClient.set(client, open + 1)
    all.set(socket, { queue: [], inFlight: 0, broken: false })
    socket.once('close', () => {
      all.delete(socket)
      const left = (openByClient.get(client) ?? 1) - 1
      if (left > 0) openByClient.set(client, left)
      else openByClient.delete(client)
    })
  })

  const connections = {
    /** Responds in its turn. No promise waits for the end of that: a response may take hours. */
    handle(req: IncomingMessage, res: ServerResponse) {
      const { socket } = req
      const connection = all.get(socket)
      // It may be a part of the malformed request.
      if (!connection || connection.broken) return
      if (connection.queue.length >= MAX_WAITING) {
        connection.broken = true
        stopParsing(socket)
        socket.destroy()
        return
      }
      connection.latest = { req, res }
      connection.inFlight += 1
      const done = () => {
        connection.inFlight -= 1
        onDone(req)
      }
      const turn = () => respond(req, res, () => connection.queue.length === 1)
      res.once('close', () => {
        if (connection.queue[0] === turn) passTurn(socket, connection)
        if (req.complete || socket.destroyed) done()
        else req.once('close', done)
      })
      enqueue(socket, connection, turn)
    },
    /**
     * Ends a connection after a malformed request. Requests before it get their responses; then `refuse` sends the error,
     * unless the malformed part belongs to a request that has a response already.
     */
    reject(socket: Socket, refuse: () => void) {
      const connection = all.get(socket)
      if (!connection || connection.broken) return
      connection.broken = true
      const { req, res } = connection.latest ?? {}
      const turn = () => {
        refuse()
        passTurn(socket, connection)
      }
      if (!req || req.complete) enqueue(socket, connection, turn)
      // The latest request will never be complete: it waits for its turn, or for its rest.
      else if (connection.queue.length > 1) connection.queue[connection.queue.length - 1] = turn
      else if (!res?.headersSent) refuse()
    },
    closeIdle() {
      for (const socket of all.keys()) connections.closeIfIdle(socket)
    },
    closeIfIdle(socket: Socket) {
      const connection = all.get(socket)
      if (connection?.latest && connection.inFlight === 0) socket.destroySoon()
    },
    /** Closes connections that never carried a complete request head: browsers open some in advance. */
    closeUnused() {
      for (const [socket, { latest }] of all) if (!latest) socket.destroy()
    },
  }
  // `server.close()` calls its own.
  server.closeIdleConnections = () => connections.closeIdle()
  // Node's own leaves out sockets of CONNECT.
  server.closeAllConnections = () => {
    for (const socket of all.keys()) socket.destroy()
  }
  return connections
}

/**
 * Node parses all of a read, 2,500 requests of 25 bytes, whatever becomes of their connection; many such connections would
 * block all others. There is no public way to stop it. After this result of a callback of its parser, which is that of a
 * request for another protocol, it does. Without such a callback, the parser goes on, and nothing else changes.
 */
function stopParsing(socket: Socket & { readonly parser?: { onIncoming?: unknown } | null }): void {
  if (socket.parser?.onIncoming) socket.parser.onIncoming = () => UPGRADE
}

/** `F_UPGRADE` of llhttp: what follows is not HTTP. */
const UPGRADE = 2

function enqueue(socket: Socket, connection: Connection, turn: () => void): void {
  connection.queue.push(turn)
  if (connection.queue.length === 1) turn()
  // Later, since the parser resumes the socket at the end of each request.
  else if (connection.queue.length === MAX_PIPELINED + 1) process.nextTick(() => socket.pause())
}

function passTurn(socket: Socket, { queue }: Connection): void {
  queue.shift()
  if (queue.length > 0) setImmediate(() => socket.destroyed || queue[0]?.())
  else if (socket.isPaused()) socket.resume()
}
