import { runConformance } from '@fish-crab/mocks/conformance'
import { setupServer } from 'msw/node'
import { describe, it } from 'vitest'
import { expectConformant, openMock } from './mock.ts'

const OF_ANOTHER_CLIENT = ['failed-credentials-are-limited', 'failed-credentials-of-one-name', 'limit-is-per-client']

describe('a mock passes all conformance checks', () => {
  it('through MSW', async () => {
    const { mock, options } = await openMock()
    const network = setupServer(...mock.handlers())
    network.listen({ onUnhandledFrame: 'error' })
    try {
      expectConformant(await runConformance(options), ...OF_ANOTHER_CLIENT)
    } finally {
      network.close()
    }
  })

  it('through interception', async () => {
    const { mock, options } = await openMock()
    await using _ = await mock.listen()
    expectConformant(await runConformance(options), ...OF_ANOTHER_CLIENT)
  })

  it('over HTTP', async () => {
    const { mock, options } = await openMock()
    await using served = await mock.serve()
    expectConformant(await runConformance({ ...options, baseUrl: served.url }), ...OF_ANOTHER_CLIENT)
  })
})
