import { inspect } from 'node:util'
import { createClient } from '@fish-crab/sdk'
import { createFernet } from '@fish-crab/sdk/fernet'
import { afterEach, expect, test, vi } from 'vitest'
import { answerEmpty, bodyOf, listen } from './http-server.ts'
import { FERNET_KEY } from './stubs.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

test('fish.add() sends one request with an octet stream as body and the API key and user agent as headers', async () => {
  let seen: unknown
  await using server = await listen(async (request, response) => {
    const { 'content-type': type, 'x-gamemode': gamemode, 'x-api-key': key, 'user-agent': agent } = request.headers
    const { message } = await createFernet(FERNET_KEY).decrypt(await bodyOf(request))
    const payload = JSON.parse(new TextDecoder().decode(message))
    seen = { method: request.method, url: request.url, type, gamemode, key, agent, payload }
    response.writeHead(201).end(JSON.stringify({ message: 'Fish saved for user Alex', id: 'record-1' }))
  })
  const client = createClient({
    baseUrl: server.baseUrl,
    user: 'Alex',
    fernetKey: FERNET_KEY,
    gamemode: 'earth',
    apiKey: 'key-1',
    userAgent: 'my-mod/1.0',
  })
  await client.fish.add({ name: 'Bronze Koi', rarity: 'Bronze' })
  expect(seen).toEqual({
    method: 'POST',
    url: '/post/fish?name=Alex',
    type: 'application/octet-stream',
    gamemode: 'earth',
    key: 'key-1',
    agent: 'my-mod/1.0',
    payload: { user: 'Alex', gamemode: 'earth', fish: [{ name: 'Bronze Koi', rarity: 1 }] },
  })
})

test('a redirect is not followed, so the API key never reaches the server to which the redirect points', async () => {
  await using elsewhere = await listen(answerEmpty)
  await using server = await listen((_, response) => {
    response.writeHead(307, { location: `${elsewhere.baseUrl}/demo/fish` }).end()
  })
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key-1' })
  await expect(client.demo.fish()).rejects.toMatchObject({ name: 'InvalidResponseError', status: 307 })
  expect(elsewhere.sockets.size).toBe(0)
})

test('consecutive requests reuse connections', async () => {
  await using server = await listen(answerEmpty)
  const client = createClient({ baseUrl: server.baseUrl })
  for (let call = 0; call < 10; call++) await client.demo.fish()
  expect(server.sockets.size).toBeLessThanOrEqual(2)
})

test('a call to a server that is not running rejects with a ConnectionError that contains the reason', async () => {
  const server = await listen(answerEmpty)
  await server[Symbol.asyncDispose]()
  const client = createClient({ baseUrl: server.baseUrl, maxRetries: 0 })
  await expect(client.status()).rejects.toMatchObject({
    name: 'ConnectionError',
    message: expect.stringContaining('ECONNREFUSED'),
  })
})

test('the client uses a global fetch that was replaced after the client was created', async () => {
  const client = createClient()
  vi.stubGlobal('fetch', async () => Response.json({ user: 'stubbed', fish: [] }))
  expect((await client.demo.fish()).user).toBe('stubbed')
})

test('the client uses the proxy that the environment specifies, except for hosts in no_proxy', async () => {
  await using target = await listen(answerEmpty)
  const tunnels: unknown[] = []
  await using proxy = await listen(answerEmpty)
  vi.stubEnv('NO_PROXY', '')
  vi.stubEnv('no_proxy', '')
  vi.stubEnv('http_proxy', proxy.baseUrl)
  await createClient({ baseUrl: target.baseUrl, maxRetries: 0, timeoutMs: 1000 })
    .demo.fish()
    .catch((error) => tunnels.push(error))
  expect(proxy.sockets.size).toBe(1)
  expect(target.sockets.size).toBe(0)
  vi.stubEnv('no_proxy', '127.0.0.1')
  await createClient({ baseUrl: target.baseUrl }).demo.fish()
  expect(target.sockets.size).toBe(1)
})

test('the error about an invalid proxy address hides the password in the address, and the next call reads the environment again', async () => {
  await using server = await listen(answerEmpty)
  vi.stubEnv('http_proxy', 'http://user:canary-password@not a host')
  const client = createClient({ baseUrl: server.baseUrl })
  const error = await client.demo.fish().catch((thrown) => thrown)
  expect(error).toMatchObject({ name: 'ValidationError', message: expect.stringContaining('HTTP_PROXY') })
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('canary-password')
  vi.stubEnv('http_proxy', '')
  expect((await client.demo.fish()).user).toBe('demo')
})
