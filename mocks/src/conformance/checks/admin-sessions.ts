import { HEADERS, LIMITS, MEDIA_TYPES, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import { type AdminRequest, login, sendAs } from '../context/accounts.ts'
import { numberHeader } from '../context/anonymous.ts'
import type { TestContext } from '../context/context.ts'
import {
  CheckSkipped,
  expectDetails,
  expectError,
  expectJson,
  expectMoment,
  expectSame,
  expectStatus,
  expectText,
  expectThat,
} from '../context/expect.ts'
import type { ReceivedResponse } from '../context/response.ts'
import { sendMany } from '../context/send.ts'
import { type CheckRow, checksOf } from './check.ts'

const SLACK_MS = 60_000

/** Decodes a part of a JWT. */
function partOf(token: string, index: number): Readonly<Record<string, unknown>> {
  const part = (token.split('.')[index] ?? '').replaceAll('-', '+').replaceAll('_', '/')
  try {
    return JSON.parse(atob(part)) as Record<string, unknown>
  } catch {
    return {}
  }
}

function encoded(value: unknown): string {
  return btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function me(context: TestContext, authorization?: string): Promise<ReceivedResponse> {
  return context.send('/admin/me', authorization === undefined ? {} : { headers: { authorization } })
}

type Forge = (token: string) => string | undefined

const FORGED: readonly (readonly [string, string, Forge])[] = [
  ['missing', 'no token at all', () => undefined],
  ['garbage', 'a token that is none', () => 'Bearer nonsense'],
  ['unsigned', 'a token without a signature', (token) => `Bearer ${token.split('.').slice(0, 2).join('.')}.`],
  [
    'alg-none',
    'a token with "alg": "none"',
    (token) => `Bearer ${encoded({ alg: 'none', typ: 'JWT' })}.${token.split('.')[1]}.`,
  ],
  [
    'tampered',
    'a token with changed content',
    (token) => {
      const [header, , signature] = token.split('.')
      return `Bearer ${header}.${encoded({ ...partOf(token, 1), exp: 4_000_000_000 })}.${signature}`
    },
  ],
  ['basic', 'a token as HTTP Basic', (token) => `Basic ${btoa(`x:${token}`)}`],
]

/** Logins and sessions. */
export const adminSessionChecks = checksOf('admin', [
  [
    'login-token',
    'A login returns a JWT signed with HS256 that expires in one hour.',
    async (context) => {
      const { username, password } = await context.superadmin()
      const response = await login(context.send, { username, password })
      const { token, expiresAt } = expectJson(response)
      const jwt = expectText(token, '"token"', response)
      context.redact(jwt)
      expectSame(partOf(jwt, 0).alg, 'HS256', 'the algorithm of the JWT', response)
      const { exp } = partOf(jwt, 1)
      expectThat(typeof exp === 'number', 'an "exp" in the JWT', exp, response)
      const end = expectMoment(expiresAt, '"expiresAt"', response)
      expectThat(Math.abs(end - exp * 1000) < SLACK_MS, '"expiresAt" to be the "exp" of the JWT', expiresAt, response)
      const timestamp = expectMoment(expectJson(await context.request('/status')).timestamp, '"timestamp"')
      const hour = LIMITS.sessionSeconds * 1000
      expectThat(Math.abs(end - timestamp - hour) < SLACK_MS, '"expiresAt" an hour from now', expiresAt, response)
    },
  ],
  [
    'login-malformed',
    'A login without a username or a password is 400 invalid_payload with details.',
    async ({ send }) => {
      for (const body of [{}, { username: 'x' }, { username: 1, password: 'x' }, []]) {
        expectDetails(await login(send, body), 'invalid_payload')
      }
    },
  ],
  [
    'login-no-json',
    'A login that is not JSON is 400 invalid_payload.',
    async ({ send }) => {
      const headers = { 'content-type': MEDIA_TYPES.json }
      expectError(await send('/admin/login', { method: 'POST', headers, body: '{"username":' }), 'invalid_payload')
    },
  ],
  [
    'admin-me',
    'GET /admin/me returns the username and the role.',
    async (context) => {
      const { username, token } = await context.superadmin()
      const response = await me(context, `Bearer ${token}`)
      const body = expectJson(response)
      expectSame([body.username, body.role], [username, 'superadmin'], 'name and role', response)
      expectThat(!/password|hash/i.test(response.text), 'nothing of a password', 'something', response)
    },
  ],
  ...FORGED.map(
    ([id, what, forge]): CheckRow => [
      `session-refused-${id}`,
      `An admin endpoint responds 401 to ${what}.`,
      async (context) => {
        const authorization = forge((await context.admin()).token)
        expectError(await me(context, authorization), 'invalid_session')
      },
    ],
  ),
  [
    'session-ends-with-administrator',
    'The session of a deleted administrator is 401 immediately.',
    async (context) => {
      const { token: root } = await context.superadmin()
      const { username, token } = await context.accounts.newAdmin(root, 'admin')
      expectJson(await me(context, `Bearer ${token}`))
      const deleted = await context.asSuperadmin('deleteAdmin', { params: { username } })
      expectSame(deleted.status, 204, 'the status', deleted)
      expectError(await me(context, `Bearer ${token}`), 'invalid_session')
    },
  ],
])

/** Nothing has these names, so an implementation that accepts the request does no harm. */
const NOBODY = 'conformance-nobody'

const FOR_SUPERADMINS: readonly (readonly [string, RouteName, AdminRequest])[] = [
  ['role-delete-user', 'deleteUser', { params: { name: NOBODY } }],
  ['role-list-admins', 'listAdmins', {}],
  ['role-delete-admin', 'deleteAdmin', { params: { username: NOBODY } }],
]

const FOR_ADMINS: readonly (readonly [string, RouteName, string])[] = [
  ['role-admin-lists-users', 'listUsers', `?search=${NOBODY}`],
  ['role-admin-reads-stats', 'stats', ''],
  ['role-admin-reads-audit', 'audit', '?limit=1'],
  ['role-admin-reads-leaderboard', 'leaderboard', '?type=fish&limit=1'],
]

const SUPERADMIN_ONLY: readonly (readonly [string, RouteName, Readonly<Record<string, string>>])[] = [
  ['locked-users', 'listUsers', {}],
  ['locked-create-user', 'createUser', {}],
  ['locked-user', 'showUser', { name: NOBODY }],
  ['locked-delete-user', 'deleteUser', { name: NOBODY }],
  ['locked-reset', 'resetUser', { name: NOBODY }],
  ['locked-user-fish', 'listUserFish', { name: NOBODY }],
  ['locked-add-crab', 'addUserCrab', { name: NOBODY }],
  ['locked-delete-fish', 'deleteUserFish', { name: NOBODY, id: 'x' }],
  ['locked-admins', 'listAdmins', {}],
  ['locked-create-admin', 'createAdmin', {}],
  ['locked-stats', 'stats', {}],
  ['locked-leaderboard', 'leaderboard', {}],
  ['locked-audit', 'audit', {}],
]

async function asAdmin(context: TestContext, route: RouteName, request: AdminRequest = {}) {
  return sendAs(context.send, (await context.admin()).token, route, ROUTES[route].method, request)
}

/** Roles. */
export const adminRolesChecks = checksOf('admin', [
  ...SUPERADMIN_ONLY.map(
    ([id, route, params]): CheckRow => [
      id,
      `${ROUTES[route].method} ${ROUTES[route].path} is 401 without a session.`,
      async ({ send }) => {
        const { method, path } = ROUTES[route]
        const filled = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')
        expectError(await send(filled, { method }), 'invalid_session')
      },
    ],
  ),
  ...FOR_SUPERADMINS.map(
    ([id, route, request]): CheckRow => [
      id,
      `${ROUTES[route].method} ${ROUTES[route].path} is 403 forbidden for the role admin.`,
      async (context) => void expectError(await asAdmin(context, route, request), 'forbidden'),
    ],
  ),
  [
    'role-create-admin',
    'POST /admin/admins is 403 forbidden for the role admin.',
    async (context) => {
      const { token } = await context.admin()
      const body = { username: context.accounts.newName(), password: 'a-password-of-nobody', role: 'superadmin' }
      expectError(await context.accounts.createAdmin(token, body), 'forbidden')
    },
  ],
  ...FOR_ADMINS.map(
    ([id, route, query]): CheckRow => [
      id,
      `GET ${ROUTES[route].path} is open to the role admin.`,
      async (context) => expectStatus(await asAdmin(context, route, { query }), 200),
    ],
  ),
  [
    'admins-create-list-remove',
    'A superadmin creates an administrator, lists it without secrets, and deletes it.',
    async (context) => {
      const { token } = await context.superadmin()
      const { username } = await context.accounts.newAdmin(token, 'admin')
      const names = async () => {
        const response = await context.asSuperadmin('listAdmins')
        const { admins } = expectJson(response)
        expectThat(Array.isArray(admins), 'an array under "admins"', typeof admins, response)
        expectThat(!/password|hash/i.test(response.text), 'nothing of a password', 'something', response)
        return (admins as { username: string; role: string }[]).filter((admin) => admin.username === username)
      }
      expectSame(
        (await names()).map(({ role }) => role),
        ['admin'],
        'the roles of the listed administrator',
      )
      expectStatus(await context.asSuperadmin('deleteAdmin', { params: { username } }), 204)
      expectSame((await names()).length, 0, 'the number of listed administrators of that name')
    },
  ],
  [
    'admins-name-is-unique',
    'A new administrator with an existing name is 409.',
    async (context) => {
      const { token, username } = await context.superadmin()
      expectStatus(await context.accounts.createAdmin(token, { username, password: 'another-password' }), 409)
    },
  ],
  [
    'admins-malformed',
    'A new administrator with an unknown role or without a password is 400 invalid_payload.',
    async (context) => {
      const { token } = await context.superadmin()
      const username = context.accounts.newName()
      for (const more of [{ password: 'a-password-of-nobody', role: 'owner' }, {}]) {
        expectDetails(await context.accounts.createAdmin(token, { username, ...more }), 'invalid_payload')
      }
    },
  ],
  [
    'admins-delete-unknown',
    'The deletion of an unknown administrator is 404.',
    async (context) =>
      expectStatus(
        await context.asSuperadmin('deleteAdmin', { params: { username: context.accounts.newName() } }),
        404,
      ),
  ],
])

/** The check is skipped if the limit is higher. */
const MAX_REQUESTS = 1000
const ONE_TOO_MANY = 5

/** The rate limit of administrators. */
export const adminLimitChecks = checksOf('admin', [
  [
    'admin-limit',
    'Each administrator has its own exact limit; requests beyond it are 429 with Retry-After.',
    async (context) => {
      const { adminRequests } = context.limits
      if (adminRequests > MAX_REQUESTS) throw new CheckSkipped(`would require ${adminRequests} requests`)
      const root = await context.superadmin()
      const { token } = await context.accounts.newAdmin(root.token, 'admin')
      const me = () => sendAs(context.send, token, 'adminMe', 'GET')
      const responses = await sendMany(adminRequests + ONE_TOO_MANY, me)
      for (const response of responses) expectStatus(response, 200, 429)
      expectSame(responses.filter(({ status }) => status === 200).length, adminRequests, 'the requests that passed')
      const response = await me()
      expectError(response, 'rate_limited')
      numberHeader(response, HEADERS.retryAfter)
      expectStatus(await sendAs(context.send, root.token, 'adminMe', 'GET'), 200)
    },
  ],
])
