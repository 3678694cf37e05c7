import { createServer, type IncomingMessage } from 'node:http'
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
  const credentials: (string | undefined)[] = []
  const record = ({ headers }: IncomingMessage) => {
    const [, encoded] = headers['proxy-authorization']?.split(' ') ?? []
    credentials.push(encoded && Buffer.from(encoded, 'base64').toString())
  }
  const proxy = createServer((_, response) => response.writeHead(Number.parseInt(status, 10)).end())
  proxy.on('connect', (request, socket) => {
    record(request)
    socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return { port, credentials, [Symbol.asyncDispose]: async () => void proxy.close() }
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

test.each([
  ['PROXY', undefined],
  ['http://PROXY', undefined],
  ['HTTP://PROXY/path', undefined],
  ['user:pa#ss@PROXY', 'user:pa#ss'],
  ['http://user:pa/s@s?%zz:x@PROXY', 'user:pa/s@s?%zz:x'],
  ['http://us%40er:pa%23ss@PROXY', 'us@er:pa#ss'],
  ['user@PROXY', 'user:'],
])('the proxy address %s is used with the credentials %s', async (address, credentials) => {
  await using proxy = await startProxy('407 Proxy Authentication Required')
  vi.stubEnv('HTTPS_PROXY', address.replace('PROXY', `127.0.0.1:${proxy.port}`))
  expect((await failureAt('https://fish.example.org')).summary).toContain('407')
  expect(proxy.credentials).toEqual([credentials])
})

test.each(['http://', 'proxy:port', 'ftp://proxy', 'proxy:99999', 'socks4://proxy', 'a proxy'])(
  'a call rejects the proxy address %j with the name of the variable, and only if the proxy applies',
  async (address) => {
    await using server = await listen(answerEmpty)
    const failure = createClient({ baseUrl: 'https://fish.example.org', env: { https_proxy: address } }).status()
    await expect(failure).rejects.toMatchObject({
      issues: [{ path: 'HTTPS_PROXY', message: 'HTTPS_PROXY is not the address of a proxy.' }],
    })
    for (const env of [{ HTTPS_PROXY: address }, { HTTP_PROXY: address, NO_PROXY: '127.0.0.1' }]) {
      expect(await createClient({ baseUrl: server.baseUrl, env }).demo.fish()).toMatchObject({ user: 'demo' })
    }
  },
)

const UNREACHABLE = 'http://127.0.0.1:1'

test.each<Record<string, string>>([
  { http_proxy: 'none' },
  { HTTP_PROXY: '' },
  { HTTP_PROXY: ' ' },
  { http_proxy: '', HTTP_PROXY: UNREACHABLE },
  { http_proxy: UNREACHABLE, no_proxy: '*' },
  { http_proxy: UNREACHABLE, no_proxy: '', NO_PROXY: 'other.example.org, 127.0.0.1' },
  { http_proxy: UNREACHABLE, NO_PROXY: '10.0.0.0/8 127.0.0.0/8' },
  { http_proxy: UNREACHABLE, NO_PROXY: '127.0.0.1:PORT' },
])('with %j, a call connects without a proxy', async (env) => {
  await using server = await listen(answerEmpty)
  const { port } = new URL(server.baseUrl)
  const variables = { ...env, ...(env.NO_PROXY && { NO_PROXY: env.NO_PROXY.replace('PORT', port) }) }
  const client = createClient({ baseUrl: server.baseUrl, env: variables, maxRetries: 0 })
  expect(await client.demo.fish()).toMatchObject({ user: 'demo' })
})

test.each([
  ['https://fish.example.org', 'example.org', false],
  ['https://fish.example.org', '.EXAMPLE.org.', false],
  ['https://example.org', '.example.org', false],
  ['https://fish.example.org', '*.example.org', false],
  ['https://example.org', '*.example.org', true],
  ['https://badexample.org', 'example.org', true],
  ['https://fish.example.org', 'example.org:443', false],
  ['https://fish.example.org', 'example.org:80', true],
  ['https://[::1]', '::1', false],
  ['https://[::1]', '[::1]:443', false],
  ['https://[fd00::1]', 'fd00::/8', false],
  ['https://10.1.2.3', '10.0.0.0/99', true],
  ['https://10.1.2.3', '3', true],
  ['https://fish.example.org', ',, ,', true],
])('for %s with NO_PROXY=%s, the use of the proxy is %s', async (baseUrl, NO_PROXY, isUsed) => {
  const env = { HTTPS_PROXY: 'socks4://proxy.invalid', NO_PROXY }
  const client = createClient({ baseUrl, env, maxRetries: 0 })
  const hooked = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'))
  try {
    const error = await client.status().catch((thrown) => thrown)
    expect(error.code).toBe(isUsed ? 'invalid_input' : 'connection_error')
    expect(hooked).toHaveBeenCalledTimes(isUsed ? 0 : 1)
  } finally {
    hooked.mockRestore()
  }
})
