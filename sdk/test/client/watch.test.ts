import { createClient } from '@fish-crab/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'

const encoder = new TextEncoder()
const READY = 'event: ready\nid: e0\ndata: {}\n\n'
const CATCH = `event: catch\nid: e1\ndata: ${JSON.stringify({ kind: 'crab', name: 'crab', gamemode: 'earth', id: 'r1', caughtAt: '2026-01-01T00:00:00Z' })}\n\n`

/** A stream that sends a text, and then stays silent. */
function silentAfter(text: string) {
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(text)),
    cancel() {
      cancelled = true
    },
  })
  return { response: new Response(body, { headers: { 'x-request-id': '1' } }), isCancelled: () => cancelled }
}

/**
 * Starts a watch whose attempts get the responses in turn. All later attempts get the last response. Tests advance the
 * timers.
 */
function watching(...responses: readonly (() => Response)[]) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const ids: (string | null)[] = []
  const controller = new AbortController()
  const fetch = async (_: unknown, init?: RequestInit) => {
    ids.push(new Headers(init?.headers).get('last-event-id'))
    return (responses[ids.length - 1] ?? responses.at(-1))?.() as Response
  }
  const client = createClient({ baseUrl: 'https://fish.example', user: 'Alex', gamemode: 'earth', fetch, pace: false })
  const states: string[] = []
  const catches = client.watch({
    maxRetries: 0,
    signal: controller.signal,
    onConnect: () => states.push('connected'),
    onDisconnect: ({ code }) => states.push(code),
  })
  return { catches, ids, states, stop: () => controller.abort() }
}

const json =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json(
      { error: 'An error.', code, requestId: '1' },
      { status, headers: { 'x-request-id': '1', ...headers } },
    )
const ended = () => new Response(READY, { headers: { 'x-request-id': '1' } })

test('an error that a reconnect cannot fix ends a watch', async () => {
  const { catches, ids } = watching(ended, json(404, 'user_not_found'))
  const first = expect(catches.next()).rejects.toMatchObject({ name: 'NotFoundError', code: 'user_not_found' })
  await vi.advanceTimersByTimeAsync(60_000)
  await first
  expect(ids).toEqual([null, 'e0'])
})

test('a watch that the service refuses rejects at once, and is not retried', async () => {
  const fetch = vi.fn(async () => json(503, 'too_many_streams', { 'retry-after': '10' })())
  const client = createClient({ baseUrl: 'https://fish.example', user: 'Alex', gamemode: 'earth', fetch, pace: false })
  const refused = expect(client.watch().next()).rejects
  await refused.toMatchObject({ name: 'ServerError', code: 'too_many_streams' })
  expect(fetch).toHaveBeenCalledTimes(1)
})

test('an open watch that the service refuses reports it at once, and reconnects after more than a minute', async () => {
  const { catches, ids, states } = watching(ended, json(503, 'too_many_streams', { 'retry-after': '10' }))
  const first = catches.next().catch(() => {})
  await vi.advanceTimersByTimeAsync(5000)
  expect([ids.length, states]).toEqual([2, ['connected', 'too_many_streams']])
  await vi.advanceTimersByTimeAsync(55_000)
  expect(ids).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ids).toHaveLength(3)
  void first
})

test.each<[string, () => Response]>([
  ['an HTML 404', () => new Response('<h1>Not found</h1>', { status: 404, headers: { 'content-type': 'text/html' } })],
  ['an HTML 403', () => new Response('<h1>Forbidden</h1>', { status: 403 })],
  ['an empty 401', () => new Response('', { status: 401 })],
  ['a foreign 400', () => Response.json({ code: 'user_not_found', message: 'No.' }, { status: 400 })],
  ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://login.example' } })],
])('%s does not end an open watch', async (_, foreign) => {
  const alive = silentAfter(CATCH)
  const { catches, states } = watching(ended, foreign, foreign, () => alive.response)
  const first = catches.next()
  await vi.advanceTimersByTimeAsync(60_000)
  expect((await first).value).toMatchObject({ name: 'crab' })
  expect(states).toEqual(['connected', expect.any(String), 'connected'])
  await catches.return()
})

test('a foreign 404 rejects a watch that was never open, but not as a NotFoundError, and names baseUrl', async () => {
  const { catches } = watching(() => new Response('<h1>Not found</h1>', { status: 404 }))
  await expect(catches.next()).rejects.toMatchObject({
    name: 'ApiError',
    code: 'unknown',
    message: expect.stringContaining('baseUrl'),
  })
})

test('a watch retries with growing delays during an outage', async () => {
  const { catches, ids, stop } = watching(ended, json(503, 'unavailable'))
  const first = catches.next().catch(() => {})
  await vi.advanceTimersByTimeAsync(600_000)
  // After the first minute, a retry follows every 30 to 45 s.
  expect(ids.length).toBeGreaterThan(12)
  expect(ids.length).toBeLessThan(28)
  stop()
  await first
})

