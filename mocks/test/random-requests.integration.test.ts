import { request as httpRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createMock, type Mock } from '@fish-crab/mocks'
import { createFernet } from '@fish-crab/sdk/fernet'
import fc from 'fast-check'
import { setupServer } from 'msw/node'
import { expect, test } from 'vitest'
import { OPTIONS, type RandomRequest, randomRequest } from './random-requests.ts'

type Sent = Pick<RandomRequest, 'method' | 'target' | 'headers'> & { readonly body: Buffer<ArrayBuffer> | undefined }
type Send = (request: Sent) => Promise<{ status: number; headers: Headers; body: Buffer }>

function byFetch(origin: string, send: typeof fetch): Send {
  return async ({ target, body = null, ...init }) => {
    const response = await send(origin + target, { ...init, body })
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
  }
}

/** Sends with `node:http`, which does not change the path. */
const byHttp = (origin: string): Send => {
  return ({ method, target, headers, body }) =>
    new Promise((resolve, reject) => {
      const length = body || method === 'POST' ? { 'content-length': String(body?.byteLength ?? 0) } : {}
      const { hostname, port } = new URL(origin)
      const options = { hostname, port: port || 80, path: target, method, headers: { ...headers, ...length } }
      const request = httpRequest(options, async (response) => {
        const bytes = await buffer(response)
        const coding = method === 'HEAD' ? undefined : response.headers['content-encoding']
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          body: coding === 'gzip' ? gunzipSync(bytes) : coding === 'br' ? brotliDecompressSync(bytes) : bytes,
        })
      })
      request.on('error', reject).end(body)
    })
}

const TRANSPORTS = {
  direct: (mock: Mock) => byFetch(mock.origin, mock.fetch),
  msw(mock: Mock, closing: DisposableStack) {
    const network = setupServer(...mock.handlers())
    network.listen({ onUnhandledFrame: 'error' })
    closing.defer(() => network.close())
    return byFetch(mock.origin, globalThis.fetch)
  },
  async interception(mock: Mock) {
    await mock.listen()
    return byHttp(mock.origin)
  },
  http: async (mock: Mock) => byHttp((await mock.serve()).url),
}

/** Headers of a connection, and of the encoded body: the decoded body is compared. */
const NOT_COMPARED = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']

/** Sends requests one after another, and returns each response as a text. */
async function responsesOf(transport: keyof typeof TRANSPORTS, requests: readonly RandomRequest[]) {
  using closing = new DisposableStack()
  await using mock = await createMock(OPTIONS)
  const send = await TRANSPORTS[transport](mock, closing)
  const learned: Record<string, string> = {}
  const tags: string[] = []
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => learned[name] ?? 'unknown')
  const responses: string[] = []
  for (const { advanceMs, body, method, target, headers } of requests) {
    await mock.clock.advance(advanceMs)
    const given = Object.entries(headers).map(([name, value]) => [name, fill(String(value))])
    const text = body?.fernetKey
      ? await createFernet(body.fernetKey).encrypt(body.text, { now: mock.clock.now(), iv: new Uint8Array(16) })
      : body?.text
    const bytes = text === undefined || method === 'HEAD' ? undefined : Buffer.from(text, 'latin1')
    const received = await send({ method, target: fill(target), headers: Object.fromEntries(given), body: bytes })
    const content = received.body.toString('latin1')
    for (const [, name = '', value = ''] of content.matchAll(/"(id|token|nextCursor)":"([^"]+)"/g))
      learned[name] = value
    const etag = received.headers.get('etag')
    if (etag !== null) learned.etag = etag
    if (etag !== null && !tags.includes(etag)) tags.push(etag)
    // Entity tags are random. They match if the same responses share a tag.
    const lines = [...received.headers]
      .filter(([name]) => !NOT_COMPARED.includes(name))
      .map(([name, value]) => `${name}: ${name === 'etag' ? tags.indexOf(value) : value}`)
    responses.push([received.status, ...lines, '', content].join('\n'))
  }
  return responses
}

test('every transport returns the same responses to random requests', { timeout: 600_000 }, async () => {
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(fc.noBias(fc.array(randomRequest, { maxLength: 150, size: 'max' })), async (requests) => {
      const expected = await responsesOf('direct', requests)
      for (const response of expected) statuses.add(Number.parseInt(response, 10))
      for (const transport of ['msw', 'interception', 'http'] as const) {
        expect(await responsesOf(transport, requests)).toEqual(expected)
      }
    }),
    { numRuns: 40 },
  )
  expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 204, 304, 400, 401, 404, 405, 409, 415, 429]))
})
