import type { World } from '../context/context.ts'
import { expectError, expectJson, expectStatus } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const readPath = async (world: World, path = '/get/fish') => `${path}?name=${(await world.user()).name}&gamemode=earth`

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

const rows: readonly CheckRow[] = [
  ...WRONG_METHODS.map(
    ([id, path, method, allowed]): CheckRow => [
      id,
      `${method} ${path} is 405 method_not_allowed, with Allow: ${allowed.join(', ')}.`,
      async ({ request }) => {
        const answer = await request(path, { method })
        expectError(answer, 'method_not_allowed')
        const allow = (answer.headers.get('allow') ?? '').split(',').map((name) => name.trim())
        expectSame(allow.filter((name) => name !== 'OPTIONS').sort(), [...allowed].sort(), 'Allow', answer)
      },
    ],
  ),
  ...HEADS.map(
    ([id, path]): CheckRow => [
      id,
      `HEAD ${path} answers as GET does, without a body.`,
      async (world) => {
        const full = path === '/get/fish' ? await readPath(world) : path
        const get = await world.request(full)
        const head = await world.request(full, { method: 'HEAD' })
        expectStatus(head, get.status)
        const type = 'content-type'
        expectSame(head.headers.get(type), get.headers.get(type), `the ${type}`, head)
        expectThat(head.bytes.length === 0, 'no body', `${head.bytes.length} bytes`, head)
      },
    ],
  ),
  ...VARIANTS.map(
    ([id, what, path]): CheckRow => [
      id,
      `A path ${what} is the plain path.`,
      async (world) => {
        const { name } = await world.user()
        const answer = await world.request(await readPath(world, path))
        expectSame(expectJson(answer).user, name, '"user"', answer)
      },
    ],
  ),
  ...(
    [
      ['v1-status', '/v1/status'],
      ['v1-demo', '/v1/demo/crab'],
      ['v1-probe', '/v1/livez'],
      ['v1-openapi', '/v1/openapi.json'],
    ] as const
  ).map(
    ([id, path]): CheckRow => [
      id,
      `${path} is served as well: the unprefixed form is version 1.`,
      async ({ request }) => expectStatus(await request(path), 200),
    ],
  ),
  [
    'v1-admin',
    '/v1/admin/me is served as well.',
    async ({ send, superadmin }) => {
      const { token, username } = await superadmin()
      const answer = await send('/v1/admin/me', { headers: { authorization: `Bearer ${token}` } })
      expectSame(expectJson(answer).username, username, '"username"', answer)
    },
  ],
]

/** Paths, their spellings and their methods. */
export const pathsChecks = checksOf('answers', rows)
