import { HEADERS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import type { TestContext } from '../context/context.ts'
import {
  expectError,
  expectErrorBody,
  expectJson,
  expectRequestId,
  expectSame,
  expectStatus,
  expectThat,
} from '../context/expect.ts'
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
  check(
    'error-body-form',
    'Every error body has a sentence under "error", a "code", and the "requestId" of the header.',
    async ({ request }) => {
      for (const path of ['/nowhere', '/get/fish', '/get/crab?name=a', '/post/fish'])
        expectErrorBody(await request(path))
    },
  ),
  check(
    'error-body-shows-nothing-internal',
    'An error body contains no stack trace and no source location.',
    async ({ request }) => {
      const response = await request('/nowhere/%', { headers: { 'content-type': MEDIA_TYPES.json } })
      const { text } = response
      expectThat(!/\bat .+:\d+:\d+|node_modules|"stack"/.test(text), 'no stack trace', 'one', response)
      expectErrorBody(response)
    },
  ),
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
  ...(
    [
      ['not-found-root', '/'],
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
    check(
      id,
      `${method} ${path} is 405 method_not_allowed, with Allow: ${allowed.join(', ')}.`,
      async ({ request }) => {
        const response = await request(path, { method })
        expectError(response, 'method_not_allowed')
        const allow = (response.headers.get('allow') ?? '').split(',').map((name) => name.trim())
        expectSame(allow.filter((name) => name !== 'OPTIONS').sort(), [...allowed].sort(), 'Allow', response)
      },
    ),
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
