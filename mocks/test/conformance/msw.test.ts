import { runConformance } from '@fish-crab/mocks/conformance'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { expect, it } from 'vitest'
import { openDirect } from './direct.ts'
import { failuresOf } from './failures.ts'

const ORIGIN = 'http://intercepted.test'

it('a service behind MSW passes all checks with the global fetch', async () => {
  const { options, app } = await openDirect()
  const network = setupServer(http.all(`${ORIGIN}/*`, ({ request }) => app.fetch(request)))
  network.listen({ onUnhandledFrame: 'error' })
  try {
    // By the name of the platform's own fetch, from one address.
    const { fetch: _, otherClient: __, ...rest } = options
    const report = await runConformance({ ...rest, baseUrl: ORIGIN })
    expect(failuresOf(report)).toEqual([])
    expect(report.notRemoved).toEqual([])
    const skipped = report.checks.filter(({ outcome }) => outcome === 'skipped')
    expect(Object.fromEntries(skipped.map(({ id, reason }) => [id, reason]))).toEqual({
      'failed-credentials-are-limited': 'requires a second client address (option otherClient)',
      'failed-credentials-of-one-name': 'requires a second client address (option otherClient)',
      'limit-is-per-client': 'requires a second client address (option otherClient)',
      'operations-metrics': 'skipped on request',
      'operations-docs': 'skipped on request',
    })
  } finally {
    network.close()
  }
})
