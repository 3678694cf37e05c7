import { runConformance, type SendRequest } from '@fish-crab/mocks/conformance'
import { expect, it } from 'vitest'
import { openDirect } from './direct.ts'
import { madeUpError, withUrl } from './mutations.ts'

const CAUSE = 'reads with detail=full lack the id of each entry, which other checks need'

const isRead = (path: string) => /\/get\/(fish|crab)\/?$/.test(path)
const ignored = (request: Request, send: SendRequest) =>
  send(withUrl(request, (url) => url.replace(/detail=[^&]*/, '')))
const refused = async () => madeUpError(400, 'invalid_query')

it.each(Object.entries({ ignored, refused }))(
  'a run against a service where detail=full is %s has one failure, and skips the checks that need entry ids',
  async (_, respond) => {
    const { options } = await openDirect({
      around: (send) => (request) => {
        const { pathname, searchParams } = new URL(request.url)
        return isRead(pathname) && searchParams.has('detail') ? respond(request, send) : send(request)
      },
    })
    const { checks, causes } = await runConformance({
      ...options,
      only: ['read-detail-full', 'paging-follows-cursor', 'replay-fish', 'etag-get-fish'],
    })
    expect(causes).toEqual([{ cause: CAUSE, checks: ['read-detail-full'] }])
    const skipped = checks.filter(({ reason }) => reason === CAUSE).map(({ id }) => id)
    expect(skipped).toEqual(['paging-follows-cursor', 'replay-fish'])
  },
)

it('a run limited to the checks that need entry ids also fails', async () => {
  const { options } = await openDirect({
    around: (send) => (request) => (isRead(new URL(request.url).pathname) ? ignored(request, send) : send(request)),
  })
  const { checks } = await runConformance({ ...options, only: ['replay-fish', 'replay-crab'] })
  expect(checks.map(({ outcome }) => outcome)).toEqual(['failed', 'skipped'])
})
