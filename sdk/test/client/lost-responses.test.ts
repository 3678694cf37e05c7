import { ConnectionError, createClient, TimeoutError } from '@fish-crab/sdk'
import { expect, test, vi } from 'vitest'
import { failure, player, saved } from './stubs.ts'

const SALMON = { name: 'Salmon', rarity: 3 } as const
const broken = () => new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
const never = () => new Promise<Response>(() => {})

test('a retry after a lost response or a server error sends the token of the first attempt again', async () => {
  const { options, requests, slept } = player(broken(), failure(500, 'storage_error'), saved())
  expect((await createClient(options).fish.add(SALMON)).id).toBe('record-1')
  expect(new Set(requests.map(({ init }) => init.body)).size).toBe(1)
  expect(requests).toHaveLength(3)
  expect(slept).toEqual([500, 1000])
})

test.each([408, 425])('a request is retried after status %d', async (status) => {
  const { options, requests } = player(failure(status, 'unknown'), saved())
  expect((await createClient(options).fish.add(SALMON)).id).toBe('record-1')
  expect(requests).toHaveLength(2)
})

test('a request is retried after a response that breaks off', async () => {
  const torn = () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"mess'))
        controller.error(new TypeError('terminated'))
      },
    })
    return new Response(body, { status: 201 })
  }
  const { options, requests } = player(torn, saved())
  expect((await createClient(options).fish.add(SALMON)).id).toBe('record-1')
  expect(requests).toHaveLength(2)
})

test('when all attempts fail, the error contains the address and the reason, and has the original error as its cause', async () => {
  const { options, requests } = player(broken(), broken(), broken())
  const error = await createClient(options)
    .fish.add(SALMON)
    .catch((thrown) => thrown)
  expect(error instanceof ConnectionError).toBe(true)
  expect(error instanceof TimeoutError).toBe(false)
  expect(error.message).toMatch(/http:\/\/127\.0\.0\.1:8787 \(ECONNRESET\)/)
  expect(error.cause).toBeInstanceOf(TypeError)
  expect(requests).toHaveLength(3)
})

test('a call to a failing server rejects with ServerError after maxRetries', async () => {
  const { options, requests } = player(failure(503, 'unavailable'), failure(503, 'unavailable'))
  const client = createClient({ ...options, maxRetries: 1 })
  await expect(client.fish.list()).rejects.toMatchObject({ name: 'ServerError', status: 503, code: 'unavailable' })
  expect(requests).toHaveLength(2)
})

test('status() is not retried when the service reports that it is unavailable', async () => {
  const { options, requests } = player(failure(503, 'unavailable'))
  await expect(createClient(options).status()).rejects.toMatchObject({ status: 503, code: 'unavailable' })
  expect(requests).toHaveLength(1)
})

test('a retry after a server error waits for Retry-After regardless of maxWaitMs, but the call fails if Retry-After exceeds 30 s', async () => {
  const patient = player(failure(503, 'unavailable', { 'retry-after': '7' }), saved())
  await createClient({ ...patient.options, maxWaitMs: 0 }).fish.add(SALMON)
  expect(patient.slept).toEqual([7000])
  const hasty = player(failure(503, 'unavailable', { 'retry-after': '31' }))
  await expect(createClient(hasty.options).fish.add(SALMON)).rejects.toMatchObject({ status: 503 })
  expect(hasty.slept).toEqual([])
})

test('a retry after a server error does not wait for the end of the rate limit window', async () => {
  const counted = { 'x-ratelimit-limit': '25', 'x-ratelimit-remaining': '20', 'x-ratelimit-reset': '1767225900' }
  const { options, slept } = player(failure(503, 'unavailable', counted), saved())
  await createClient(options).fish.add(SALMON)
  expect(slept).toEqual([500])
})

test.each([400, 401, 403, 404, 405, 409, 413, 415, 501])('a response with status %i is not retried', async (status) => {
  const { options, requests } = player(failure(status, 'whatever'))
  await expect(createClient(options).fish.add(SALMON)).rejects.toMatchObject({ status })
  expect(requests).toHaveLength(1)
})

test('an attempt rejects with TimeoutError after timeoutMs, even if fetch ignores its signal', async () => {
  const { options, requests } = player(never)
  const client = createClient({ ...options, timeoutMs: 10, maxRetries: 0 })
  const error = await client.fish.add(SALMON).catch((thrown) => thrown)
  expect(error instanceof TimeoutError).toBe(true)
  expect(error instanceof ConnectionError).toBe(true)
  expect(error.message).toMatch(/10 ms/)
  expect(requests[0]?.init.signal?.aborted).toBe(true)
})

test('timeoutMs also limits the wait for a stalled body, and applies separately to each attempt', async () => {
  const stalled = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), { status: 201 })
  const { options } = player(stalled, saved())
  const ends: (() => void)[] = []
  const setTimer = (_: number, onEnd: () => void) => {
    ends.push(onEnd)
    return () => {}
  }
  const adding = createClient({ ...options, clock: { ...options.clock, setTimer } }).fish.add(SALMON)
  await vi.waitUntil(() => ends.length === 1)
  ends[0]?.()
  expect((await adding).id).toBe('record-1')
  expect(ends).toHaveLength(2)
})
