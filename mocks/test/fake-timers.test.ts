import { createMock } from '@fish-crab/mocks'
import { setupServer } from 'msw/node'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.useRealTimers()
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
