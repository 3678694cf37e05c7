import { Agent, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { listen } from '../../../src/node/listener.ts'
import { createMemoryService } from '../memory-service.ts'
import type { TestService, TestServiceOptions } from '../test-service.ts'

const SILENCE = { info() {}, warn() {}, error() {} }
const WITHOUT_BODY = new Set([204, 205, 304])

/** Returns the response without decompression, so that tests see the sent bytes. */
function toResponse(message: IncomingMessage, method: string): Response {
  const status = message.statusCode ?? 0
  const headers = new Headers()
  for (let at = 0; at < message.rawHeaders.length; at += 2) {
    headers.append(message.rawHeaders[at] ?? '', message.rawHeaders[at + 1] ?? '')
  }
  if (method === 'HEAD' || WITHOUT_BODY.has(status)) {
    message.resume()
    return new Response(null, { status, headers })
  }
  return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, { status, headers })
}

/** Sends a request with exactly the given headers. `fetch` would add headers such as `accept-encoding`. */
async function send(agent: Agent, { url, method, headers, body }: Request): Promise<Response> {
  const bytes = body ? Buffer.from(await new Response(body).arrayBuffer()) : undefined
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers: Object.fromEntries(headers) }, (message) =>
      resolve(toResponse(message, method)),
    )
    outgoing.once('error', reject)
    // Without a content length, Node omits the body of a GET or HEAD request.
    if (bytes) outgoing.setHeader('content-length', bytes.byteLength)
    outgoing.end(bytes)
  })
}

/** Opens a service on a real socket of the loopback interface. */
export async function createSocketService(options?: TestServiceOptions): Promise<TestService> {
  const { app, ...service } = await createMemoryService(options)
  const fetch = (request: globalThis.Request) => app.fetch(request)
  const listener = await listen({ host: '127.0.0.1', port: 0, fetch, logger: SILENCE, isAccepting: () => true })
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  onTestFinished(async () => {
    agent.destroy()
    await listener.close(0)
  })
  return { ...service, request: (path, init) => send(agent, new Request(`${listener.url}${path}`, init)) }
}
