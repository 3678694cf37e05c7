import { HEADERS } from '@fish-crab/sdk/contract'
import type { TestContext } from '../context/context.ts'
import { expectSame, expectStatus, expectThat } from '../context/expect.ts'
import type { ReceivedResponse } from '../context/response.ts'
import { check, checksOf } from './check.ts'

const OTHER = 'https://conformance.example'
const ALLOW_ORIGIN = 'access-control-allow-origin'
const REQUEST_METHOD = 'access-control-request-method'

function listHeader({ headers }: ReceivedResponse, name: string): string[] {
  return (headers.get(name) ?? '').split(',').map((part) => part.trim().toLowerCase())
}

function expectListed(response: ReceivedResponse, name: string, wanted: readonly string[]): void {
  const listed = listHeader(response, name)
  for (const one of wanted) {
    expectThat(
      listed.includes(one.toLowerCase()),
      `${name} with ${one}`,
      response.headers.get(name) ?? 'none',
      response,
    )
  }
}

function expectOrigin(response: ReceivedResponse, origin: string | null): void {
  const allowed = response.headers.get(ALLOW_ORIGIN)
  expectThat(allowed === origin, `${ALLOW_ORIGIN}: ${origin ?? 'none'}`, allowed ?? 'none', response)
}

function fromOrigin(
  { request, needHeader }: TestContext,
  path: string,
  origin: string,
  method = 'GET',
): Promise<ReceivedResponse> {
  needHeader('origin')
  return request(path, { method, headers: { origin } })
}

function preflight(
  { send, needHeader }: TestContext,
  path: string,
  origin: string,
  method: string,
): Promise<ReceivedResponse> {
  needHeader(REQUEST_METHOD)
  return send(path, { method: 'OPTIONS', headers: { origin, [REQUEST_METHOD]: method } })
}

const READS: readonly (readonly [string, string])[] = [
  ['cors-status', '/status'],
  ['cors-demo-fish', '/demo/fish'],
  ['cors-demo-crab', '/demo/crab'],
  ['cors-get-fish', '/get/fish?name=nobody&gamemode=earth'],
  ['cors-get-crab', '/get/crab'],
]

/** CORS. */
export const corsChecks = checksOf('cors', [
  ...READS.map(([id, path]) =>
    check(id, `GET ${path} can be read from any origin, without credentials.`, async (t) => {
      const response = await fromOrigin(t, path, OTHER)
      expectOrigin(response, '*')
      const credentials = 'access-control-allow-credentials'
      expectThat(!response.headers.has(credentials), `no ${credentials}`, 'one', response)
    }),
  ),
  check(
    'cors-exposes-headers',
    'Pages of any origin can read the rate-limit headers and the request id.',
    async (t) => {
      const { rateLimit, rateRemaining, rateReset, requestId } = HEADERS
      const response = await fromOrigin(t, '/status', OTHER)
      expectListed(response, 'access-control-expose-headers', [rateLimit, rateRemaining, rateReset, requestId])
    },
  ),
  check('cors-preflight-read', 'The preflight of a read allows any origin.', async (t) => {
    const response = await preflight(t, '/get/fish', OTHER, 'GET')
    expectStatus(response, 200, 204)
    expectOrigin(response, '*')
    expectListed(response, 'access-control-allow-methods', ['GET'])
    expectListed(response, 'access-control-allow-headers', [HEADERS.apiKey])
  }),
  check(
    'cors-write-other-origin',
    'The response to a write cannot be read from origins that are not configured.',
    async (t) => expectOrigin(await fromOrigin(t, '/post/fish', OTHER, 'POST'), null),
  ),
  check(
    'cors-preflight-write-other-origin',
    'The preflight of a write does not allow origins that are not configured.',
    async (t) => {
      const response = await preflight(t, '/post/fish', OTHER, 'POST')
      expectStatus(response, 200, 204)
      expectOrigin(response, null)
    },
  ),
  ...(
    [
      ['cors-allowed-origin-read', 'GET', '/status'],
      ['cors-allowed-origin-error', 'GET', '/nowhere'],
      ['cors-allowed-origin-write', 'POST', '/post/fish'],
      ['cors-allowed-origin-key', 'GET', '/get/user/key'],
    ] as const
  ).map(([id, method, path]) =>
    check(id, `A configured origin is allowed exactly on ${method} ${path}, with Vary: Origin.`, async (t) => {
      const origin = t.allowedOrigin()
      const response = await fromOrigin(t, path, origin, method)
      expectOrigin(response, origin)
      expectListed(response, 'vary', ['origin'])
    }),
  ),
  check(
    'cors-allowed-origin-preflight-write',
    'The preflight of a write allows the headers of the API for a configured origin.',
    async (t) => {
      const origin = t.allowedOrigin()
      const response = await preflight(t, '/post/crab', origin, 'POST')
      expectStatus(response, 200, 204)
      expectOrigin(response, origin)
      expectListed(response, 'access-control-allow-methods', ['POST'])
      expectListed(response, 'access-control-allow-headers', ['content-type', HEADERS.apiKey, HEADERS.gamemode])
    },
  ),
  check('cors-look-alike-origin', 'An origin that only starts like a configured one is not allowed.', async (t) =>
    expectOrigin(await fromOrigin(t, '/post/fish', `${t.allowedOrigin()}.evil.example`, 'POST'), null),
  ),
  check('cors-origin-is-no-authentication', 'A configured origin does not authenticate.', async (t) => {
    const { name } = await t.user()
    expectStatus(await fromOrigin(t, `/get/user/key?name=${name}`, t.allowedOrigin()), 401)
    expectSame((await fromOrigin(t, '/admin/users', t.allowedOrigin())).status, 401, 'the status of /admin/users')
  }),
])
