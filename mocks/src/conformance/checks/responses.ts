import { HEADERS, LIMITS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { encrypt, expectNothingStored, GAMEMODE, post, SHORT_PAYLOADS } from '../context/catches.ts'
import { canStream, mayBufferBodies, OTHER_ORIGIN, type TestContext } from '../context/context.ts'
import {
  CheckSkipped,
  expectError,
  expectErrorBody,
  expectJson,
  expectRequestId,
  expectSame,
  expectStatus,
  expectThat,
  NoResponse,
} from '../context/expect.ts'
import type { ReceivedResponse } from '../context/response.ts'
import { check, checksOf } from './check.ts'

const VALID_IDS: readonly (readonly [string, string, string])[] = [
  ['request-id-kept-one-character', 'of one character', 'a'],
  ['request-id-kept-all-marks', 'of letters, digits, ".", "_" and "-"', 'A.b_c-9'],
  ['request-id-kept-64-characters', 'of 64 characters', 'x'.repeat(64)],
]

const INVALID_IDS: readonly (readonly [string, string, string])[] = [
  ['request-id-replaced-65-characters', 'of 65 characters', 'x'.repeat(65)],
  ['request-id-replaced-space', 'with a space in it', 'a b'],
  ['request-id-replaced-slash', 'with a slash in it', 'a/b'],
  ['request-id-replaced-markup', 'with markup in it', '<b>'],
  ['request-id-replaced-comma', 'with a comma in it', 'a,b'],
  ['request-id-replaced-empty', 'that is empty', ''],
]

const WITH_ID: readonly (readonly [string, string, string])[] = [
  ['request-id-on-success', 'a success', '/status'],
  ['request-id-on-error', 'an error', '/nowhere'],
  ['request-id-on-admin', 'an admin endpoint', '/admin/users'],
  ['request-id-on-probe', 'a probe', '/livez'],
]

const readPath = async (t: TestContext, path = '/get/fish') => `${path}?name=${(await t.user()).name}&gamemode=earth`

const WRONG_METHODS: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['method-status', '/status', 'DELETE', ['GET', 'HEAD']],
  ['method-read', '/get/fish', 'POST', ['GET', 'HEAD']],
  ['method-demo', '/demo/crab', 'PUT', ['GET', 'HEAD']],
  ['method-write', '/post/fish', 'GET', ['POST']],
  ['method-write-versioned', '/v1/post/crab', 'PUT', ['POST']],
  ['method-key', '/get/user/key', 'PATCH', ['GET', 'HEAD']],
  ['method-login', '/admin/login', 'GET', ['POST']],
  ['method-users', '/admin/users', 'DELETE', ['GET', 'HEAD', 'POST']],
  ['method-probe', '/livez', 'POST', ['GET', 'HEAD']],
]

const HEADS: readonly (readonly [string, string])[] = [
  ['head-status', '/status'],
  ['head-demo', '/demo/fish'],
  ['head-read', '/get/fish'],
  ['head-livez', '/livez'],
  ['head-openapi', '/openapi.json'],
  ['head-unknown', '/nowhere'],
]

const VARIANTS: readonly (readonly [string, string, string])[] = [
  ['path-v1', 'under /v1', '/v1/get/fish'],
  ['path-trailing-slash', 'with a trailing slash', '/get/fish/'],
  ['path-double-slash', 'with doubled slashes', '//get//fish'],
  ['path-percent-encoded', 'with a percent-encoded letter', '/get/%66ish'],
  ['path-all-variants', 'in all spellings at once', '/v1//%67et/fish/'],
]

