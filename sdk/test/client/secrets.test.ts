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

test('a client shows none of its secrets when it is printed or turned into JSON', () => {
  const { options } = player()
  expectNoSecret(createClient({ ...options, apiKey: 'secret-api-key' }))
})

test.each([
  ['an ApiError', () => failure(401, 'invalid_credentials')],
  ['a RateLimitError', () => failure(429, 'rate_limited', { 'retry-after': '5' })],
  ['a ServerError', () => failure(500, 'storage_error')],
  ['a ConnectionError', () => new TypeError('fetch failed')],
  ['an InvalidResponseError of another shape', () => json({ fernetKey: 5, key: FERNET_KEY })],
  ['an InvalidResponseError for what is no JSON', () => new Response(`${FERNET_KEY} is the key`)],
])('%s shows no secret, and JSON keeps its name and message', async (_, answer) => {
  const { options } = player(answer())
  const client = createClient({ ...options, apiKey: 'secret-api-key', maxRetries: 0, maxWaitMs: 0 })
  const error = await client.keys.get({ username: 'Alex', password: 'secret-password' }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(Error)
  expectNoSecret(error)
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: error.name, message: error.message })
})

test('a ValidationError repeats no credentials', async () => {
  const { options } = player()
  const call = createClient(options).keys.get({ username: 'Alex:', password: 'secret-password\n' })
  expectNoSecret(await call.catch((thrown) => thrown))
})
