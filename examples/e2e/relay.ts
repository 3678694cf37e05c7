import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A request that the relay received, and the server's response, even if the relay did not pass the response on. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly status: number
  readonly replayed: boolean
  readonly answer: Record<string, unknown>
}

/** A proxy between client and server that records all exchanges and loses some responses. */
export interface Relay {
  readonly url: string
  readonly exchanges: readonly Exchange[]
  stop(): Promise<void>
}

const HOP_BY_HOP = new Set(['connection', 'upgrade', 'http2-settings', 'host', 'content-length', 'transfer-encoding'])

/**
 * Starts a proxy in front of `target` that drops the first response to each POST path. The server has then stored the
 * catch, but the client does not know.
 */
export async function startLossyRelay(target: string): Promise<Relay> {
  const exchanges: Exchange[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const body = (await buffer(request)).toString('latin1')
    const passed = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)) as [string, string][]
    const answer = await fetch(target + path, { method, headers: passed, ...(method === 'POST' ? { body } : {}) })
    const text = await answer.text()
    const isFirstPost = method === 'POST' && !exchanges.some((earlier) => earlier.path === path)
    exchanges.push({
      method,
      path,
      headers,
      body,
      status: answer.status,
      replayed: answer.headers.get('idempotent-replayed') === 'true',
      answer: JSON.parse(text) as Record<string, unknown>,
    })
    if (isFirstPost) request.socket.destroy()
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
