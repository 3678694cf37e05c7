import type { IncomingMessage } from 'node:http'

export const LINGER_MS = 500

/**
 * Discards the rest of a refused body for a while, then closes the connection. Closing it immediately would reset it, and
 * the client might never see the error.
 */
export function discardRest(req: IncomingMessage): void {
  const { socket } = req
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  // Of the request, since its socket may carry many more.
  req.once('close', () => clearTimeout(cut))
  req.removeAllListeners('data')
  req.resume()
}
