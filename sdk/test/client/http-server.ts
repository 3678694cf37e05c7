import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** Starts a server on a free local port. `sockets` contains every connection that the server has accepted. */
export async function listen(handler: RequestListener) {
  const server = createServer(handler)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    sockets,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The whole body of a request, as text. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Responds to every request with an empty collection. */
export const answerEmpty: RequestListener = (_, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ user: 'demo', fish: [] }))
}
