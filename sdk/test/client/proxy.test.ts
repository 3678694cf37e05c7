import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { inspect } from 'node:util'
import { ConnectionError, createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createService, ROOT } from '../admin/service.ts'
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

test.each([
  ['http_proxy', 'http://fish.example.org'],
  ['HTTPS_PROXY', 'https://fish.example.org'],
  // Node's agent uses it for https too, by default.
  ['http_proxy', 'https://fish.example.org'],
])('a %s that refuses connections is blamed for %s, by its address without credentials', async (name, baseUrl) => {
  vi.stubEnv(name, `http://user:${CANARY}@127.0.0.1:1`)
  const error = await failureAt(baseUrl)
  expect(error).toMatchObject({
    name: 'ConnectionError',
    code: 'proxy_error',
    proxy: 'http://127.0.0.1:1',
    systemCode: 'ECONNREFUSED',
    summary: 'No response from the proxy http://127.0.0.1:1 (ECONNREFUSED).',
    hint: expect.stringContaining('HTTPS_PROXY'),
  })
})

test('a proxy whose name is unknown is blamed, not the service', async () => {
  vi.stubEnv('https_proxy', `http://${CANARY}@no-such-host.invalid:3128`)
  const error = await failureAt('https://fish.example.org')
  expect(error).toMatchObject({ code: 'proxy_error', proxy: 'http://no-such-host.invalid:3128' })
  expect(error.systemCode).toMatch(/ENOTFOUND|EAI_AGAIN/)
})

async function startProxy(status: string) {
  const proxy = createServer((_, response) => response.writeHead(Number.parseInt(status, 10)).end())
  proxy.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`))
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return { port, [Symbol.asyncDispose]: async () => void proxy.close() }
}

test.each(['http://fish.example.org', 'https://fish.example.org'])(
  'a proxy that requires credentials is reported as such, for %s',
  async (baseUrl) => {
    await using proxy = await startProxy('407 Proxy Authentication Required')
    vi.stubEnv('http_proxy', `http://user:${CANARY}@127.0.0.1:${proxy.port}`)
    const error = await failureAt(baseUrl)
    expect(error).toMatchObject({
      code: 'proxy_error',
      proxy: `http://127.0.0.1:${proxy.port}`,
      summary: `The proxy http://127.0.0.1:${proxy.port} rejected the request (status 407).`,
      hint: expect.stringContaining('password'),
    })
  },
)

test('a proxy that cannot open a tunnel is blamed with its status', async () => {
  await using proxy = await startProxy('502 Bad Gateway')
  vi.stubEnv('https_proxy', `http://127.0.0.1:${proxy.port}`)
  const { code, summary } = await failureAt('https://fish.example.org')
  expect({ code, summary }).toMatchObject({ code: 'proxy_error', summary: expect.stringContaining('(status 502)') })
})

test('a service that is down behind no proxy, or exempt from it, is blamed itself', async () => {
  vi.stubEnv('http_proxy', 'http://127.0.0.1:1')
  vi.stubEnv('no_proxy', '127.0.0.1')
  const server = await listen(answerEmpty)
  await server[Symbol.asyncDispose]()
  expect(await failureAt(server.baseUrl)).toMatchObject({ code: 'connection_error', proxy: undefined })
})

test('what breaks in the tunnel through a proxy is not blamed on the proxy', async () => {
  const target = createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  let tunnels = 0
  const proxy = createServer()
  proxy.on('connect', (_, socket) => {
    tunnels += 1
    const through = connect((target.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(through)
    })
    through.on('error', () => socket.destroy())
    socket.on('error', () => through.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('https_proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  const { code, proxy: blamed } = await failureAt('https://fish.example.org')
  expect({ code, blamed, tunnels }).toEqual({ code: 'connection_error', blamed: undefined, tunnels: 1 })
  proxy.close()
  target.close()
})

test('a connection that breaks behind a proxy without a tunnel is blamed on nobody', async () => {
  const proxy = createServer((_, response) => response.destroy())
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('http_proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  expect((await failureAt('http://fish.example.org')).code).toBe('connection_error')
  proxy.close()
})

test('a SOCKS proxy that is down is reported as no response, without its credentials', async () => {
  vi.stubEnv('https_proxy', `socks5://user:${CANARY}@127.0.0.1:1`)
  expect((await failureAt('https://fish.example.org')).code).toBe('connection_error')
})

test('a write that the proxy rejected is not reported as one that may have happened', async () => {
  const { app } = await createService()
  const proxy = createServer(async (request, response) => {
    if (request.url?.endsWith('/admin/users')) return response.writeHead(407).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { pathname } = new URL(request.url ?? '')
    const body = Buffer.concat(chunks)
    const headers = { 'content-type': 'application/json' }
    const upstream = await app.fetch(new Request(`http://fish.test${pathname}`, { method: 'POST', headers, body }))
    return response.writeHead(upstream.status, headers).end(await upstream.text())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('http_proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  const admin = createAdminClient({ ...ROOT, baseUrl: 'http://fish.example.org' })
  const error = await admin.users.create({ name: 'Alex' }).catch((thrown) => thrown)
  proxy.close()
  expect(error).toMatchObject({ code: 'proxy_error', summary: expect.stringContaining('(status 407)') })
  expect(error.summary).not.toContain('not known')
})

test('an empty environment has no proxies, and a given one has its own', async () => {
  await using server = await listen(answerEmpty)
  vi.stubEnv('http_proxy', 'http://127.0.0.1:1')
  expect(await createClient({ baseUrl: server.baseUrl, env: {} }).demo.fish()).toMatchObject({ user: 'demo' })
  expect(
    await createAdminClient({ ...ROOT, baseUrl: server.baseUrl, maxRetries: 0, env: {} })
      .me()
      .catch((error) => error.code),
  ).not.toBe('proxy_error')
  vi.stubEnv('http_proxy', undefined)
  const client = createClient({ baseUrl: server.baseUrl, maxRetries: 0, env: { HTTP_PROXY: 'http://127.0.0.1:1' } })
  expect(await client.demo.fish().catch((error) => error.code)).toBe('proxy_error')
})
