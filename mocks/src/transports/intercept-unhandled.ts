import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientHttp2Stream } from 'node:http2'
import net from 'node:net'
import tls from 'node:tls'
import { SocketInterceptor } from '@mswjs/interceptors/net'

/** What happens to a request that no mock handles. */
export type OnUnhandled = 'error' | 'warn' | 'bypass'

/** An origin that requests are sent to (`http://127.0.0.1:8080`), or `loopback` for every server on this machine. */
export type Passthrough = 'loopback' | (string & {})

export interface UnhandledPolicy {
  readonly onUnhandled: OnUnhandled
  readonly passthrough: readonly Passthrough[]
  /** The origins at which a mock is served now. */
  readonly served: ReadonlySet<string>
}

/** A request to an origin that is neither mocked nor allowed was blocked before its first byte. */
export class UnhandledRequestError extends Error {
  override readonly name = 'UnhandledRequestError'
  readonly code = 'ERR_UNHANDLED_REQUEST'
  readonly origin: string

  constructor(method: string, origin: string) {
    super(
      `${method} ${origin} was blocked, since no mock handles it. ` +
        `Mock that origin, or allow requests to the real server with listen({ passthrough: ['${origin}'] }).`,
    )
    this.origin = origin
  }
}

export type Decision = 'block' | 'warn' | 'pass'

/**
 * Decides about a request that no mock handles. If several mocks listen, a passthrough of one is enough; otherwise the
 * strictest policy applies, since the test that sent the request is unknown.
 */
export function decide(origin: string, policies: Iterable<UnhandledPolicy>): Decision {
  let decision: Decision = 'pass'
  for (const { onUnhandled, passthrough, served } of policies) {
    if (served.has(origin) || passthrough.some((allowed) => covers(allowed, origin))) return 'pass'
    if (onUnhandled === 'error') decision = 'block'
    else if (onUnhandled === 'warn' && decision === 'pass') decision = 'warn'
  }
  return decision
}

/** For schemes that browsers do not know, too. @throws TypeError when it is not a URL. */
export function originOf(url: string): string {
  const { origin, protocol, host } = new URL(url)
  // For schemes that browsers do not know, `URL.origin` is "null".
  return origin === 'null' ? `${protocol}//${host}` : origin
}

function covers(allowed: Passthrough, origin: string): boolean {
  return allowed === 'loopback' ? isLoopback(origin) : originOf(allowed) === origin
}

function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

interface Connection {
  readonly type: string
  readonly connectionOptions: {
    readonly host?: string | null
    readonly port?: number | string | null
    readonly path: string | null
  }
  readonly controller: { passthrough(...args: unknown[]): net.Socket }
  readonly socket: net.Socket
}
interface Hooks {
  on(type: 'beforeEmit', hook: (event: Connection) => void, options: { signal: AbortSignal; persist: true }): void
}

/** Blocks connections that the interceptor would pass through because it cannot parse them as HTTP. @returns undoes it */
export function guardConnections(allowed: WeakSet<object>, isAllowed: (address: string) => boolean): () => void {
  const stopped = new AbortController()
  const guarded = new WeakSet<object>()
  const { hooks } = Reflect.get(SocketInterceptor.singleton(SocketInterceptor), 'emitter') as { hooks: Hooks }
  // A second listener would run after the interceptor's own, which may have passed the connection through by then.
  hooks.on(
    'beforeEmit',
    ({ type, connectionOptions, controller, socket }) => {
      if (type !== 'connection' || guarded.has(controller)) return
      guarded.add(controller)
      const address = addressOf(connectionOptions)
      const passthrough = controller.passthrough.bind(controller)
      controller.passthrough = (...args) => {
        if (allowed.delete(socket) || stopped.signal.aborted || isAllowed(address)) return passthrough(...args)
        return socket.destroy(new UnhandledRequestError('CONNECT', `tcp://${address}`))
      }
    },
    { signal: stopped.signal, persist: true },
  )
  return () => stopped.abort()
}

function addressOf({ host, port, path }: Connection['connectionOptions']): string {
  if (!port) return `unix:${path}`
  return `${host?.includes(':') ? `[${host}]` : (host ?? 'localhost')}:${port}`
}

/** The method that all writes of Node's sockets go through. It is undocumented. */
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
interface WithHandle {
  readonly _handle: { readStop(): void } | null
}

const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/

interface OutgoingRequest {
  readonly method: string
  readonly origin: string
}

/**
 * Redirects requests on connections that were open before to a new connection, which is intercepted. The client does
 * not notice. Watches the writes of all sockets, so that it covers all clients.
 * @param isAllowed Whether a request may use the open connection.
 * @returns Undoes it. Call it after the interceptor is disposed.
 */
