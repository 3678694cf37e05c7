import { HEADERS, LIMITS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { GAMEMODE, post } from '../context/catches.ts'
import { canStream, mayBufferBodies, type TestContext } from '../context/context.ts'
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
import { check, checksOf } from './check.ts'
import { expectOrigin } from './routes.ts'

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

const VARIANTS: readonly (readonly [string, string, string])[] = [
  ['path-v1', 'under /v1', '/v1/get/fish'],
  ['path-trailing-slash', 'with a trailing slash', '/get/fish/'],
  ['path-double-slash', 'with doubled slashes', '//get//fish'],
  ['path-percent-encoded', 'with a percent-encoded letter', '/get/%66ish'],
  ['path-all-variants', 'in all spellings at once', '/v1//%67et/fish/'],
]

export const responsesChecks = checksOf('responses', [
  check('form-of-errors', 'Every error has a sentence, a code and the id of the request.', async ({ request }) => {
    for (const path of ['/nowhere', '/get/fish', '/get/crab?name=a', '/post/fish']) expectErrorBody(await request(path))
  }),
  check('form-shows-nothing-internal', 'An error has no stack trace and no source location.', async (t) => {
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
  ...VARIANTS.map(([id, what, path]) =>
    check(id, `A path ${what} is equivalent to the plain path.`, async (t) => {
      const { name } = await t.user()
      const response = await t.request(await readPath(t, path))
      expectSame(expectJson(response).user, name, '"user"', response)
    }),
  ),
])

export const corsChecks = checksOf('cors', [
  check('page-reads-errors', 'A configured origin is allowed on an error, too.', async (t) =>
    expectOrigin(await t.fromOrigin('/nowhere', t.allowedOrigin()), t.allowedOrigin()),
  ),
  check('page-is-no-authentication', 'A configured origin does not authenticate.', async (t) => {
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
])