export const responsesChecks = checksOf('responses', [
  check('error-body-form', 'Every error has a sentence, a code and the id of the request.', async ({ request }) => {
    for (const path of ['/nowhere', '/get/fish', '/get/crab?name=a', '/post/fish']) expectErrorBody(await request(path))
  }),
  check('error-body-shows-nothing-internal', 'An error has no stack trace and no source location.', async (t) => {
    const response = await t.request('/nowhere/%', { headers: { 'content-type': MEDIA_TYPES.json } })
    const { text } = response
    expectThat(!/\bat .+:\d+:\d+|node_modules|"stack"/.test(text), 'no stack trace', 'one', response)
    expectErrorBody(response)
  }),
  ...WITH_ID.map(([id, what, path]) =>
    check(id, `The response of ${what} has a header x-request-id.`, async ({ request }) =>
      expectRequestId(await request(path)),
    ),
  ),
  ...VALID_IDS.map(([id, what, own]) =>
    check(id, `A client's own request id ${what} is returned.`, async ({ request }) => {
      const response = await request('/nowhere', { headers: { [HEADERS.requestId]: own } })
      expectSame(expectRequestId(response), own, 'the request id', response)
      expectSame(expectErrorBody(response).requestId, own, '"requestId" in the body', response)
    }),
  ),
  ...INVALID_IDS.map(([id, what, own]) =>
    check(id, `A client's own request id ${what} is replaced.`, async ({ request }) => {
      const response = await request('/nowhere', { headers: { [HEADERS.requestId]: own } })
      const used = expectRequestId(response)
      expectThat(used !== own, 'another request id than the one that was sent', used, response)
    }),
  ),
  check('request-ids-differ', 'Every request gets its own request id.', async ({ request }) => {
    const responses = await Promise.all([1, 2, 3, 4].map(() => request('/status')))
    expectSame(new Set(responses.map(expectRequestId)).size, 4, 'the number of different request ids')
  }),
  check('not-found-or-page-at-root', 'GET / is 404 not_found, or a page for people.', async ({ request }) => {
    const response = await request('/')
    const type = response.headers.get('content-type') ?? 'none'
    if (response.status !== 200) expectError(response, 'not_found')
    else expectThat(type.startsWith('text/html'), 'an HTML page', type, response)
  }),
  ...(
    [
      ['not-found-unknown', '/nope'],
      ['not-found-above-a-path', '/get'],
      ['not-found-below-a-path', '/get/fish/x'],
      ['not-found-version-2', '/v2/status'],
      ['not-found-version-twice', '/v1/v1/status'],
    ] as const
  ).map(([id, path]) =>
    check(id, `An unknown path, ${path}, is 404 not_found.`, async ({ request }) =>
      expectError(await request(path), 'not_found'),
    ),
  ),
  ...WRONG_METHODS.map(([id, path, method, allowed]) =>
    check(id, `${method} ${path} is 405, with Allow: ${allowed.join(', ')}.`, async ({ request }) => {
      const response = await request(path, { method })
      expectError(response, 'method_not_allowed')
      const allow = (response.headers.get('allow') ?? '').split(',').map((name) => name.trim())
      expectSame(allow.filter((name) => name !== 'OPTIONS').sort(), [...allowed].sort(), 'Allow', response)
    }),
  ),
  ...HEADS.map(([id, path]) =>
    check(id, `HEAD ${path} responds as GET does, without a body.`, async (t) => {
      const full = path === '/get/fish' ? await readPath(t) : path
      const get = await t.request(full)
      const head = await t.request(full, { method: 'HEAD' })
      expectStatus(head, get.status)
      const type = 'content-type'
      expectSame(head.headers.get(type), get.headers.get(type), `the ${type}`, head)
      expectThat(head.bytes.length === 0, 'no body', `${head.bytes.length} bytes`, head)
    }),
  ),
  ...VARIANTS.map(([id, what, path]) =>
    check(id, `A path ${what} is equivalent to the plain path.`, async (t) => {
      const { name } = await t.user()
      const response = await t.request(await readPath(t, path))
      expectSame(expectJson(response).user, name, '"user"', response)
    }),
  ),
  ...(
    [
      ['v1-status', '/v1/status'],
      ['v1-demo', '/v1/demo/crab'],
      ['v1-probe', '/v1/livez'],
      ['v1-openapi', '/v1/openapi.json'],
    ] as const
  ).map(([id, path]) =>
    check(id, `${path} is equivalent to the unprefixed path.`, async ({ request }) =>
      expectStatus(await request(path), 200),
    ),
  ),
  check('v1-admin', '/v1/admin/me is equivalent to the unprefixed path.', async ({ send, superadmin }) => {
    const { token, username } = await superadmin()
    const response = await send('/v1/admin/me', { headers: { authorization: `Bearer ${token}` } })
    expectSame(expectJson(response).username, username, '"username"', response)
  }),
])

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
  check('cors-exposes-headers', 'Pages of any origin can read the rate-limit headers and request id.', async (t) => {
    const { rateLimit, rateRemaining, rateReset, requestId } = HEADERS
    const response = await t.fromOrigin('/status', OTHER_ORIGIN)
    expectListed(response, 'access-control-expose-headers', [rateLimit, rateRemaining, rateReset, requestId])
  }),
  check('cors-preflight-read', 'The preflight of a read allows any origin.', async (t) => {
    const response = await t.preflight('/get/fish', OTHER_ORIGIN, 'GET')
    expectStatus(response, 200, 204)
    expectOrigin(response, '*')
    expectListed(response, 'access-control-allow-methods', ['GET'])
    expectListed(response, 'access-control-allow-headers', [HEADERS.apiKey])
  }),
  check('cors-write-other-origin', 'The response to a write cannot be read from other origins.', async (t) =>
    expectOrigin(await t.fromOrigin('/post/fish', OTHER_ORIGIN, 'POST'), null),
  ),
  check('cors-preflight-write-other-origin', 'The preflight of a write allows configured origins only.', async (t) => {
    const response = await t.preflight('/post/fish', OTHER_ORIGIN, 'POST')
    expectStatus(response, 200, 204)
    expectOrigin(response, null)
  }),
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
  check('cors-allowed-origin-preflight-write', 'A configured origin may send writes with all headers.', async (t) => {
    const origin = t.allowedOrigin()
    const response = await t.preflight('/post/crab', origin, 'POST')
    expectStatus(response, 200, 204)
    expectOrigin(response, origin)
    expectListed(response, 'access-control-allow-methods', ['POST'])
    expectListed(response, 'access-control-allow-headers', ['content-type', HEADERS.apiKey, HEADERS.gamemode])
  }),
  check('cors-look-alike-origin', 'An origin that only starts like a configured one is not allowed.', async (t) =>
    expectOrigin(await t.fromOrigin('/post/fish', `${t.allowedOrigin()}.evil.example`, 'POST'), null),
  ),
  check('cors-origin-is-no-authentication', 'A configured origin does not authenticate.', async (t) => {
    const { name } = await t.user()
    expectStatus(await t.fromOrigin(`/get/user/key?name=${name}`, t.allowedOrigin()), 401)
    expectStatus(await t.fromOrigin('/admin/users', t.allowedOrigin()), 401)
  }),
])

