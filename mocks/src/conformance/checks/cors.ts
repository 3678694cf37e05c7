import { HEADERS } from '@fish-crab/sdk/contract'
import type { Answer } from '../context/answer.ts'
import type { World } from '../context/context.ts'
import { expectStatus } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const OTHER = 'https://conformance.example'
const ALLOW_ORIGIN = 'access-control-allow-origin'
const REQUEST_METHOD = 'access-control-request-method'

function listHeader({ headers }: Answer, name: string): string[] {
  return (headers.get(name) ?? '').split(',').map((part) => part.trim().toLowerCase())
}

function expectListed(answer: Answer, name: string, wanted: readonly string[]): void {
  const listed = listHeader(answer, name)
  for (const one of wanted) {
    expectThat(listed.includes(one.toLowerCase()), `${name} with ${one}`, answer.headers.get(name) ?? 'none', answer)
  }
}

function expectOrigin(answer: Answer, origin: string | null): void {
  const allowed = answer.headers.get(ALLOW_ORIGIN)
  expectThat(allowed === origin, `${ALLOW_ORIGIN}: ${origin ?? 'none'}`, allowed ?? 'none', answer)
}

function fromOrigin({ request, needHeader }: World, path: string, origin: string, method = 'GET'): Promise<Answer> {
  needHeader('origin')
  return request(path, { method, headers: { origin } })
}

function preflight({ send, needHeader }: World, path: string, origin: string, method: string): Promise<Answer> {
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

const rows: readonly CheckRow[] = [
  ...READS.map(
    ([id, path]): CheckRow => [
      id,
      `GET ${path} may be read from any origin, without credentials.`,
      async (world) => {
        const answer = await fromOrigin(world, path, OTHER)
        expectOrigin(answer, '*')
        const credentials = 'access-control-allow-credentials'
        expectThat(!answer.headers.has(credentials), `no ${credentials}`, 'one', answer)
      },
    ],
  ),
  [
    'cors-exposes-headers',
    'Pages of any origin may see the rate-limit headers and the request id.',
    async (world) => {
      const { rateLimit, rateRemaining, rateReset, requestId } = HEADERS
      const answer = await fromOrigin(world, '/status', OTHER)
      expectListed(answer, 'access-control-expose-headers', [rateLimit, rateRemaining, rateReset, requestId])
    },
  ],
  [
    'cors-preflight-read',
    'The preflight of a read is answered, and allows any origin.',
    async (world) => {
      const answer = await preflight(world, '/get/fish', OTHER, 'GET')
      expectStatus(answer, 200, 204)
      expectOrigin(answer, '*')
      expectListed(answer, 'access-control-allow-methods', ['GET'])
      expectListed(answer, 'access-control-allow-headers', [HEADERS.apiKey])
    },
  ],
  [
    'cors-write-other-origin',
    'The answer to a write is not open to origins that are not configured.',
    async (world) => expectOrigin(await fromOrigin(world, '/post/fish', OTHER, 'POST'), null),
  ],
  [
    'cors-preflight-write-other-origin',
    'The preflight of a write allows nothing to an origin that is not configured.',
    async (world) => {
      const answer = await preflight(world, '/post/fish', OTHER, 'POST')
      expectStatus(answer, 200, 204)
      expectOrigin(answer, null)
    },
  ],
  ...(
    [
      ['cors-allowed-origin-read', 'GET', '/status'],
      ['cors-allowed-origin-error', 'GET', '/nowhere'],
      ['cors-allowed-origin-write', 'POST', '/post/fish'],
      ['cors-allowed-origin-key', 'GET', '/get/user/key'],
    ] as const
  ).map(
    ([id, method, path]): CheckRow => [
      id,
      `A configured origin is named exactly on ${method} ${path}, with Vary: Origin.`,
      async (world) => {
        const origin = world.allowedOrigin()
        const answer = await fromOrigin(world, path, origin, method)
        expectOrigin(answer, origin)
        expectListed(answer, 'vary', ['origin'])
      },
    ],
  ),
  [
    'cors-allowed-origin-preflight-write',
    'The preflight of a write allows a configured origin the headers of the interface.',
    async (world) => {
      const origin = world.allowedOrigin()
      const answer = await preflight(world, '/post/crab', origin, 'POST')
      expectStatus(answer, 200, 204)
      expectOrigin(answer, origin)
      expectListed(answer, 'access-control-allow-methods', ['POST'])
      expectListed(answer, 'access-control-allow-headers', ['content-type', HEADERS.apiKey, HEADERS.gamemode])
    },
  ],
  [
    'cors-look-alike-origin',
    'An origin that only begins like a configured one is not named.',
    async (world) =>
      expectOrigin(await fromOrigin(world, '/post/fish', `${world.allowedOrigin()}.evil.example`, 'POST'), null),
  ],
  [
    'cors-origin-is-no-authentication',
    'A configured origin does not stand for authentication.',
    async (world) => {
      const { name } = await world.user()
      expectStatus(await fromOrigin(world, `/get/user/key?name=${name}`, world.allowedOrigin()), 401)
      expectSame(
        (await fromOrigin(world, '/admin/users', world.allowedOrigin())).status,
        401,
        'the status of /admin/users',
      )
    },
  ],
]

/** Requests of pages of other origins. */
export const corsChecks = checksOf('cors', rows)
