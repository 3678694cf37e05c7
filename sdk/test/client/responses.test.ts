import { ApiError, createClient, FishCrabError, InvalidResponseError } from '@fish-crab/sdk'
import { expect, test, vi } from 'vitest'
import { failure, json, player } from './stubs.ts'

test.each([
  [400, 'BadRequestError'],
  [401, 'AuthenticationError'],
  [403, 'PermissionDeniedError'],
  [404, 'NotFoundError'],
  [409, 'ConflictError'],
  [413, 'ApiError'],
  [500, 'ServerError'],
  [503, 'ServerError'],
])('status %i becomes a %s with the message from the server', async (status, name) => {
  const details = [{ path: 'fish.0.name', message: 'Too long', secret: 'dropped' }]
  const body = { error: 'A sentence.', code: 'some_code', requestId: 'req-1', details }
  const { options } = player(json(body, { status, headers: { 'set-cookie': 'a=b', 'x-ratelimit-remaining': '3' } }))
  const error = await createClient({ ...options, maxRetries: 0 })
    .demo.fish()
    .catch((thrown) => thrown)
  expect(error instanceof ApiError).toBe(true)
  expect(error).toMatchObject({ name, status, code: 'some_code', message: 'A sentence.', requestId: 'req-1' })
  expect(error.details).toEqual([{ path: 'fish.0.name', message: 'Too long' }])
  expect(error.headers).toEqual({
    'content-type': 'application/json',
    'x-request-id': 'req-1',
    'x-ratelimit-remaining': '3',
  })
})

test('an error page from a server other than the service becomes an ApiError with an unknown code', async () => {
  const { options } = player(new Response('<h1>Bad gateway</h1>', { status: 502 }))
  const error = await createClient({ ...options, maxRetries: 0 })
    .demo.fish()
    .catch((thrown) => thrown)
  expect(error).toMatchObject({ name: 'ServerError', status: 502, code: 'unknown', requestId: undefined })
  expect(error.message).toMatch(/502/)
})

test.each([
  ['a body that is not JSON', () => new Response('<h1>Welcome to the hotel</h1>')],
  ['JSON of an unexpected shape', () => json({ user: 'demo', fish: [{ name: 'Salmon', rarity: 'Purple' }] })],
  ['an empty body', () => new Response('')],
  ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example/' } })],
  ['too many bytes', () => new Response(new Uint8Array(1001))],
])('a response with %s causes an InvalidResponseError and no retry', async (_, response) => {
  const { options, requests } = player(response())
  const error = await createClient({ ...options, maxResponseBytes: 1000 })
    .demo.fish()
    .catch((thrown) => thrown)
  expect(error instanceof InvalidResponseError).toBe(true)
  expect(error instanceof ApiError).toBe(false)
  expect(error.message).toMatch(/baseUrl|maxResponseBytes/)
  expect(requests).toHaveLength(1)
})

test('the error about a response with an unexpected shape names the invalid fields', async () => {
  const { options } = player(json({ user: 'demo', fish: [{ name: 'Salmon', rarity: 'Purple' }] }))
  const error = await createClient(options)
    .demo.fish()
    .catch((thrown) => thrown)
  expect(error.issues).toMatchObject([{ path: 'fish.0.rarity' }])
  expect(error).toMatchObject({ status: 200, requestId: 'req-1' })
})

test.each([
  ['truncated JSON', () => new Response('{"mess', { status: 201 })],
  ['JSON of an unexpected shape', () => json({ saved: true }, { status: 201 })],
  ['too many bytes', () => new Response(new Uint8Array(1001), { status: 201 })],
])(
  'after a write, the error for %s says that the catch may be stored and how to send its token again',
  async (_, response) => {
    const { options } = player(response())
    const error = await createClient({ ...options, maxResponseBytes: 1000 })
      .crabs.add()
      .catch((thrown) => thrown)
    expect(error).toMatchObject({ name: 'InvalidResponseError', status: 201 })
    expect(error.summary).toMatch(/ The catch may be stored\.$/)
    expect(error.hint).toContain('client.crabs.encrypt')
    expect(error.hint).toContain('client.crabs.send')
  },
)

test('the error of a redirected write does not warn that the catch may be stored', async () => {
  const { options } = player(new Response(null, { status: 302 }))
  const call = createClient(options).crabs.add()
  await expect(call).rejects.toMatchObject({ message: expect.not.stringContaining('may be stored') })
})

test('instanceof recognises errors from a second copy of the package', async () => {
  vi.resetModules()
  const copy = await import('@fish-crab/sdk')
  const { options } = player(failure(404, 'user_not_found'))
  const error = await copy
    .createClient(options)
    .fish.list()
    .catch((thrown) => thrown)
  expect(copy.createClient).not.toBe(createClient)
  expect(error instanceof ApiError).toBe(true)
  expect(error instanceof FishCrabError).toBe(true)
  expect(error instanceof InvalidResponseError).toBe(false)
  expect([null, undefined, 'x', new Error('x')].some((value) => value instanceof FishCrabError)).toBe(false)
})

test('instanceof distinguishes a subclass from its parent', () => {
  class OwnError extends FishCrabError {}
  expect(new OwnError('Own.', { code: 'own' })).toBeInstanceOf(FishCrabError)
  expect(new OwnError('Own.', { code: 'own' })).toBeInstanceOf(OwnError)
  expect(new FishCrabError('Own.', { code: 'own' })).not.toBeInstanceOf(OwnError)
})

test('the details of an error from another server are bounded in number and length', async () => {
  const detail = { path: 'x'.repeat(20_000), message: ' '.repeat(20_000) }
  const { options } = player(json({ error: 'A sentence.', details: Array(100).fill(detail) }, { status: 400 }))
  const error = await createClient({ ...options, maxRetries: 0 })
    .demo.fish()
    .catch((thrown) => thrown)
  expect(error.details).toEqual(Array(20).fill({ path: 'x'.repeat(500), message: ' '.repeat(500) }))
})
