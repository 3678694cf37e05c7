import { type ConformanceReport, listChecks } from '@fish-crab/mocks/conformance'
import { expect, test } from 'vitest'
import { bundlePage } from './browser-bundle.ts'
import { openMockedPage } from './browser-page.ts'

/** A page script that mocks the origin of the page, since cross-origin pages cannot read admin endpoints. */
const PAGE = `
  import { createMock } from '@fish-crab/mocks'
  import { runConformance } from '@fish-crab/mocks/conformance'
  import { http, passthrough } from 'msw'
  import { setupWorker } from 'msw/browser'

  const [admin, masterApiKey] = [{ username: 'root', password: 'root-password' }, 'a-master-key-of-a-test']
  const allowedOrigin = 'https://allowed.example'

  globalThis.conform = async () => {
    const mock = await createMock({
      publicLeaderboard: true,
      seed: { admins: [admin] },
      keys: { master: masterApiKey },
      allowedOrigins: [allowedOrigin],
    })
    const files = http.get(location.origin + '/*.js', () => passthrough())
    const worker = setupWorker(files, ...mock.handlers(location.origin))
    await worker.start({ quiet: true })
    const report = await runConformance({
      baseUrl: location.origin,
      admin,
      masterApiKey,
      allowedOrigin,
      maxWaitMs: 300_100,
      wait: async (milliseconds) => mock.clock.advance(milliseconds),
      skip: ['operations-metrics', 'operations-docs'],
    })
    worker.stop()
    return { report, transports: [...new Set(mock.requests.map(({ transport }) => transport))], received: mock.requests.length }
  }`

/** The ids of checks that are skipped in a page, by reason. */
const SKIPPED = {
  'programs cannot set the header origin on this platform': [
    ...listChecks().flatMap(({ id }) => (/^(page|cors|origin)-/.test(id) ? [id] : [])),
    'bypass-allowed-origin',
    'bypass-not-by-other-origin',
    'limit-refusal-is-cors',
  ],
  'programs cannot set the header access-control-request-method on this platform': [
    'limit-leaves-preflights-and-operations',
    'limit-leaves-others',
  ],
  'programs cannot set the header accept-encoding on this platform': ['read-in-gzip', 'read-in-br'],
  'no response, and this platform may buffer a streamed body until its end': ['body-refused-while-streaming'],
  'requires a second client address (otherClient)': [
    'failed-credentials-are-limited',
    'failed-credentials-of-one-name',
    'limit-is-per-client',
  ],
  'skipped on request': ['operations-metrics', 'operations-docs'],
}

test('a mock in a page passes all possible conformance checks through the service worker of MSW', async ({ skip }) => {
  await using page = await openMockedPage(PAGE, skip)
  const { report, transports, received } = await page.call<{
    readonly report: ConformanceReport
    readonly transports: readonly string[]
    readonly received: number
  }>('conform')
  const skipped = reasonsOf(report)
  process.stdout.write(
    [
      `In a page, by the worker: ${report.passed} checks passed, ${report.failed} failed, ${report.skipped} skipped:`,
      ...Object.entries(skipped).map(([reason, ids]) => `${String(ids.length).padStart(4)}  ${reason}`),
      '',
    ].join('\n'),
  )
  expect(report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(skipped).toEqual(SKIPPED)
  expect(report.passed).toBe(listChecks().length - Object.values(SKIPPED).flat().length)
  expect(report.notRemoved).toEqual([])
  // The worker must respond to all requests. Even the server of the page must not receive a request.
  expect(transports).toEqual(['worker'])
  expect(received).toBeGreaterThan(report.passed)
  expect(page.strays).toEqual([])
})

test('the conformance checks import no Node modules', async () => {
  const { files } = await bundlePage(`export { runConformance } from '@fish-crab/mocks/conformance'`)
  const code = [...files.values()].join('\n')
  expect(code).toContain('limit-is-exact')
  expect(code).not.toMatch(/["']node:/)
})

function reasonsOf({ checks }: ConformanceReport): Record<string, string[]> {
  const reasons: Record<string, string[]> = {}
  for (const { id, outcome, reason = '' } of checks) {
    if (outcome !== 'skipped') continue
    reasons[reason] ??= []
    reasons[reason].push(id)
  }
  return reasons
}