test('a stream that ends before its first event, as behind a proxy during an outage, counts as a failure', async () => {
  const away = () => new Response('retry: 5000\n\n', { headers: { 'x-request-id': '1' } })
  const { catches, ids, states, stop } = watching(ended, away, away, ended, () => silentAfter(READY).response)
  const first = catches.next().catch(() => {})
  await vi.advanceTimersByTimeAsync(60_000)
  expect(states).toEqual(['connected', 'connection_error', 'connected'])
  expect(ids).toEqual([null, 'e0', 'e0', 'e0', 'e0'])
  stop()
  await first
})

test('a watch rejects if its first stream ends before the first event', async () => {
  const { catches } = watching(() => new Response('retry: 5000\n\n', { headers: { 'x-request-id': '1' } }))
  await expect(catches.next()).rejects.toMatchObject({ name: 'ConnectionError' })
})

test('a connection that is silent for three heartbeats is replaced', async () => {
  const [dead, alive] = [silentAfter(READY), silentAfter(CATCH)]
  const { catches, ids } = watching(
    () => dead.response,
    () => alive.response,
  )
  const first = catches.next()
  await vi.advanceTimersByTimeAsync(44_000)
  expect([ids, dead.isCancelled()]).toEqual([[null], false])
  await vi.advanceTimersByTimeAsync(5000)
  expect((await first).value).toMatchObject({ name: 'crab', eventId: 'e1' })
  expect([ids, dead.isCancelled()]).toEqual([[null, 'e0'], true])
  await catches.return()
  expect(alive.isCancelled()).toBe(true)
})

test('a watch reports the start and the end of an outage once, and does not report a stream that ends normally', async () => {
  const away = json(503, 'unavailable')
  const alive = silentAfter(CATCH)
  const { catches, states } = watching(ended, ended, away, away, () => alive.response)
  const first = catches.next()
  await vi.advanceTimersByTimeAsync(2000)
  expect(states).toEqual(['connected'])
  await vi.advanceTimersByTimeAsync(60_000)
  await first
  expect(states).toEqual(['connected', 'unavailable', 'connected'])
  await catches.return()
})

test('an error of a callback does not end a watch', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const removal = 'event: removed\nid: e2\ndata: {"kind":"crab","gamemode":"earth","id":"1"}\n\n'
  const streams = [new Response(READY, { headers: { 'x-request-id': '1' } }), json(503, 'unavailable')()]
  const fetch = async () => streams.shift() ?? silentAfter(`${removal}${CATCH}`).response
  const client = createClient({ baseUrl: 'https://fish.example', user: 'Alex', gamemode: 'earth', fetch, pace: false })
  const called: string[] = []
  const fail = (name: string) => () => {
    called.push(name)
    throw new Error('A mistake.')
  }
  const catches = client.watch({
    maxRetries: 0,
    onConnect: fail('onConnect'),
    onDisconnect: fail('onDisconnect'),
    onRemoved: fail('onRemoved'),
  })
  const first = catches.next()
  await vi.advanceTimersByTimeAsync(60_000)
  expect((await first).value).toMatchObject({ name: 'crab' })
  expect(called).toEqual(['onConnect', 'onDisconnect', 'onConnect', 'onRemoved'])
  await catches.return()
})

test('a watch reads a stream that arrives in single bytes, with long lines and both kinds of line ends', async () => {
  const padding = ' '.repeat(10_000)
  const bytes = encoder.encode(`${READY}${padding}\u2028\nevent:removed${padding}\r\ndata\r\n\r\n${CATCH}`)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
    },
  })
  const { catches } = watching(() => new Response(body, { headers: { 'x-request-id': '1' } }))
  expect((await catches.next()).value).toMatchObject({ name: 'crab', eventId: 'e1' })
  await catches.return()
})

test.each([
  ['never ends', 'data: '.padEnd(65_536)],
  ['has many lines', 'data: x\n'.repeat(8192)],
])('a watch rejects an event that %s, and closes the connection', async (_, part) => {
  let parts = 0
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      parts += 1
      controller.enqueue(encoder.encode(parts === 1 ? READY + CATCH : part))
      // An unbounded reader would read to the end.
      if (parts === 200) controller.close()
    },
    cancel() {
      cancelled = true
    },
  })
  const { catches } = watching(() => new Response(body, { headers: { 'x-request-id': '1' } }))
  expect((await catches.next()).value).toMatchObject({ name: 'crab' })
  await expect(catches.next()).rejects.toMatchObject({ name: 'InvalidResponseError' })
  expect([cancelled, parts < 25]).toEqual([true, true])
})

test('a watch yields a catch whose name contains a line separator', async () => {
  const name = 'a\u2028b'
  const { catches } = watching(() => silentAfter(CATCH.replace('"name":"crab"', `"name":"${name}"`)).response)
  expect((await catches.next()).value).toMatchObject({ name })
  await catches.return()
})
