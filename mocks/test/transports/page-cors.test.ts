import { createMock, type MockOptions } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { setupServer } from 'msw/node'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, onTestFinished, vi } from 'vitest'

const PAGE = 'http://page.test'
const SALMON = { name: 'Salmon', rarity: 'gold' } as const

let printed: MockInstance

// Simulate the globals in jsdom or in a page with a service worker.
beforeEach(() => {
  vi.stubGlobal('document', {})
  vi.stubGlobal('location', new URL(`${PAGE}/index.html`))
  printed = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

async function open(options: MockOptions = {}) {
  const mock = await createMock({ seed: { users: [{ name: 'Alex' }] }, ...options })
  const network = setupServer(...mock.handlers())
  network.listen({ onUnhandledFrame: 'error' })
  onTestFinished(() => network.close())
  const client = createClient({ ...mock.client('Alex', { transport: 'network' }), gamemode: 'earth', maxRetries: 0 })
  const routes = () => mock.requests.map(({ method, path, headers }) => `${method} ${path} ${headers.origin}`)
  return { mock, client, routes }
}

describe('a page whose origin is not allowed', () => {
  it('cannot write, since the mock refuses the preflight as the server does, and the console shows the reason', async () => {
    const { mock, client, routes } = await open()
    await expect(client.fish.add(SALMON)).rejects.toMatchObject({ name: 'ConnectionError' })
    expect(mock.sent.fish()).toEqual([])
    expect(routes()).toEqual([`OPTIONS /post/fish ${PAGE}`])
    expect(printed).toHaveBeenCalledExactlyOnceWith(
      `The mock blocked POST ${mock.origin}/post/fish from ${PAGE} as a browser does, by CORS. ` +
        `To allow the page: createMock({ allowedOrigins: ['${PAGE}'] }).`,
    )
  })

  it('can read, and the rate limit counts the request', async () => {
    const { mock, client, routes } = await open()
    expect((await client.fish.list()).fish).toEqual([])
    expect(routes()).toEqual([`GET /get/fish ${PAGE}`])
    expect(mock.requests[0]?.rateLimit?.decision).toBe('counted')
  })

  it('can send a write without a preflight, but cannot read the response', async () => {
    const { mock, routes } = await open()
    const sending = fetch(`${mock.origin}/post/fish?name=Alex`, { method: 'POST', body: 'no token' })
    await expect(sending).rejects.toThrow(TypeError)
    expect(routes()).toEqual([`POST /post/fish ${PAGE}`])
  })
})

describe('a page whose origin is allowed', () => {
  it('can write without using up the rate limit, and can read the error of a fault', async () => {
    const { mock, client } = await open({ allowedOrigins: [PAGE] })
    await client.fish.add(SALMON)
    expect(mock.sent.fish()).toHaveLength(1)
    expect(mock.requests.at(-1)?.rateLimit?.decision).toBe('bypassed')
    mock.fail({ status: 503 }, { on: 'postFish' })
    await expect(client.fish.add(SALMON)).rejects.toMatchObject({ status: 503 })
  })
})

it('a page at the origin of the mock can write, and the rate limit counts the request', async () => {
  const { mock, client } = await open({ origin: PAGE })
  await client.fish.add(SALMON)
  expect(mock.requests.map(({ rateLimit }) => rateLimit?.decision)).toEqual(['counted'])
})

it('a program outside a page can write, and sends no origin header', async () => {
  vi.unstubAllGlobals()
  const { mock, client, routes } = await open()
  await client.fish.add(SALMON)
  expect(routes()).toEqual(['POST /post/fish undefined'])
  expect(mock.sent.fish()).toHaveLength(1)
})
