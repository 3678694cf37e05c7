import { inspect } from 'node:util'
import { createClient } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { FERNET_KEY, failure, json, player } from './stubs.ts'

const SECRETS = [
  FERNET_KEY,
  'secret-api-key',
  'secret-password',
  Buffer.from('Alex:secret-password').toString('base64'),
]

function shown(value: unknown): string {
  const error = value instanceof Error ? `${value.message}\n${value.stack}\n${String(value)}` : ''
  return `${inspect(value, { depth: 20, showHidden: true, getters: true })}\n${JSON.stringify(value)}\n${error}`
}

function expectNoSecret(value: unknown): void {
  const text = shown(value)
  for (const secret of SECRETS) expect(text).not.toContain(secret)
}

test('a client shows no secrets when it is printed or serialized to JSON', () => {
  const { options } = player()
  expectNoSecret(createClient({ ...options, apiKey: 'secret-api-key' }))
})

test.each([
  ['an ApiError', () => failure(401, 'invalid_credentials')],
  ['a RateLimitError', () => failure(429, 'rate_limited', { 'retry-after': '5' })],
  ['a ServerError', () => failure(500, 'storage_error')],
  ['a ConnectionError', () => new TypeError('fetch failed')],
  ['an InvalidResponseError for an unexpected shape', () => json({ fernetKey: 5, key: FERNET_KEY })],
  ['an InvalidResponseError for a body that is not JSON', () => new Response(`${FERNET_KEY} is the key`)],
])('%s shows no secret, and its JSON has its name and message', async (_, response) => {
  const { options } = player(response())
  const client = createClient({ ...options, apiKey: 'secret-api-key', maxRetries: 0, maxWaitMs: 0 })
  const error = await client.keys.get({ username: 'Alex', password: 'secret-password' }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(Error)
  expectNoSecret(error)
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: error.name, message: error.message })
})

test('a ValidationError contains no credentials', async () => {
  const { options } = player()
  const call = createClient(options).keys.get({ username: 'Alex:', password: 'secret-password\n' })
  expectNoSecret(await call.catch((thrown) => thrown))
})

test('a secret in a response from the server does not appear in errors, hooks or logs', async () => {
  const echo = () =>
    json(
      {
        error: 'Unknown key secret-api-key',
        code: 'secret-api-key',
        details: [{ path: 'secret-api-key', message: 'x' }],
      },
      { status: 400, headers: { 'x-request-id': 'secret-api-key', allow: 'secret-api-key' } },
    )
  const { options } = player(echo())
  const seen: unknown[] = []
  const log = (message: string, fields: object) => seen.push(message, fields)
  const logger = { debug: log, info: log, warn: log }
  const client = createClient({ ...options, apiKey: 'secret-api-key', logger, onResponse: (event) => seen.push(event) })
  expectNoSecret(await client.fish.list().catch((thrown) => thrown))
  expect(seen.length).toBeGreaterThan(2)
  for (const each of seen) expectNoSecret(each)
})

test('a hook that rejects does not end the call or the process', async () => {
  const { options } = player(json({ user: 'demo', fish: [] }))
  const client = createClient({ ...options, onRequest: async () => Promise.reject(new Error('The display is gone.')) })
  expect((await client.demo.fish()).user).toBe('demo')
})
