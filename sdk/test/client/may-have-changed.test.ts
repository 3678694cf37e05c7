import { createClient, FishCrabError } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { failure, json, player } from './stubs.ts'

const lost = (code = 'ECONNRESET') => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
const page = (status: number) => new Response('<h1>Blocked</h1>', { status, headers: { 'x-request-id': 'req-1' } })
const foreign = (status: number) => json({ error: 'Blocked.', code: 'record_not_found' }, { status })
const REMOVAL = { password: 'password' } as const

type Step = Parameters<typeof player>[number]

async function removalError(...steps: Step[]): Promise<FishCrabError> {
  const { options } = player(...steps)
  const error: unknown = await createClient(options)
    .fish.remove('record-1', REMOVAL)
    .catch((thrown) => thrown)
  if (!(error instanceof FishCrabError)) throw error
  return error
}

test.each<[string, Step[]]>([
  ['a rejection by the service', [failure(403, 'forbidden')]],
  ['a connection that was refused, then a rejection', [lost('ECONNREFUSED'), failure(401, 'invalid_credentials')]],
  ['a connection with an invalid certificate', Array(3).fill(lost('CERT_HAS_EXPIRED'))],
  ['a rejection by the rate limit, then a rejection', [failure(429, 'rate_limited'), failure(403, 'forbidden')]],
  [
    'the service being unavailable, then a record that does not exist',
    [failure(503, 'unavailable'), failure(404, 'record_not_found')],
  ],
  ['a request that was too large for a proxy', [page(413)]],
])('after %s, an error says that the call changed nothing', async (_, steps) => {
  expect((await removalError(...steps)).mayHaveChanged).toBe(false)
})

test.each<[string, Step[]]>([
  ['a lost response, then a rejection', [lost(), failure(403, 'forbidden')]],
  ['a failure of the storage, then a rejection', [failure(500, 'storage_error'), failure(401, 'invalid_credentials')]],
  ['a 502 from a proxy, then a rejection', [page(502), failure(403, 'forbidden')]],
  ['a lost response, then a request that was too large for a proxy', [lost(), page(413)]],
  ['a page of a proxy', [page(403)]],
  ['an error of another service', [foreign(403)]],
  ['a lost response, then a record that another service does not have', [lost(), foreign(404)]],
  ['a redirect', [page(302)]],
  ['a success that is not from this service', [json({}, { status: 200 })]],
  [
    'a lost response, then a rate limit that ends too late',
    [lost(), failure(429, 'rate_limited', { 'retry-after': '7200' })],
  ],
])('after %s, an error says that the call may have changed data', async (_, steps) => {
  expect((await removalError(...steps)).mayHaveChanged).toBe(true)
})

test('a removal succeeds if its response is lost and the retry finds no record', async () => {
  const { options } = player(lost(), failure(404, 'record_not_found'))
  await createClient(options).fish.remove('record-1', REMOVAL)
})

test('a call that reads or that is invalid never changes data', async () => {
  const { options } = player(lost(), lost(), lost())
  const client = createClient(options)
  await expect(client.fish.list()).rejects.toMatchObject({ mayHaveChanged: false })
  await expect(client.fish.remove('', REMOVAL)).rejects.toMatchObject({ mayHaveChanged: false })
})
