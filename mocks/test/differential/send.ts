import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { bytesOf, type PlainRequest, type PlainResponse } from './plain-request.ts'

/** Sends a request that contains no placeholders. */
export type Send = (request: PlainRequest) => Promise<PlainResponse>

/** Creates a function that sends with fetch, which normalizes the path as a URL. */
export function sendByFetch(fetch: typeof globalThis.fetch, origin: string): Send {
  return async ({ method, target, headers, body }) => {
    const given = new Headers()
    for (const [name, value] of headers) given.append(name, value)
    const response = await fetch(origin + target, {
      method,
      headers: given,
      ...(body ? { body: body.chunked ? new Blob([bytesOf(body)]).stream() : bytesOf(body), duplex: 'half' } : {}),
    } as RequestInit)
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, headers: [...response.headers].sort(byName), body: bytes }
  }
}

/** Creates a function that sends with `node:http`, which writes the request line unchanged. */
export function sendByHttp(origin: string): { readonly send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(origin)
  const send: Send = ({ method, target, headers, body, absolute }) =>
    new Promise((resolve, reject) => {
      const path = absolute ? origin + target : target
      const lines: Record<string, string[]> = {}
      for (const [name, value] of headers) {
        lines[name] ??= []
        lines[name].push(value)
      }
      // For methods that usually have no body, Node adds neither of these two headers.
      if (body?.chunked) lines['transfer-encoding'] = ['chunked']
      else if (body || method === 'POST') lines['content-length'] = [String(body ? bytesOf(body).byteLength : 0)]
      const request = httpRequest({ agent, hostname, port: port || 80, method, path, headers: lines })
      let responded = false
      request.on('response', (response) => {
        responded = true
        read(response, method).then(resolve, reject)
      })
      // If the server refuses a body early, the request fails, but the response is valid.
      request.on('error', (error) => responded || reject(error))
      if (body?.chunked) request.write(bytesOf(body))
      request.end(body && !body.chunked ? bytesOf(body) : undefined)
    })
  return { send, close: () => agent.destroy() }
}

async function read(response: IncomingMessage, method: string): Promise<PlainResponse> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response) chunks.push(chunk)
  const headers = Object.entries(response.headersDistinct).map(
    ([name, values = []]) => [name, values.join(', ')] as const,
  )
  const coding = method === 'HEAD' ? undefined : response.headers['content-encoding']
  const body = Buffer.concat(chunks)
  return {
    status: response.statusCode ?? 0,
    headers: headers.sort(byName),
    body: coding === 'gzip' ? gunzipSync(body) : coding === 'br' ? brotliDecompressSync(body) : body,
  }
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1
}
