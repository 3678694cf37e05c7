import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { ConnectionError, createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ROOT } from '../admin/service.ts'
import { answerEmpty, listen } from './http-server.ts'

const CANARY = 'canary-proxy-password'

beforeEach(() => {
  for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY']) {
    vi.stubEnv(name, undefined)
  }
})

afterEach(() => {
  vi.unstubAllEnvs()
})

const failureAt = async (baseUrl: string): Promise<ConnectionError> => {
  const error: unknown = await createClient({ baseUrl, maxRetries: 0, env: process.env })
    .status()
    .catch((thrown) => thrown)
  if (!(error instanceof ConnectionError)) throw error
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(CANARY)
  expect(JSON.stringify(error)).not.toContain(CANARY)
  return error
}

const HINT = 'Check that the service is running and that baseUrl is right, or HTTP_PROXY and HTTPS_PROXY.'

test.each([
  ['http_proxy', 'http://fish.example.org'],
  ['HTTPS_PROXY', 'https://fish.example.org'],
  // Node's agent also uses http_proxy for https by default.
  ['http_proxy', 'https://fish.example.org'],
])(
  'when the proxy in %s refuses connections to %s, the error has the system code and names the proxy variables',
  async (name, baseUrl) => {
    vi.stubEnv(name, `http://user:${CANARY}@127.0.0.1:1`)
    expect(await failureAt(baseUrl)).toMatchObject({
      code: 'connection_error',
      systemCode: 'ECONNREFUSED',
      summary: `No response from ${baseUrl} (ECONNREFUSED).`,
      hint: HINT,
    })
  },
)

async function startProxy(status: string) {
  const proxy = createServer((_, response) => response.writeHead(Number.parseInt(status, 10)).end())
  proxy.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`))
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return { port, [Symbol.asyncDispose]: async () => void proxy.close() }
}

test('when a proxy refuses a tunnel, the error contains the status of the response from the proxy', async () => {
  await using proxy = await startProxy('407 Proxy Authentication Required')
  vi.stubEnv('http_proxy', `http://user:${CANARY}@127.0.0.1:${proxy.port}`)
  const error = await failureAt('https://fish.example.org')
  expect(error).toMatchObject({ code: 'connection_error', summary: expect.stringContaining('407'), hint: HINT })
})

test('a SOCKS proxy that is down causes a ConnectionError that never contains the credentials for the proxy', async () => {
  vi.stubEnv('https_proxy', `socks5://user:${CANARY}@127.0.0.1:1`)
  expect((await failureAt('https://fish.example.org')).code).toBe('connection_error')
})

test('the env option replaces the proxies of the process environment', async () => {
  await using server = await listen(answerEmpty)
  vi.stubEnv('http_proxy', 'http://127.0.0.1:1')
  expect(await createClient({ baseUrl: server.baseUrl, env: {} }).demo.fish()).toMatchObject({ user: 'demo' })
  const admin = createAdminClient({ ...ROOT, baseUrl: server.baseUrl, maxRetries: 0, env: {} })
  expect(await admin.me().catch((error) => error.code)).toBe('invalid_response')
  vi.stubEnv('http_proxy', undefined)
  const client = createClient({ baseUrl: server.baseUrl, maxRetries: 0, env: { HTTP_PROXY: 'http://127.0.0.1:1' } })
  expect(await client.demo.fish().catch((error) => error.code)).toBe('connection_error')
})