export function redirectOpenSockets(isAllowed: (request: OutgoingRequest) => boolean): () => void {
  const replacements = new Map<net.Socket, net.Socket>()
  const prototype = net.Socket.prototype as unknown as WithWriteGeneric
  const original = prototype._writeGeneric
  function watchedWrite(this: net.Socket, ...write: Parameters<WriteGeneric>): void {
    const request = isIntercepted(this) ? undefined : readOutgoingRequest(this, write[1])
    if (request && !isAllowed(request)) {
      replacements.set(this, redirect(this, request))
      this.once('close', () => replacements.delete(this))
    }
    // A redirected socket has its own method.
    const own = (this as unknown as WithWriteGeneric)._writeGeneric
    Reflect.apply(own === watchedWrite ? original : own, this, write)
  }
  prototype._writeGeneric = watchedWrite
  return () => {
    if (prototype._writeGeneric === watchedWrite) prototype._writeGeneric = original
    // Immediately, so that the client does not reuse the connection.
    for (const [socket, replacement] of replacements) if (replacement.destroyed) socket.destroy()
  }
}

/** The interceptor marks the sockets that it handles. */
function isIntercepted(socket: net.Socket): boolean {
  return Object.getOwnPropertySymbols(socket).some((symbol) => symbol.description === 'kPatched')
}

function readOutgoingRequest(socket: net.Socket, data: Parameters<WriteGeneric>[1]): OutgoingRequest | undefined {
  const chunks = typeof data === 'string' || data instanceof Uint8Array ? [data] : data.map(({ chunk }) => chunk)
  const first = chunks[0]
  if (first === undefined || !REQUEST_LINE.test(asText(first))) return undefined
  const text = chunks.map(asText).join('')
  const [, method = '', target = ''] = REQUEST_LINE.exec(text) ?? []
  if (/^https?:\/\//.test(target)) return { method, origin: new URL(target).origin }
  const scheme = socket instanceof tls.TLSSocket ? 'https' : 'http'
  // Not the remote address first: in a tunnel, that is the proxy.
  const host = /\r\nhost: *([^\r\n]+)/i.exec(text)?.[1] ?? `${socket.remoteAddress}:${socket.remotePort}`
  const url = `${scheme}://${method === 'CONNECT' ? target : host}`
  return URL.canParse(url) ? { method, origin: new URL(url).origin } : undefined
}

function asText(chunk: Chunk): string {
  return typeof chunk === 'string'
    ? chunk
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
}

function redirect(socket: net.Socket, { origin }: OutgoingRequest): net.Socket {
  const { protocol, hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const secure = protocol === 'https:'
  const replacement = secure
    ? tls.connect({ host, port: Number(port || 443), servername: net.isIP(host) ? '' : host })
    : net.connect({ host, port: Number(port || 80) })
  // The interceptor may reorder writes before the connection is established.
  let pending: (() => void)[] | undefined = []
  replacement.once(secure ? 'secureConnect' : 'connect', () => {
    replacement.on('data', (data) => socket.push(data))
    for (const write of pending ?? []) write()
    pending = undefined
  })
  replacement.on('end', () => socket.push(null))
  replacement.on('error', (error) => socket.destroy(error))
  replacement.on('close', () => socket.destroy())
  socket.on('close', () => replacement.destroy())
  // Nothing is read from the real server: for it, the connection is idle, and it closes it.
  ;(socket as unknown as WithHandle)._handle?.readStop()
  const redirected: WithWriteGeneric = {
    _writeGeneric(_writev, data, encoding, callback) {
      const pieces = typeof data === 'string' || data instanceof Uint8Array ? [{ chunk: data, encoding }] : data
      const write = () => {
        for (const { chunk, encoding } of pieces) replacement.write(chunk, encoding)
      }
      if (pending) pending.push(write)
      else write()
      callback()
    },
  }
  Object.assign(socket, redirected)
  return replacement
}

// HTTP/2 writes natively and bypasses the methods of the socket, so a diagnostics channel is needed.
const STREAM_CREATED = 'http2.client.stream.created'

interface StreamCreated {
  readonly stream: ClientHttp2Stream
  readonly headers: Readonly<Record<string, unknown>>
}

/** The mocks do not support HTTP/2. @returns undoes it */
export function blockHttp2(isAllowed: (origin: string) => boolean): () => void {
  const onCreated = (message: unknown) => {
    const { stream, headers } = message as StreamCreated
    const authority = String(headers[':authority'] ?? headers.host ?? '')
    const scheme = String(headers[':scheme'] ?? 'https')
    const origin = URL.canParse(`${scheme}://${authority}`) ? new URL(`${scheme}://${authority}`).origin : authority
    if (isAllowed(origin)) return
    stream.session?.destroy(new UnhandledRequestError(`HTTP/2 ${headers[':method']}`, origin))
  }
  subscribe(STREAM_CREATED, onCreated)
  return () => {
    unsubscribe(STREAM_CREATED, onCreated)
  }
}
