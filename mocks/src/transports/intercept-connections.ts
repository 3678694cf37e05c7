import type { Socket } from 'node:net'
import { SocketInterceptor } from '@mswjs/interceptors/net'
import { UnhandledRequestError } from './intercept-policy.ts'

interface Connection {
  readonly type: string
  readonly connectionOptions: {
    readonly host?: string | null
    readonly port?: number | string | null
    readonly path: string | null
  }
  readonly controller: { passthrough(...args: unknown[]): Socket }
  readonly socket: Socket
}
interface Hooks {
  on(type: 'beforeEmit', hook: (event: Connection) => void, options: { signal: AbortSignal; persist: true }): void
}

/**
 * Lets no connection go out unseen: not one that speaks something else than HTTP, nor one that could not be parsed.
 * @param seen Connections of which the next exchange may go out, because the request on it was looked at.
 * @param mayLeave Whether something may go out to this `host:port`.
 * @returns Undoes it.
 */
export function guardConnections(seen: WeakSet<object>, mayLeave: (address: string) => boolean): () => void {
  const stopped = new AbortController()
  const guarded = new WeakSet<object>()
  const { hooks } = Reflect.get(SocketInterceptor.singleton(SocketInterceptor), 'emitter') as { hooks: Hooks }
  // A second listener would come a moment after the interceptor's own, which may have let the connection go by then.
  hooks.on(
    'beforeEmit',
    ({ type, connectionOptions, controller, socket }) => {
      if (type !== 'connection' || guarded.has(controller)) return
      guarded.add(controller)
      const address = addressOf(connectionOptions)
      const passthrough = controller.passthrough.bind(controller)
      controller.passthrough = (...args) => {
        if (seen.delete(socket) || stopped.signal.aborted || mayLeave(address)) return passthrough(...args)
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