const CHUNK_BYTES = 64 * 1024
const ENDLESS_MS = 3000

/** A body that exceeds the limit and is streamed until `end` is called. */
function endlessBody() {
  let sent = 0
  const ended = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent <= LIMITS.bodyBytes + CHUNK_BYTES) {
        sent += CHUNK_BYTES
        controller.enqueue(new Uint8Array(CHUNK_BYTES).fill(0x41))
        return
      }
      await ended.promise
      controller.error(new Error('The upload was cancelled.'))
    },
    cancel: () => ended.resolve(),
  })
  return { body, end: ended.resolve }
}

export const bodiesChecks = checksOf('bodies', [
  check('body-of-256-kib', 'A body of exactly 256 KiB is read and validated.', async (t) =>
    expectError(await post(t, 'fish', 'A'.repeat(LIMITS.bodyBytes)), 'invalid_token'),
  ),
  check('body-over-256-kib', 'A body of 256 KiB and one byte is 413 payload_too_large.', async (t) => {
    for (const kind of ['fish', 'crab'] as const)
      expectError(await post(t, kind, 'A'.repeat(LIMITS.bodyBytes + 1)), 'payload_too_large')
  }),
  check('body-over-256-kib-login', 'A login of more than 256 KiB is 413 payload_too_large.', async ({ send }) => {
    const headers = { 'content-type': MEDIA_TYPES.json }
    const body = ' '.repeat(LIMITS.bodyBytes + 1)
    expectError(await send('/admin/login', { method: 'POST', headers, body }), 'payload_too_large')
  }),
  check('body-refused-while-streaming', 'A body that is too large is refused before its end.', async (t) => {
    if (!canStream()) throw new CheckSkipped('this platform cannot stream the body of a request')
    const { name } = await t.user()
    const { body, end } = endlessBody()
    const headers = { 'content-type': MEDIA_TYPES.token, [HEADERS.gamemode]: GAMEMODE }
    try {
      const init = { method: 'POST', headers, body, timeoutMs: ENDLESS_MS }
      const response = await t.request(`/post/fish?name=${name}`, init).catch((error: unknown) => {
        if (!(error instanceof NoResponse && mayBufferBodies())) throw error
        throw new CheckSkipped('no response, and this platform may buffer a streamed body until its end')
      })
      expectError(response, 'payload_too_large')
    } finally {
      end()
    }
  }),
  ...['gzip', 'br', 'x-unknown'].map((coding) =>
    check(`body-content-encoding-${coding}`, `A body with Content-Encoding: ${coding} is 415.`, async (t) =>
      expectNothingStored(t, async () => {
        const headers = { 'content-encoding': coding }
        const response = await post(t, 'fish', await encrypt(t, SHORT_PAYLOADS.fish), { headers })
        expectError(response, 'unsupported_media_type')
      }),
    ),
  ),
  ...['application/json', 'text/plain'].map((type) =>
    check(`body-of-type-${type.replace('/', '-')}`, `A write of type ${type} is 415.`, async (t) =>
      expectNothingStored(t, async () => {
        const headers = { 'content-type': type }
        const response = await post(t, 'crab', await encrypt(t, SHORT_PAYLOADS.crab), { headers })
        expectError(response, 'unsupported_media_type')
      }),
    ),
  ),
])
