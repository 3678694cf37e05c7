import type { IncomingMessage } from 'node:http'

export const LINGER_MS = 500

/**
 * Discards the rest of a rejected request body for up to `LINGER_MS`, then closes the connection. An immediate close
 * would reset the connection, and the client might never see the error.
 */
export function discardRest(req: IncomingMessage): void {
  const { socket } = req
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  // The listener is on the request, because its socket may carry many further requests.
  req.once('close', () => clearTimeout(cut))
  req.removeAllListeners('data')
  req.resume()
}
