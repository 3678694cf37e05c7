import { createMock, FAULT_NAMES, type Fault, type Mock, type Transport } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { errorBodySchema } from '@fish-crab/sdk/contract'
import { type SetupServer, setupServer } from 'msw/node'
import { afterEach, describe, expect, it, vi } from 'vitest'

const START = Date.UTC(2026, 0, 1)
const SEED = { users: [{ name: 'Alex' }, { name: 'Steve' }] }
const READ = '/get/fish?name=Alex&gamemode=earth'
const STATUSES = [400, 401, 403, 404, 429, 500, 503] as const

/** Calls a fetch, and returns the response or the failure as the caller sees it. */
async function seen(send: () => Promise<Response>) {
  let response: Response
  try {
    response = await send()
  } catch (error) {
    return failure('fetch', error)
  }
  try {
    return { status: response.status, type: response.headers.get('content-type'), body: await response.text() }
  } catch (error) {
    return { status: response.status, ...failure('body', error) }
  }
}

/** Sends a request over a transport to a mock with a fault, and returns the response or the failure. */
async function suffer(transport: Transport, fault: Fault, init: RequestInit = {}) {
  await using mock = await createMock({ seed: SEED })
  const network = setupServer(...mock.handlers())
  let base = mock.origin
  if (transport === 'http') base = (await mock.serve()).url
  if (transport === 'intercept') await mock.listen()
  if (transport === 'msw') listenQuietly(network)
  mock.fail(fault, init.method === 'OPTIONS' ? { on: 'OPTIONS /get/fish' } : {})
  const send = transport === 'direct' ? mock.fetch : globalThis.fetch
  try {
    const result = await seen(() =>
      send(base + READ, { ...init, headers: { 'x-request-id': 'the-same', ...init.headers } }),
    )
    expect(mock.requests.map((request) => [request.transport, request.fault !== undefined])).toEqual([
      [transport, true],
    ])
    return result
  } finally {
    if (transport === 'msw') network.close()
  }
}

function listenQuietly(network: SetupServer): void {
  network.listen({ onUnhandledFrame: 'bypass' })
  // Silence MSW, which prints every connection reset as an error.
  vi.spyOn(console, 'error').mockImplementation(() => {})
}

/** Advances the clock of the mock until a call completes. */
async function passing<Result>({ clock }: Mock, call: Promise<Result>): Promise<Result> {
  let over = false
  const settled = call.finally(() => {
    over = true
  })
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(100)
  }
  return settled
}

