import { createMock, type Mock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { setupServer } from 'msw/node'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

const seed = { users: [{ name: 'Alex' }] }
const START = Date.UTC(2026, 0, 1)

const WAYS: Readonly<Record<string, (mock: Mock) => unknown>> = {
  handlers(mock) {
    const network = setupServer(...mock.handlers())
    network.listen({ onUnhandledFrame: 'error' })
    onTestFinished(() => network.close())
  },
  intercepted: (mock) => mock.listen(),
}

async function openWith(way: string) {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const mock = await createMock({ seed, startAt: START, limits: { requests: 1 } })
  onTestFinished(() => mock.close())
  await WAYS[way]?.(mock)
  return { mock, warnings: () => warn.mock.calls.flat() }
}

describe.each(Object.keys(WAYS))('advance() on a mock (%s)', (way) => {
  it('warns immediately if a client with a different clock has exhausted the rate limit', async () => {
    const { mock, warnings } = await openWith(way)
    const { name: user, fernetKey } = mock.user('Alex')
    // Create the client like a program under test, without the clock of the mock.
    const client = createClient({ baseUrl: mock.origin, user, fernetKey, gamemode: 'earth', env: {} })
    await client.fish.list()
    expect(warnings()).toEqual([])
    const stop = new AbortController()
    const second = client.fish.list({ signal: stop.signal }).catch(() => {})
    await mock.clock.advance(20_000)
    expect(warnings()).toEqual([
      'GET /get/fish used up the rate limit of a client that does not use the clock of the mock. Its next call waits 300 s ' +
        'in real time, whatever advance() does. Pass clock: mock.clock to its createClient(), or raise ' +
        'createMock({ limits: { requests } }).',
    ])
    await mock.clock.advance(20_000)
    expect(warnings()).toHaveLength(1)
    stop.abort()
    await second
  })

  it('does not warn about clients with the clock of the mock, or about clients other than the SDK', async () => {
    const { mock, warnings } = await openWith(way)
    const client = createClient({ ...mock.client('Alex', { transport: 'network' }), gamemode: 'earth' })
    await client.fish.list()
    await mock.clock.advance(300_000)
    await fetch(`${mock.origin}/status`)
    await mock.clock.advance(20_000)
    expect(warnings()).toEqual([])
  })
})
