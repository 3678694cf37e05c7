import { createClient } from '@fish-crab/sdk'
import { afterEach, expect, test, vi } from 'vitest'
import { FERNET_KEY, json, player } from './stubs.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('It did not fail.'),
    (error: unknown) => error,
  )

test.each([
  [
    'throws at once',
    () => (undefined as unknown as { read(): Response }).read(),
    /Cannot read properties of undefined/,
  ],
  [
    'rejects with a programming error',
    async () => (undefined as unknown as { read(): Response }).read(),
    /Cannot read/,
  ],
  ['returns nothing', () => undefined as unknown as Response, /no Response/],
  ['resolves to nothing', async () => undefined as unknown as Response, /no Response/],
  [
    'resolves to the content instead of a Response',
    async () => ({ user: 'demo', fish: [] }) as unknown as Response,
    /no Response/,
  ],
])('a custom fetch that %s is reported as invalid and is not called again', async (_, broken, message) => {
  let calls = 0
  const fetch = () => {
    calls += 1
    return broken() as unknown as Promise<Response>
  }
  const error = await failureOf(createClient({ fetch, maxRetries: 2 }).demo.fish())
  expect(error).toMatchObject({ name: 'FishCrabError', code: 'invalid_fetch', message: expect.stringMatching(message) })
  expect(calls).toBe(1)
})

test('the error that a custom fetch throws becomes the cause, and secrets from this error are redacted in the message', async () => {
  const mistake = new TypeError('"key-1" is an invalid header value.')
  const fetch = () => Promise.reject(mistake)
  const error = await failureOf(createClient({ fetch, apiKey: 'key-1' }).demo.fish())
  expect(error).toMatchObject({ cause: mistake, message: expect.stringContaining('"[redacted]" is an invalid') })
})

test.each([
  new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }),
  new TypeError('Failed to fetch'),
  new TypeError('NetworkError when attempting to fetch resource.'),
  new TypeError('Load failed'),
  new TypeError('error sending request for url (http://fish.test/)'),
  new TypeError('Network request failed'),
  Object.assign(new Error('request to http://fish.test/ failed'), { name: 'FetchError', code: 'ECONNREFUSED' }),
])('a call is retried after a custom fetch loses the connection: %s', async (lost) => {
  const { options, requests } = player(lost, json({ user: 'demo', fish: [] }))
  expect(await createClient(options).demo.fish()).toMatchObject({ user: 'demo' })
  expect(requests).toHaveLength(2)
})

test('the message of a ConnectionError contains the failure of a custom fetch, with secrets redacted', async () => {
  const { options } = player(new Error('The tunnel of key-1 is down.'))
  const error = await failureOf(createClient({ ...options, apiKey: 'key-1', maxRetries: 0 }).demo.fish())
  expect(error).toMatchObject({
    name: 'ConnectionError',
    summary: 'No response from http://127.0.0.1:8787: The tunnel of [redacted] is down.',
  })
})

test('the client can read a response of a custom fetch even if the response has no stream', async () => {
  const text = JSON.stringify({ user: 'demo', fish: [] })
  const response = { status: 200, headers: new Headers(), body: undefined, text: async () => text }
  const fetch = async () => response as unknown as Response
  expect(await createClient({ fetch }).demo.fish()).toMatchObject({ user: 'demo' })
  const bounded = createClient({ fetch, maxResponseBytes: 5 }).demo.fish()
  await expect(bounded).rejects.toMatchObject({ code: 'invalid_response' })
})

test('the first call rejects with an error about fetch if the runtime has no fetch', async () => {
  vi.stubGlobal('fetch', undefined)
  const call = createClient({ env: {} }).demo.fish()
  await expect(call).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: 'fetch' }] })
})

test.each([
  ['a mock of @fish-crab/mocks', { code: 'ERR_UNHANDLED_REQUEST' }, 'GET http://fish.test is handled by no mock.'],
  ['MSW', { name: 'InternalError' }, '[MSW] Cannot bypass a request when using the "error" strategy.'],
])('a call that %s blocks rejects with the message of the mock and is not retried', async (_, fields, message) => {
  const stopped = new TypeError('fetch failed', { cause: Object.assign(new Error(message), fields) })
  const { options, requests } = player(stopped)
  await expect(createClient(options).demo.fish()).rejects.toMatchObject({ code: 'unhandled_request', message })
  expect(requests).toHaveLength(1)
})

test('if a browser may have blocked a write, the error names the origin to allow', async () => {
  vi.stubGlobal('location', { origin: 'https://page.example' })
  const client = createClient({
    baseUrl: 'https://fish.example',
    fetch: () => Promise.reject(new TypeError('Failed to fetch')),
    user: 'Alex',
    gamemode: 'earth',
    fernetKey: FERNET_KEY,
    maxRetries: 0,
  })
  const allowed = /FISH_ALLOWED_ORIGINS includes https:\/\/page\.example/
  expect(await failureOf(client.crabs.add())).toMatchObject({
    code: 'connection_error',
    hint: expect.stringMatching(allowed),
  })
  const key = client.keys.get({ username: 'Alex', password: 'a password' })
  expect(await failureOf(key)).toMatchObject({ hint: expect.stringMatching(allowed) })
  // Pages of every origin may read collections, so the error of a read does not name an origin to allow.
  expect(await failureOf(client.fish.list())).toMatchObject({ hint: expect.not.stringMatching(allowed) })
  vi.stubGlobal('location', { origin: 'https://fish.example' })
  expect(await failureOf(client.crabs.add())).toMatchObject({ hint: expect.not.stringMatching(allowed) })
})