function failure(stage: string, error: unknown) {
  const { name, message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException }
  return { stage, name, message, cause: { name: cause?.name, code: cause?.code, message: cause?.message } }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a fault', () => {
  const FAULTS: Fault[] = [
    ...FAULT_NAMES.filter((name) => name !== 'silence'),
    ...STATUSES.map((status) => ({ status })),
    ...([502, 504] as const).map((status) => ({ status })),
    { status: 502, body: '<h1>Bad gateway of nginx</h1>', retryAfter: 3 },
    { status: 404, body: { detail: 'Not Found' } },
    { latencyMs: 5 },
  ]
  const alike = FAULTS.map((fault) => [JSON.stringify(fault), fault] as const)
  it.each(alike)('%s has the same effect on fetch through the direct transport and over HTTP', async (_, fault) => {
    expect(await suffer('http', fault)).toEqual(await suffer('direct', fault))
  })

  const BODILESS: readonly RequestInit[] = [
    { method: 'HEAD' },
    { headers: { 'if-none-match': '*' } },
    { method: 'OPTIONS', headers: { origin: 'https://page.test', 'access-control-request-method': 'GET' } },
  ]
  it.each(['cut-body', 'reset-after-headers'] as const)(
    '%s does not affect responses without a body',
    async (fault) => {
      for (const init of BODILESS) {
        const expected = await suffer('direct', fault, init)
        expect(expected).toMatchObject({ status: expect.any(Number), body: '' })
        for (const transport of ['msw', 'intercept', 'http'] as const) {
          expect(await suffer(transport, fault, init), transport).toEqual(expected)
        }
      }
    },
  )

  it.each(alike)(
    '%s has the same effect through MSW and listen() as directly, except for the error message of a body that ends early',
    async (_, fault) => {
      const expected = await suffer('direct', fault)
      const closed = { cause: { name: 'SocketError', code: 'UND_ERR_SOCKET', message: 'closed' } }
      const breaks = fault === 'reset-after-headers' || fault === 'cut-body'
      if (breaks) expect(expected).toMatchObject({ cause: { name: 'SocketError', code: 'UND_ERR_SOCKET' } })
      for (const transport of ['msw', 'intercept'] as const) {
        expect(await suffer(transport, fault), transport).toEqual(breaks ? { ...expected, ...closed } : expected)
      }
    },
  )

  it.each(STATUSES)(
    'with status %i returns the body and headers that the contract specifies, and the rate limit counts the request',
    async (status) => {
      const mock = await createMock({ seed: SEED, startAt: START })
      await mock.fetch(READ)
      mock.fail({ status }, { on: 'getFish' })
      const response = await mock.fetch(READ, { headers: { origin: 'https://page.test' } })
      const body = errorBodySchema.parse(await response.json())
      expect(response.status).toBe(status)
      expect(body.requestId).toBe(response.headers.get('x-request-id'))
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('x-ratelimit-remaining')).toBe(status === 429 ? '0' : '23')
      expect(response.headers.get('x-ratelimit-reset')).toBe(String(START / 1000 + 300))
      expect(response.headers.get('retry-after')).toBe(status === 429 ? '300' : null)
      expect((await mock.fetch(READ)).headers.get('x-ratelimit-remaining')).toBe('22')
    },
  )

  it('with status 429 returns the actual end of the rate limit window', async () => {
    const mock = await createMock({ startAt: START })
    await mock.fetch('/status')
    await mock.clock.advance(100_500)
    mock.fail({ status: 429 })
    expect((await mock.fetch('/status')).headers.get('retry-after')).toBe('200')
  })

  it.each([502, 504] as const)(
    'with status %i returns the error page of a proxy, and the rate limit does not count the request',
    async (status) => {
      const mock = await createMock({ seed: SEED })
      mock.fail({ status })
      const response = await mock.fetch(READ)
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('x-request-id')).toBeNull()
      expect(await response.text()).toContain(`${status} `)
      expect((await mock.fetch(READ)).headers.get('x-ratelimit-remaining')).toBe('24')
    },
  )

  it.each([401, 429, 503, 502] as const)('with status %i and retryAfter returns that header', async (status) => {
    const mock = await createMock()
    mock.fail({ status, retryAfter: 7 })
    expect((await mock.fetch('/admin/me')).headers.get('retry-after')).toBe('7')
  })

  it.each([
    ['text as HTML', '<h1>Maintenance</h1>', 'text/html; charset=utf-8', '<h1>Maintenance</h1>'],
    ['an object as JSON', { detail: 'Not Found' }, 'application/json', '{"detail":"Not Found"}'],
    ['an empty text', '', 'text/html; charset=utf-8', ''],
  ])('with a body sends %s, with a matching length', async (_, body, type, sent) => {
    const mock = await createMock()
    mock.fail({ status: 404, body }, { times: 2 })
    const { headers, ...response } = await mock.fetch('/status').then(async (got) => ({
      headers: got.headers,
      status: got.status,
      body: await got.text(),
    }))
    expect(response).toEqual({ status: 404, body: sent })
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('content-length')).toBe(String(sent.length))
    expect(await (await mock.fetch('/status', { method: 'HEAD' })).text()).toBe('')
  })

  it('with status 401 returns the challenge that the service uses at that path', async () => {
    const mock = await createMock()
    mock.fail({ status: 401 }, { times: 2 })
    const challenge = async (path: string) => (await mock.fetch(path)).headers.get('www-authenticate')
    expect(await challenge('/get/user/key')).toMatch(/^Basic /)
    expect(await challenge('/admin/me')).toBe('Bearer')
  })

  it('applies to exactly the requested number of matching requests, even if the requests are concurrent', async () => {
    const mock = await createMock({ seed: SEED })
    const handle = mock.fail({ status: 503 }, { times: 2, on: ['getFish', 'GET /status'], user: 'alex' })
    const statuses = await Promise.all(
      ['/status', READ, '/get/fish?name=Steve&gamemode=earth', `/v1${READ}`, READ].map(
        async (path) => (await mock.fetch(path)).status,
      ),
    )
    expect(statuses).toEqual([200, 503, 200, 503, 200])
    expect([handle.remaining, mock.faults]).toEqual([0, []])
  })

  it('can be cancelled', async () => {
    const mock = await createMock()
    const handle = mock.fail('reset', { times: Number.POSITIVE_INFINITY })
    await expect(mock.fetch('/status')).rejects.toThrow('fetch failed')
    handle.cancel()
    expect((await mock.fetch('/status')).status).toBe(200)
  })

  it('lost-response stores the catch, and the retry of the client does not store the catch again', async () => {
    const mock = await createMock({ seed: SEED, startAt: START })
    mock.fail('lost-response', { on: 'postFish' })
    const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
    const { replayed } = await passing(mock, client.fish.add({ name: 'Salmon', rarity: 'gold' }))
    expect(replayed).toBe(true)
    expect(mock.sent.fish()).toHaveLength(1)
    expect(mock.requests.map(({ status, fault }) => [status, fault])).toEqual([
      [201, 'lost-response'],
      [200, undefined],
    ])
  })

  it.each(['reset', 'storage-down', 'storage-full', { status: 500 }] as Fault[])(
    '%j prevents a write, but the history contains the payload of the write',
    async (fault) => {
      const mock = await createMock({ seed: SEED })
      mock.fail(fault)
      const client = createClient({ ...mock.client('Alex'), gamemode: 'earth', maxRetries: 0 })
      await expect(client.fish.add({ name: 'Salmon', rarity: 'gold' })).rejects.toThrow()
      expect(mock.sent.fish()).toEqual([])
      expect(mock.requests[0]?.payload).toMatchObject({ kind: 'fish', entries: [{ name: 'Salmon', rarity: 3 }] })
    },
  )

  it('storage-down causes the responses that a service returns if its storage is unreachable', async () => {
    const mock = await createMock({ seed: SEED })
    mock.fail('storage-down', { times: 3 })
    const responseTo = async (path: string) => {
      const response = await mock.fetch(path)
      const { code, status } = (await response.json()) as { code: string; status?: string }
      return [response.status, code, status]
    }
    expect(await responseTo(READ)).toEqual([500, 'storage_error', undefined])
    expect(await responseTo('/status')).toEqual([503, 'unavailable', 'unavailable'])
    expect(await responseTo('/readyz')).toEqual([503, 'unavailable', undefined])
    expect((await mock.fetch('/readyz')).status).toBe(200)
  })

  it('silence lasts on every transport until the client aborts', async () => {
    const uncaught: unknown[] = []
    const note = (error: unknown) => uncaught.push(error)
    process.on('uncaughtExceptionMonitor', note)
    await using mock = await createMock()
    const { url } = await mock.serve()
    const network = setupServer(...mock.handlers())
    listenQuietly(network)
    mock.fail('silence', { times: 3 })
    const sends: (() => [typeof fetch, string])[] = [
      () => [mock.fetch, mock.origin],
      () => [globalThis.fetch, mock.origin],
      () => [globalThis.fetch, url],
    ]
    for (const transport of sends) {
      const [send, base] = transport()
      const giveUp = new AbortController()
      const before = mock.requests.length
      const rejected = expect(send(`${base}/status`, { signal: giveUp.signal })).rejects.toThrow('enough')
      await expect.poll(() => mock.requests.length, { interval: 5 }).toBe(before + 1)
      giveUp.abort(new Error('enough'))
      await rejected
    }
    network.close()
    process.off('uncaughtExceptionMonitor', note)
    expect(uncaught).toEqual([])
  })

  it('measures its latency by the clock of the mock', async () => {
    const mock: Mock = await createMock({ startAt: START })
    mock.fail({ latencyMs: 60_000 })
    let responded = false
    const response = mock.fetch('/status').then(() => {
      responded = true
    })
    await mock.fetch('/status')
    expect(responded).toBe(false)
    await mock.clock.advance(60_000)
    await response
  })

  it('is rejected if its name or an option is invalid, and the error lists the valid values', async () => {
    const mock = await createMock()
    expect(() => mock.fail('fire' as Fault)).toThrow(/Use one of silence, reset/)
    expect(() => mock.fail({ status: 418 } as unknown as Fault)).toThrow('status must be one of 400')
    expect(() => mock.fail({ status: 404, code: 'forbidden' })).toThrow('code must be an error code with status 404')
    expect(() => mock.fail('reset', { times: 0 })).toThrow('times must be a positive integer')
    expect(() => mock.fail('reset', { on: 'postFishes' as 'postFish' })).toThrow('Unknown route "postFishes"')
  })
})
