import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of a server, by what they are used for. */
export interface Connections {
  /**
   * Responds to a request in its turn, which is over once `respond` settles; settles itself once the response has left
   * and all of the request was read.
   */
  handle(req: IncomingMessage, res: ServerResponse, respond: (isLast: () => boolean) => Promise<unknown>): Promise<void>
  /**
   * Ends a connection whose client sent something that is no request. What it sent before is responded to first;
   * then `refuse` says why, unless a response is there already of which the rest of the request could not be read.
   */
  reject(socket: Socket, refuse: () => void): void
  /** Closes those whose requests are all answered. */
  closeIdle(): void
  /** Closes those that never carried the whole head of a request: browsers open some ahead of need. */
  closeUnused(): void
}

/** What is known of one connection. */
interface Connection {
  /** What has yet to be responded to, in order. The first one has its turn. */
  readonly queue: (() => unknown)[]
  /** How many requests have not left with their response. */
  underWay: number
  latest?: { readonly req: IncomingMessage; readonly res: ServerResponse }
  /** Whether its client sent something that is no request, so that nothing more is read from it. */
  broken: boolean
}

/** How many requests of one connection may wait before no more of them are read. */
const PIPELINED = 16

/**
 * Watches the connections of a server.
 *
 * Node hands over all pipelined requests of one read at once, and 1,600 of them would hold every other connection
 * until the last one is done. Here each connection has one request in the handlers at a time, and all others get
 * their turn of the event loop between two of them.
 *
 * Node's own `closeIdleConnections()` is no help to a stop: it takes a response that was written but is still on its
 * way to a slow client for done, and cuts it; and a connection that never carried a request for busy, and waits for it.
 */
export function watchConnections(server: Server): Connections {
  const lines = new Map<Socket, Connection>()

  server.on('connection', (socket: Socket) => {
    lines.set(socket, { queue: [], underWay: 0, broken: false })
    socket.once('close', () => lines.delete(socket))
  })

  const connections: Connections = {
    async handle(req, res, respond) {
      const { socket } = req
      const line = lines.get(socket)
      // What follows something that was refused may be a part of that.
      if (!line || line.broken) return
      line.latest = { req, res }
      line.underWay += 1
      const left = leaves(req, res)
      enqueue(socket, line, () => respond(() => line.queue.length === 1))
      await left
      line.underWay -= 1
    },
    reject(socket, refuse) {
      const line = lines.get(socket)
      if (!line || line.broken) return
      line.broken = true
      const { req, res } = line.latest ?? {}
      if (!req || req.complete) enqueue(socket, line, refuse)
      // The latest request will never be complete. Either it waits for its turn, or for what does not come.
      else if (line.queue.length > 1) line.queue[line.queue.length - 1] = refuse
      else if (!res?.headersSent) refuse()
    },
    closeIdle() {
      for (const [socket, { latest, underWay }] of lines) if (latest && underWay === 0) socket.destroySoon()
    },
    closeUnused() {
      for (const [socket, { latest }] of lines) if (!latest) socket.destroy()
    },
  }
  // `server.close()` calls its own.
  server.closeIdleConnections = () => connections.closeIdle()
  // Node's own leaves out those that asked for a tunnel.
  server.closeAllConnections = () => {
    for (const socket of lines.keys()) socket.destroy()
  }
  return connections
}

async function leaves(req: IncomingMessage, res: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => res.once('close', resolve))
  if (!req.complete && !req.socket.destroyed) await new Promise<void>((resolve) => req.once('close', resolve))
}

function enqueue(socket: Socket, line: Connection, task: () => unknown): void {
  line.queue.push(task)
  if (line.queue.length === 1) void takeTurns(socket, line)
  // After the parser is done with what was read: at the end of each request, it has its socket read on.
  else if (line.queue.length === PIPELINED + 1) process.nextTick(() => socket.pause())
}

async function takeTurns(socket: Socket, line: Connection): Promise<void> {
  while (line.queue[0] && !socket.destroyed) {
    await line.queue[0]()
    line.queue.shift()
    if (line.queue.length > 0) await new Promise((resolve) => setImmediate(resolve))
  }
  if (socket.isPaused()) socket.resume()
}
