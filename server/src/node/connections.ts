import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createClientCounts } from '../app/core/client-counts.ts'
import { siteKey } from '../app/http/client-address.ts'

export type Connections = ReturnType<typeof watchConnections>

/** A request in flight, and its response. */
export interface PendingRequest {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Set with the response. */
  requestId?: string | undefined
}

interface Connection {
  /** Requests in flight, in order. A request is in flight until its response is sent and its body is read. */
  readonly requests: Set<PendingRequest>
  isUsed: boolean
  /** Whether a request was malformed. After a malformed request, nothing more is read from the connection. */
  isBroken: boolean
}

interface ConnectionsOptions {
  /** Limit of open connections of one client: an IPv4 address, or the /48 of an IPv6 address. */
  readonly perClient: number
  /** Called for every connection above `perClient`. Such a connection is closed immediately. */
  readonly onDrop: () => void
  /** Called when a response is sent or cut, and the whole request is read. */
  readonly onDone: (request: PendingRequest) => void
}

/**
 * Maximum number of requests in flight on one connection. Browsers and proxies send one request at a time, and load
 * generators send a few.
 */
const MAX_PIPELINED = 64

/**
 * Tracks the connections of a server.
 *
 * Node's `closeIdleConnections()` does not suit a graceful stop. This method cuts responses that a slow client is still
 * reading, and waits for connections that never carried a request.
 */
export function watchConnections(server: Server, { perClient, onDrop, onDone }: ConnectionsOptions) {
  const all = new Map<Socket, Connection>()
  const openByClient = createClientCounts()

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    // The client reset the connection before the server accepted it, so the connection has no client address to count.
    if (remoteAddress === undefined) {
      socket.destroy()
      return
    }
    const client = siteKey(remoteAddress)
    if (openByClient.of(client) >= perClient) {
      onDrop()
      socket.destroy()
      return
    }
    openByClient.add(client, 1)
    all.set(socket, { requests: new Set(), isUsed: false, isBroken: false })
    socket.once('close', () => {
      all.delete(socket)
      openByClient.add(client, -1)
    })
  })

  const connections = {
    /** Returns `undefined` for a request to ignore. A connection with too many requests in flight is closed. */
    accept(req: IncomingMessage, res: ServerResponse): PendingRequest | undefined {
      const { socket } = req
      const connection = all.get(socket)
      // After a malformed request, the bytes of this request may belong to the malformed request.
      if (!connection || connection.isBroken || socket.destroyed) return undefined
      const { requests } = connection
      if (requests.size >= MAX_PIPELINED) {
        socket.destroy()
        return undefined
      }
      const request: PendingRequest = { req, res }
      requests.add(request)
      connection.isUsed = true
      const done = () => {
        requests.delete(request)
        onDone(request)
      }
      res.once('close', () => {
        if (req.complete || socket.destroyed) done()
        else req.once('close', done)
      })
      return request
    },
    /** Whether a request is the only one in flight on its connection. */
    isLast: ({ socket }: IncomingMessage) => all.get(socket)?.requests.size === 1,
    /**
     * Ends a connection after a malformed request. Earlier requests get their responses. Then `refuse` sends the error,
     * unless the malformed part belongs to a request that already has a response.
     */
    reject(socket: Socket, refuse: () => void) {
      const connection = all.get(socket)
      if (!connection || connection.isBroken) return
      connection.isBroken = true
      const requests = [...connection.requests]
      const previous = requests.findLast(({ req, res }) => req.complete && !res.closed)
      const incomplete = requests.find(({ req }) => !req.complete)
      const end = () => {
        if (!incomplete?.res.headersSent) refuse()
      }
      if (previous) previous.res.once('close', end)
      else end()
    },
    closeIdle() {
      for (const socket of all.keys()) connections.closeIfIdle(socket)
    },
    closeIfIdle(socket: Socket) {
      const connection = all.get(socket)
      if (connection?.isUsed && connection.requests.size === 0) socket.destroySoon()
    },
    /** Closes connections that never carried a complete request head. Browsers open such connections in advance. */
    closeUnused() {
      for (const [socket, { isUsed }] of all) if (!isUsed) socket.destroy()
    },
    /** Closes all connections, including sockets of `CONNECT`, which Node's `closeAllConnections()` leaves open. */
    closeAll() {
      for (const socket of all.keys()) socket.destroy()
    },
  }
  // Replace Node's own method, because `server.close()` calls it.
  server.closeIdleConnections = () => connections.closeIdle()
  return connections
}
