import { runConformance } from '@fish-crab/mocks/conformance'
import { describe, it } from 'vitest'
import { expectConformant, openMock } from './mock.ts'

describe('a mock passes all conformance checks', () => {
  it('over the direct transport', async () => {
    const { mock, options } = await openMock()
    let clients = 0
    const otherClient = () => {
      clients += 1
      return mock.from(`198.51.100.${clients}`).fetch
    }
    expectConformant(await runConformance({ ...options, fetch: mock.fetch, otherClient }))
  })
})
