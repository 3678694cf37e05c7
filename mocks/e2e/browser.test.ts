import { LIMITS } from '@fish-crab/sdk/contract'
import { expect, test } from 'vitest'
import { openMockedPage } from './browser-page.ts'

const STARTS_AT = Date.UTC(2026, 2, 1, 12)

/** The shared steps of the page scripts. `transport` is the transport of the SDK client. */
const SCENARIO = `
  import { createMock } from '@fish-crab/mocks'
  import { ConnectionError, createClient, RateLimitError } from '@fish-crab/sdk'

  async function playWindow(mock, transport) {
    const client = createClient({ ...mock.client('Alex', { transport }), gamemode: 'earth', maxRetries: 0 })
    const list = () => client.fish.list({ maxWaitMs: 0 })
    const failed = (call) => call.then(() => 'succeeded', (error) => error)

    const together = await Promise.allSettled(Array.from({ length: ${LIMITS.requests} }, () => client.fish.list()))
    const refused = await failed(list())
    const received = mock.requests.length
    const bare = await (transport === 'direct' ? mock.fetch : fetch)(mock.origin + '/demo/fish')
    await mock.clock.advance(${LIMITS.windowSeconds * 1000})
    const { rateLimit } = await list()

    const { replayed } = await client.fish.add({ name: 'Salmon', rarity: 'gold' })
    mock.fail({ status: 503 }, { on: 'getFish' })
    const unavailable = await failed(list())
    mock.fail('reset', { on: 'postFish' })
    const reset = await failed(client.fish.add({ name: 'Cod', rarity: 'silver' }))
    const { fish } = await list()

    return {
      succeeded: together.filter(({ status }) => status === 'fulfilled').length,
      received,
      refused: { isRateLimitError: refused instanceof RateLimitError, resetAt: Math.floor(refused.resetAt?.getTime() / 1000) },
      bare: { status: bare.status, retryAfter: bare.headers.get('retry-after') },
      remaining: rateLimit.remaining,
      replayed,
      sent: mock.sent.fish(),
      unavailable: { name: unavailable.name, status: unavailable.status },
      reset: { name: reset.name, isConnectionError: reset instanceof ConnectionError },
      fish: fish.map(({ name }) => name),
      transports: [...new Set(mock.requests.map(({ transport }) => transport))],
      faults: mock.requests.filter(({ fault }) => fault).map(({ route, status }) => [route, status]),
    }
  }

  const openMock = (origin) => createMock({ startAt: ${STARTS_AT}, seed: { users: [{ name: 'Alex' }] }, origin })
`

const PLAYED = {
  succeeded: LIMITS.requests,
  received: LIMITS.requests,
  refused: { isRateLimitError: true, resetAt: STARTS_AT / 1000 + LIMITS.windowSeconds },
  bare: { status: 429, retryAfter: String(LIMITS.windowSeconds) },
  remaining: LIMITS.requests - 1,
  replayed: false,
  sent: [{ user: 'Alex', gamemode: 'earth', name: 'Salmon', rarity: 3 }],
  unavailable: { name: 'ServerError', status: 503 },
  reset: { name: 'ConnectionError', isConnectionError: true },
  fish: ['Salmon'],
}

test('through the service worker of MSW, a page can exhaust a rate limit window, and no request leaves the page', async ({
  skip,
}) => {
  await using page = await openMockedPage(
    `${SCENARIO}
    import { http, passthrough } from 'msw'
    import { setupWorker } from 'msw/browser'

    globalThis.play = async () => {
      const mock = await openMock(location.origin)
      const files = http.get(location.origin + '/*.js', () => passthrough())
      const worker = setupWorker(files, ...mock.handlers())
      await worker.start({ quiet: true })
      const result = await playWindow(mock, 'network')
      worker.stop()
      return result
    }`,
    skip,
  )
  expect(await page.call('play')).toMatchObject({ ...PLAYED, transports: ['worker'] })
  expect(page.strays).toEqual([])
})

test('through the service worker of MSW, CORS restricts a page whose origin differs from the origin of the mock', async ({
  skip,
}) => {
  await using page = await openMockedPage(
    `import { createMock } from '@fish-crab/mocks'
    import { createClient } from '@fish-crab/sdk'
    import { setupWorker } from 'msw/browser'

    async function playAs(allowedOrigins) {
      // The origin does not exist, so a request that escapes the worker fails.
      const mock = await createMock({ seed: { users: [{ name: 'Alex' }] }, origin: 'http://fish.invalid', allowedOrigins })
      const worker = setupWorker(...mock.handlers())
      await worker.start({ quiet: true })
      const client = createClient({ ...mock.client('Alex', { transport: 'network' }), gamemode: 'earth', maxRetries: 0 })
      const added = await client.fish.add({ name: 'Salmon', rarity: 'gold' }).then(() => 'added', ({ name }) => name)
      const { fish } = await client.fish.list()
      const cookies = await fetch(mock.origin + '/status', { credentials: 'include' }).catch(({ name }) => name)
      worker.stop()
      const routes = mock.requests.map(({ method, path, headers, rateLimit }) => [method, path, headers.origin, rateLimit?.decision])
      return { added, fish: fish.map(({ name }) => name), cookies, routes }
    }
    globalThis.playStranger = () => playAs([])
    globalThis.playAllowed = () => playAs([location.origin])`,
    skip,
  )
  const { origin } = page
  expect(await page.call('playStranger')).toEqual({
    added: 'ConnectionError',
    fish: [],
    cookies: 'TypeError',
    routes: [
      ['OPTIONS', '/post/fish', origin, 'exempt'],
      ['GET', '/get/fish', origin, 'counted'],
      ['GET', '/status', origin, 'counted'],
    ],
  })
  expect(await page.call('playAllowed')).toEqual({
    added: 'added',
    fish: ['Salmon'],
    cookies: 'TypeError',
    routes: [
      ['OPTIONS', '/post/fish', origin, 'exempt'],
      ['POST', '/post/fish', origin, 'bypassed'],
      ['GET', '/get/fish', origin, 'bypassed'],
      ['GET', '/status', origin, 'bypassed'],
    ],
  })
  expect(page.strays).toEqual([])
})

test('without a service worker, a request leaves the page and reaches the server', async ({ skip }) => {
  await using page = await openMockedPage(
    `globalThis.play = async () => {
      const { type } = await fetch(location.origin.replace('localhost', '127.0.0.1') + '/demo/fish', { mode: 'no-cors' })
      return type
    }`,
    skip,
  )
  expect(await page.call('play')).toBe('opaque')
  expect(page.strays).toEqual(['GET /demo/fish'])
})

test('through mock.fetch, a page can exhaust a rate limit window without MSW, a worker or any network request', async ({
  skip,
}) => {
  await using page = await openMockedPage(
    `${SCENARIO}
    globalThis.play = async () => playWindow(await openMock(location.origin), 'direct')
    globalThis.refusals = async () => {
      const mock = await openMock('http://fish.invalid')
      const messages = []
      for (const open of [() => mock.listen(), () => mock.serve()]) await open().catch(({ message }) => messages.push(message))
      return messages
    }`,
    skip,
  )
  expect(await page.call('play')).toMatchObject({ ...PLAYED, transports: ['direct'] })
  expect(page.strays).toEqual([])
  expect([...page.hosts]).toEqual([new URL(page.origin).host])
  expect(page.errors).toEqual([])
  expect(await page.call('refusals')).toEqual([
    expect.stringContaining('listen() works in Node only'),
    expect.stringContaining('serve() works in Node only'),
  ])
})
