import { createClient, type Hooks, RateLimitError } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { failure, player, saved, tooMany } from './stubs.ts'

const SALMON = { name: 'Salmon', rarity: 3 } as const
const NOON = 'Thu, 01 Jan 2026 12:00:00 GMT'
const NOON_SECONDS = Date.parse(NOON) / 1000

test('after a 429, a call waits for Retry-After and then resends identical bytes', async () => {
  const { options, requests, slept } = player(tooMany({ 'retry-after': '120', 'x-ratelimit-reset': '1' }), saved())
  expect((await createClient(options).fish.add(SALMON)).id).toBe('record-1')
  expect(slept).toEqual([120_000])
  expect(requests).toHaveLength(2)
  expect(requests[0]?.init.body).toBeTypeOf('string')
  expect(requests[1]?.init.body).toBe(requests[0]?.init.body)
})

test('if a 429 lacks Retry-After, the wait ends at the reset time, measured by the clock of the server', async () => {
  const reset = String(NOON_SECONDS + 90)
  const { options, slept } = player(tooMany({ date: NOON, 'x-ratelimit-reset': reset }), saved())
  await createClient(options).fish.add(SALMON)
  expect(slept).toEqual([90_000])
})

test.each([
  ['a date in Retry-After', { date: NOON, 'retry-after': 'Thu, 01 Jan 2026 12:01:00 GMT' }, 60_000],
  ['a reset in milliseconds', { date: NOON, 'x-ratelimit-reset': String((NOON_SECONDS + 60) * 1000) }, 60_000],
  ['a reset in the past', { date: NOON, 'x-ratelimit-reset': '5' }, 1000],
  ['Retry-After 0', { 'retry-after': '0' }, 1000],
  ['a decimal Retry-After', { 'retry-after': '2.5' }, 3000],
  ['a date in the older format of RFC 850', { date: NOON, 'retry-after': 'Thursday, 01-Jan-26 12:01:00 GMT' }, 60_000],
  ['a date in the format of asctime', { date: NOON, 'retry-after': 'Thu Jan  1 12:01:00 2026' }, 60_000],
  ['a reset years away', { date: NOON, 'x-ratelimit-reset': String(NOON_SECONDS * 2) }, 24 * 3600 * 1000],
])('%s gives a wait within bounds', async (_, headers, wait) => {
  const { options, slept } = player(tooMany(headers as Record<string, string>), saved())
  await createClient({ ...options, maxWaitMs: Number.POSITIVE_INFINITY }).fish.add(SALMON)
  expect(slept).toEqual([wait])
})

test.each(['soon', '-5', '5, 10', '1e1', '+5', '2,5', '5.', 'Jan 5', '2026-01-01T12:01:00Z'])(
  'the invalid Retry-After %j is ignored, so the wait ends at the reset time',
  async (invalid) => {
    const headers = { date: NOON, 'retry-after': invalid, 'x-ratelimit-reset': String(NOON_SECONDS + 90) }
    const { options, slept } = player(tooMany(headers), saved())
    await createClient(options).fish.add(SALMON)
    expect(slept).toEqual([90_000])
  },
)

test('a 503 with an invalid Retry-After is retried after the usual backoff', async () => {
  const { options, slept } = player(failure(503, 'unavailable', { 'retry-after': '5, 10' }), saved())
  await createClient(options).fish.add(SALMON)
  expect(slept).toEqual([500])
})

test('jitter only lengthens a wait, and a call fails if its wait with jitter exceeds maxWaitMs', async () => {
  const longer = player(tooMany({ 'retry-after': '10' }), saved())
  await createClient({ ...longer.options, random: () => 0.5 }).fish.add(SALMON)
  expect(longer.slept).toEqual([10_125])
  const bounded = player(tooMany({ 'retry-after': '10' }))
  const call = createClient({ ...bounded.options, random: () => 0.5, maxWaitMs: 10_001 }).fish.add(SALMON)
  await expect(call).rejects.toMatchObject({ name: 'RateLimitError', retryAfterMs: 10_125 })
  expect(bounded.slept).toEqual([])
})

test('a call that would wait longer than maxWaitMs immediately fails with an error that contains the reset time', async () => {
  const counted = { 'x-ratelimit-limit': '25', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767225900' }
  const { options, requests, slept, clock } = player(tooMany({ 'retry-after': '120', ...counted }))
  const error = await createClient({ ...options, maxWaitMs: 119_999 })
    .fish.add(SALMON)
    .catch((thrown) => thrown)
  expect(error instanceof RateLimitError).toBe(true)
  expect(error).toMatchObject({
    name: 'RateLimitError',
    status: 429,
    code: 'rate_limited',
    requestId: 'req-1',
    retryAfterMs: 120_000,
    resetAt: new Date(clock.now() + 120_000),
    rateLimit: { limit: 25, remaining: 0 },
    headers: { 'retry-after': '120' },
  })
  expect(slept).toEqual([])
  expect(requests).toHaveLength(1)
})

test('maxWaitMs bounds the sum of all waits of a call', async () => {
  const refusal = () => tooMany({ 'retry-after': '100' })
  const { options, slept } = player(refusal(), refusal(), refusal())
  const client = createClient({ ...options, maxWaitMs: 250_000 })
  await expect(client.fish.add(SALMON)).rejects.toMatchObject({ status: 429 })
  expect(slept).toEqual([100_000, 100_000])
})

test('by default a call waits up to an hour', async () => {
  const { options, slept } = player(tooMany({ 'retry-after': '3600' }), saved())
  await createClient(options).fish.add(SALMON)
  expect(slept).toEqual([3_600_000])
  const longer = player(tooMany({ 'retry-after': '3601' }))
  await expect(createClient(longer.options).fish.add(SALMON)).rejects.toMatchObject({ retryAfterMs: 3_601_000 })
})

test('a call does not wait if its 429 comes from a limit other than the rate limit in the headers', async () => {
  const left = { 'x-ratelimit-limit': '25', 'x-ratelimit-remaining': '20', 'x-ratelimit-reset': '1767225900' }
  const { options, slept } = player(tooMany({ 'retry-after': '200', ...left }))
  const call = createClient(options).keys.get({ username: 'Alex', password: 'wrong' })
  await expect(call).rejects.toMatchObject({ name: 'RateLimitError', retryAfterMs: 200_000 })
  expect(slept).toEqual([])
})

test('hooks number the attempts of a call alike, also after a 429', async () => {
  const { options } = player(tooMany({ 'retry-after': '1' }), failure(503, 'unavailable'), saved())
  const attempts: string[] = []
  const client = createClient({
    ...options,
    onRequest: ({ attempt }) => attempts.push(`request ${attempt}`),
    onRetry: ({ attempt }) => attempts.push(`retry ${attempt}`),
  })
  await client.fish.add({ name: 'Cod', rarity: 1 })
  expect(attempts).toEqual(['request 1', 'request 2', 'retry 2', 'request 3'])
})

test('onFailure reports each attempt without a response, also the last one', async () => {
  const { options } = player(new TypeError('fetch failed'), new TypeError('fetch failed'))
  const failures: string[] = []
  const onFailure: Hooks['onFailure'] = ({ method, path, attempt, code }) =>
    failures.push(`${method} ${path} ${attempt} ${code}`)
  const call = createClient({ ...options, maxRetries: 1, onFailure }).fish.add(SALMON)
  await expect(call).rejects.toMatchObject({ name: 'ConnectionError' })
  expect(failures).toEqual(['POST /post/fish 1 connection_error', 'POST /post/fish 2 connection_error'])
})
