import { createMock } from '@fish-crab/mocks'
import { type ConformanceOptions, type ConformanceReport, runConformance } from '@fish-crab/mocks/conformance'
import { setupServer } from 'msw/node'
import { describe, expect, it } from 'vitest'
import { ADMIN, MASTER, NOT_IN_PROCESS, ORIGIN } from './direct.ts'
import { failuresOf } from './failures.ts'

const WINDOW_MS = 300_100

/** Creates a mock, and returns the mock with options for a run against any of its transports. */
async function openMock() {
  const mock = await createMock({
    seed: { admins: [ADMIN] },
    keys: { master: MASTER },
    allowedOrigins: [ORIGIN],
    publicLeaderboard: true,
    publicUrl: 'https://fish.example.org',
  })
  const options: ConformanceOptions = {
    baseUrl: mock.origin,
    admin: ADMIN,
    masterApiKey: MASTER,
    allowedOrigin: ORIGIN,
    maxWaitMs: WINDOW_MS,
    wait: async (milliseconds) => {
      await mock.clock.advance(milliseconds)
    },
    skip: NOT_IN_PROCESS,
  }
  return { mock, options }
}

function expectConformant(report: ConformanceReport, ...skipped: readonly string[]): void {
  expect(failuresOf(report)).toEqual([])
  expect(report.notRemoved).toEqual([])
  const ids = report.checks.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)
  expect(ids.sort()).toEqual([...NOT_IN_PROCESS, ...skipped].sort())
}

const OF_ANOTHER_CLIENT = ['failed-credentials-are-limited', 'failed-credentials-of-one-name', 'limit-is-per-client']

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
