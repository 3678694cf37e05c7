import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { setupServer } from 'msw/node'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Waits for a number of turns of the event loop, and uses no timers. */
function turns(count: number): Promise<'nothing came'> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    let left = count
    port1.onmessage = () => {
      left -= 1
      if (left > 0) return port2.postMessage(undefined)
      port1.close()
      resolve('nothing came')
    }
    port2.postMessage(undefined)
  })
}

// This test must be the first in its file, so that a mock loads its modules while timers are faked.
it.each(['direct', 'msw'] as const)(
  'the fault cut-body aborts a response under fake timers (%s)',
  async (transport) => {
    vi.useFakeTimers()
    await using mock = await createMock()
    const network = setupServer(...mock.handlers())
    if (transport === 'msw') network.listen({ onUnhandledFrame: 'error' })
    try {
      mock.fail('cut-body')
      const response = await (transport === 'direct' ? mock.fetch : fetch)(`${mock.origin}/status`)
      const reading = response.text().catch((error: Error) => error.message)
      expect(await Promise.race([reading, turns(5000)])).toBe('terminated')
    } finally {
      if (transport === 'msw') network.close()
    }
  },
)

const seed = { users: [{ name: 'Alex' }] }

it.each(['direct', 'network'] as const)(
  'a request that hangs because queueMicrotask is faked causes a warning with the recipe (%s)',
  async (transport) => {
    await using mock = await createMock({ seed })
    if (transport === 'network') await mock.listen()
    const client = createClient({ ...mock.client('Alex', { transport }), gamemode: 'earth' })
    const late = new AbortController()
    const armed = new Promise<void>((resolve) => {
      vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
        resolve()
        return late.signal
      })
    })
    const warned = new Promise<string>((resolve) => vi.spyOn(console, 'warn').mockImplementation(resolve))
    vi.useFakeTimers({ toFake: ['setTimeout', 'queueMicrotask'] })
    const hanging = client.fish.add({ name: 'Salmon', rarity: 'gold' })
    await armed
    late.abort()
    expect(await warned).toContain("jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] })")
    hanging.catch(() => {})
  },
)

it.each(['direct', 'network', 'msw'] as const)(
  'a client stores a catch if every timer is faked except nextTick and queueMicrotask (%s)',
  async (transport) => {
    await using mock = await createMock({ seed })
    const network = setupServer(...mock.handlers())
    if (transport === 'network') await mock.listen()
    if (transport === 'msw') network.listen()
    const warn = vi.spyOn(console, 'warn')
    vi.useFakeTimers({
      toFake: [
        'setTimeout',
        'clearTimeout',
        'setInterval',
        'clearInterval',
        'setImmediate',
        'clearImmediate',
        'Date',
        'performance',
      ],
    })
    const by = transport === 'direct' ? 'direct' : 'network'
    await createClient({ ...mock.client('Alex', { transport: by }), gamemode: 'earth' }).fish.add({
      name: 'Salmon',
      rarity: 'gold',
    })
    expect(mock.sent.fish()).toHaveLength(1)
    expect(warn).not.toHaveBeenCalled()
    if (transport === 'msw') network.close()
  },
)

it('listen() restores the fetch of the program when the mock closes', async () => {
  const before = globalThis.fetch
  const mock = await createMock()
  await mock.listen()
  await mock.close()
  expect(globalThis.fetch).toBe(before)
})
