import { HEADERS } from '@fish-crab/sdk/contract'
import { OTHER_ORIGIN } from '../context/context.ts'
import { expectStatus, expectThat } from '../context/expect.ts'
import type { ReceivedResponse } from '../context/response.ts'
import { check, checksOf } from './check.ts'

const ALLOW_ORIGIN = 'access-control-allow-origin'

function expectListed(response: ReceivedResponse, name: string, wanted: readonly string[]): void {
  const value = response.headers.get(name) ?? 'none'
  const listed = value.toLowerCase().split(/\s*,\s*/)
  for (const one of wanted) expectThat(listed.includes(one.toLowerCase()), `${name} with ${one}`, value, response)
}

function expectOrigin(response: ReceivedResponse, origin: string | null): void {
  const allowed = response.headers.get(ALLOW_ORIGIN)
  expectThat(allowed === origin, `${ALLOW_ORIGIN}: ${origin ?? 'none'}`, allowed ?? 'none', response)
}

const READS: readonly (readonly [string, string])[] = [
  ['cors-status', '/status'],
  ['cors-demo-fish', '/demo/fish'],
  ['cors-demo-crab', '/demo/crab'],
  ['cors-get-fish', '/get/fish?name=nobody&gamemode=earth'],
  ['cors-get-crab', '/get/crab'],
]

export const corsChecks = checksOf('cors', [
  ...READS.map(([id, path]) =>
    check(id, `GET ${path} can be read from any origin, without credentials.`, async (t) => {
      const response = await t.fromOrigin(path, OTHER_ORIGIN)
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
      const response = await t.fromOrigin('/status', OTHER_ORIGIN)
      expectListed(response, 'access-control-expose-headers', [rateLimit, rateRemaining, rateReset, requestId])
    },
  ),
  check('cors-preflight-read', 'The preflight of a read allows any origin.', async (t) => {
    const response = await t.preflight('/get/fish', OTHER_ORIGIN, 'GET')
    expectStatus(response, 200, 204)
    expectOrigin(response, '*')
    expectListed(response, 'access-control-allow-methods', ['GET'])
    expectListed(response, 'access-control-allow-headers', [HEADERS.apiKey])
  }),
  check(
    'cors-write-other-origin',
    'The response to a write cannot be read from origins that are not configured.',
    async (t) => expectOrigin(await t.fromOrigin('/post/fish', OTHER_ORIGIN, 'POST'), null),
  ),
  check(
    'cors-preflight-write-other-origin',
    'The preflight of a write does not allow origins that are not configured.',
    async (t) => {
      const response = await t.preflight('/post/fish', OTHER_ORIGIN, 'POST')
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
      const response = await t.fromOrigin(path, origin, method)
      expectOrigin(response, origin)
      expectListed(response, 'vary', ['origin'])
    }),
  ),
  check(
    'cors-allowed-origin-preflight-write',
    'The preflight of a write allows the headers of the API for a configured origin.',
    async (t) => {
      const origin = t.allowedOrigin()
      const response = await t.preflight('/post/crab', origin, 'POST')
      expectStatus(response, 200, 204)
      expectOrigin(response, origin)
      expectListed(response, 'access-control-allow-methods', ['POST'])
      expectListed(response, 'access-control-allow-headers', ['content-type', HEADERS.apiKey, HEADERS.gamemode])
    },
  ),
  check('cors-look-alike-origin', 'An origin that only starts like a configured one is not allowed.', async (t) =>
    expectOrigin(await t.fromOrigin('/post/fish', `${t.allowedOrigin()}.evil.example`, 'POST'), null),
  ),
  check('cors-origin-is-no-authentication', 'A configured origin does not authenticate.', async (t) => {
    const { name } = await t.user()
    expectStatus(await t.fromOrigin(`/get/user/key?name=${name}`, t.allowedOrigin()), 401)
    expectStatus(await t.fromOrigin('/admin/users', t.allowedOrigin()), 401)
  }),
])
