import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of a server, by what they are used for. */
export interface Connections {
  /** Takes note of a request; settles once its answer has left and all of it was read. */
  use(req: IncomingMessage, res: ServerResponse): Promise<void>
  /** Closes those whose requests are all answered. */
  closeIdle(): void
  /** Closes those that never carried the whole head of a request: browsers open some ahead of need. */
  closeUnused(): void
}

/**
 * Watches the connections of a server. Node's own `closeIdleConnections()` is no help to a stop: it takes an answer
 * that was written but is still on its way to a slow client for done, and cuts it; and a connection that never
 * carried a request for busy, and waits for it.
 */
export function watchConnections(server: Server): Connections {
  const underWay = new Map<Socket, number>()
  const unused = new Set<Socket>()

  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => {
      unused.delete(socket)
      underWay.delete(socket)
    })
  })

  const connections: Connections = {
    async use(req, res) {
      const { socket } = req
      unused.delete(socket)
      underWay.set(socket, (underWay.get(socket) ?? 0) + 1)
      await new Promise<void>((resolve) => res.once('close', resolve))
      if (!req.complete && !socket.destroyed) {
        await new Promise<void>((resolve) => req.once('close', resolve))
      }
      const count = underWay.get(socket)
      if (count !== undefined) underWay.set(socket, count - 1)
    },
    closeIdle() {
      for (const [socket, count] of underWay) if (count === 0) socket.destroySoon()
    },
    closeUnused() {
      for (const socket of unused) socket.destroy()
    },
  }
  // `server.close()` calls its own.
  server.closeIdleConnections = () => connections.closeIdle()
  return connections
}
