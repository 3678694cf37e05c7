import net from 'node:net'
import tls from 'node:tls'

/** What Node's sockets write through. Undocumented, yet what every socket library of Node patches. */
type WriteGeneric = (
  this: net.Socket,
  writev: boolean,
  data: Chunk | readonly { chunk: Chunk; encoding: BufferEncoding }[],
  encoding: BufferEncoding,
  callback: (error?: Error | null) => void,
) => void
type Chunk = string | Uint8Array
interface WithWriteGeneric {
  _writeGeneric: WriteGeneric
}

const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/

/** Where a request on an old connection is going. */
export interface Departure {
  readonly method: string
  readonly origin: string
}

/**
 * Takes over connections that were open before: a request written to one goes to a new connection, which is
 * intercepted, and the client notices nothing. Sees every write of every socket, so that no client can be forgotten.
 * @param mayLeave Whether a request may go out on the connection it was written to.
 * @returns Undoes it. To be called once the interceptor is gone.
 */
export function adoptOldSockets(mayLeave: (departure: Departure) => boolean): () => void {
  const twins = new Map<net.Socket, net.Socket>()
  const prototype = net.Socket.prototype as unknown as WithWriteGeneric
  const original = prototype._writeGeneric
  function watchedWrite(this: net.Socket, ...write: Parameters<WriteGeneric>): void {
    const departure = isIntercepted(this) ? undefined : readDeparture(this, write[1])
    if (departure && !mayLeave(departure)) {
      twins.set(this, adopt(this, departure))
      this.once('close', () => twins.delete(this))
    }
    // An adopted socket has its own way to write by now.
    const write_ = (this as unknown as WithWriteGeneric)._writeGeneric
    Reflect.apply(write_ === watchedWrite ? original : write_, this, write)
  }
  prototype._writeGeneric = watchedWrite
  return () => {
    if (prototype._writeGeneric === watchedWrite) prototype._writeGeneric = original
    // At once: a client that sends next must see that this connection is over.
    for (const [socket, twin] of twins) if (twin.destroyed) socket.destroy()
  }
}

/** Sockets that were connected while intercepting carry a mark of the interceptor. */
function isIntercepted(socket: net.Socket): boolean {
  return Object.getOwnPropertySymbols(socket).some((symbol) => symbol.description === 'kPatched')
}

function readDeparture(socket: net.Socket, data: Parameters<WriteGeneric>[1]): Departure | undefined {
  const chunks = typeof data === 'string' || data instanceof Uint8Array ? [data] : data.map(({ chunk }) => chunk)
  const first = chunks[0]
  if (first === undefined || !REQUEST_LINE.test(asText(first))) return undefined
  const text = chunks.map(asText).join('')
  const [, method = '', target = ''] = REQUEST_LINE.exec(text) ?? []
  if (/^https?:\/\//.test(target)) return { method, origin: new URL(target).origin }
  const scheme = socket instanceof tls.TLSSocket ? 'https' : 'http'
  // The header, not the peer: within a tunnel the peer is the proxy.
  const host = /\r\nhost: *([^\r\n]+)/i.exec(text)?.[1] ?? `${socket.remoteAddress}:${socket.remotePort}`
  const url = `${scheme}://${method === 'CONNECT' ? target : host}`
  return URL.canParse(url) ? { method, origin: new URL(url).origin } : undefined
}

function asText(chunk: Chunk): string {
  return typeof chunk === 'string'
    ? chunk
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
}

function adopt(socket: net.Socket, { origin }: Departure): net.Socket {
  const { protocol, hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const secure = protocol === 'https:'
  const twin = secure
    ? tls.connect({ host, port: Number(port || 443), servername: net.isIP(host) ? '' : host })
    : net.connect({ host, port: Number(port || 80) })
  // What is written sooner, the interceptor may see in another order.
  let waiting: (() => void)[] | undefined = []
  twin.once(secure ? 'secureConnect' : 'connect', () => {
    twin.on('data', (data) => socket.push(data))
    for (const write of waiting ?? []) write()
    waiting = undefined
  })
  twin.on('end', () => socket.push(null))
  twin.on('error', (error) => socket.destroy(error))
  twin.on('close', () => socket.destroy())
  socket.on('close', () => twin.destroy())
  const adopted: WithWriteGeneric = {
    _writeGeneric(_writev, data, encoding, callback) {
      const pieces = typeof data === 'string' || data instanceof Uint8Array ? [{ chunk: data, encoding }] : data
      const write = () => {
        for (const { chunk, encoding } of pieces) twin.write(chunk, encoding)
      }
      if (waiting) waiting.push(write)
      else write()
      callback()
    },
  }
  Object.assign(socket, adopted)
  return twin
}
