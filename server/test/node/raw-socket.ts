import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A connection that sends exact bytes. */
export interface RawSocket {
  send(text: string): void
  /** Settles with the received text when the text matches, or when the connection ends. */
  until(pattern: RegExp): Promise<string>
  /** The underlying socket. */
  readonly socket: Socket
}

/** Connects to a server at a URL such as `http://127.0.0.1:8787`. */
export async function openRaw(url: string, from: { readonly localAddress?: string } = {}): Promise<RawSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), ...from })
  onTestFinished(() => {
    socket.destroy()
  })
  await once(socket, 'connect')
  let text = ''
  let ended = false
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const check of waiting) check()
  }
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    wake()
  })
  // A server may close the connection while the client still sends. Only the earlier response matters.
  socket.on('error', () => {})
  socket.on('close', () => {
    ended = true
    wake()
  })
  return {
    socket,
    send: (piece) => {
      socket.write(piece, 'latin1')
    },
    until: (pattern) =>
      new Promise((resolve) => {
        const check = () => {
          if (!ended && !pattern.test(text)) return
          waiting.delete(check)
          resolve(text)
        }
        waiting.add(check)
        check()
      }),
  }
}

/** The head of a request, with `Host` and the given headers. */
export function head(line: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ host: 'service.test', ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `${[line, ...lines].join('\r\n')}\r\n\r\n`
}
