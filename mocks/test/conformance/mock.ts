import { createMock } from '@fish-crab/mocks'
import type { ConformanceOptions, ConformanceReport } from '@fish-crab/mocks/conformance'
import { expect } from 'vitest'
import { ADMIN, MASTER, NOT_IN_PROCESS, ORIGIN } from './direct.ts'
import { failuresOf } from './failures.ts'

const WINDOW_MS = 300_100

/** Creates a mock, and returns the mock with options for a run against any of its transports. */
export async function openMock() {
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

export function expectConformant(report: ConformanceReport, ...skipped: readonly string[]): void {
  expect(failuresOf(report)).toEqual([])
  expect(report.notRemoved).toEqual([])
  const ids = report.checks.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)
  expect(ids.sort()).toEqual([...NOT_IN_PROCESS, ...skipped].sort())
}
