import { ACCOUNT_LIMITS, HEADERS } from '@fish-crab/sdk/contract'
import { login, sendAs } from '../context/accounts.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { sendMany } from '../context/send.ts'
import { check, checksOf } from './check.ts'

const SLACK_MS = 60_000

function decoded(part = ''): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>
  } catch {
    return {}
  }
}

function encoded(value: unknown): string {
  return btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function me(t: TestContext, authorization: string): Promise<expect.ReceivedResponse> {
  return t.send('/admin/me', { headers: { authorization } })
}

function expectNoSecrets(response: expect.ReceivedResponse): void {
  expect.that(!/password|hash/i.test(response.text), 'no password or hash in the body', 'one', response)
}

const NO_ALGORITHM = encoded({ alg: 'none', typ: 'JWT' })
const FAR_FUTURE = 4_000_000_000

/** Credentials from the parts of a valid token. */
type Forge = (header: string, content: string, signature: string) => string

const FORGED: readonly (readonly [id: string, what: string, forge: Forge])[] = [
  ['garbage', 'a malformed token', () => 'Bearer nonsense'],
  ['unsigned', 'a token without a signature', (header, content) => `Bearer ${header}.${content}.`],
  ['alg-none', 'a token with "alg": "none"', (_, content) => `Bearer ${NO_ALGORITHM}.${content}.`],
  [
    'tampered',
    'a token with changed content',
    (header, content, signature) =>
      `Bearer ${header}.${encoded({ ...decoded(content), exp: FAR_FUTURE })}.${signature}`,
  ],
  ['basic', 'a token sent as HTTP Basic credentials', (...parts) => `Basic ${btoa(`x:${parts.join('.')}`)}`],
]

export const adminSessionChecks = checksOf('admin', [
  check('login-token', 'A login returns a JWT signed with HS256 that expires in one hour.', async (t) => {
    const { username, password } = await t.superadmin()
    const response = await login(t.send, { username, password })
    const { token, expiresAt } = expect.json(response)
    const jwt = expect.text(token, '"token"', response)
    t.redact(jwt)
    const [header, content] = jwt.split('.')
    expect.same(decoded(header).alg, 'HS256', 'the algorithm of the JWT', response)
    const { exp } = decoded(content)
    expect.that(typeof exp === 'number', 'an "exp" in the JWT', exp, response)
    const end = expect.dateTime(expiresAt, '"expiresAt"', response)
    expect.that(Math.abs(end - exp * 1000) < SLACK_MS, '"expiresAt" to be the "exp" of the JWT', expiresAt, response)
    const timestamp = expect.dateTime(expect.json(await t.request('/status')).timestamp, '"timestamp"')
    const hour = ACCOUNT_LIMITS.sessionSeconds * 1000
    expect.that(Math.abs(end - timestamp - hour) < SLACK_MS, '"expiresAt" to be an hour from now', expiresAt, response)
  }),
  check('admin-me', 'GET /admin/me returns the username and the role.', async (t) => {
    const { username, token } = await t.superadmin()
    const response = await me(t, `Bearer ${token}`)
    const body = expect.json(response)
    expect.same([body.username, body.role], [username, 'superadmin'], 'name and role', response)
    expectNoSecrets(response)
  }),
  ...FORGED.map(([id, what, forge]) =>
    check(`jwt-refused-${id}`, `An admin endpoint responds 401 to ${what}.`, async (t) => {
      const [header = '', content = '', signature = ''] = (await t.admin()).token.split('.')
      expect.error(await me(t, forge(header, content, signature)), 'invalid_session')
    }),
  ),
  check('jwt-ends-with-administrator', 'The session of a deleted administrator gets 401 immediately.', async (t) => {
    const { username, token } = await t.newAdmin()
    expect.json(await me(t, `Bearer ${token}`))
    expect.status(await t.asSuperadmin('deleteAdmin', { params: { username } }), 204)
    expect.error(await me(t, `Bearer ${token}`), 'invalid_session')
  }),
  check('jwt-ends-with-logout', 'POST /admin/logout responds 204 and ends the session.', async (t) => {
    const { token } = await t.newAdmin()
    expect.status(await sendAs(t.send, token, 'adminLogout'), 204)
    expect.error(await me(t, `Bearer ${token}`), 'invalid_session')
    expect.error(await sendAs(t.send, token, 'adminLogout'), 'invalid_session')
  }),
  check('admin-password', 'POST /admin/password ends all sessions, and only the new password logs in.', async (t) => {
    const { username, password, token } = await t.newAdmin()
    const newPassword = 'another-password'
    const change = (old: string) =>
      sendAs(t.send, token, 'changeAdminPassword', { body: { password: old, newPassword } })
    expect.error(await change(newPassword), 'invalid_credentials')
    expect.status(await change(password), 204)
    expect.error(await me(t, `Bearer ${token}`), 'invalid_session')
    expect.error(await login(t.send, { username, password }), 'invalid_credentials')
    expect.status(await login(t.send, { username, password: newPassword }), 200)
  }),
  check('admin-reset', 'A superadmin resets the password of an administrator, which ends the sessions.', async (t) => {
    const { username, token } = await t.newAdmin()
    const response = await t.asSuperadmin('resetAdmin', { params: { username } })
    const password = expect.text(expect.json(response).password, '"password"', response)
    t.redact(password)
    expect.error(await me(t, `Bearer ${token}`), 'invalid_session')
    expect.status(await login(t.send, { username, password }), 200)
    expect.error(await t.asSuperadmin('resetAdmin', { params: { username: t.newName() } }), 'admin_not_found')
  }),
  check('admins-create-list-remove', 'A superadmin creates, lists and deletes an administrator.', async (t) => {
    const { username } = await t.newAdmin()
    const roles = async () => {
      const response = await t.asSuperadmin('listAdmins')
      expectNoSecrets(response)
      return expect.list(response, 'admins').flatMap((admin) => (admin.username === username ? [admin.role] : []))
    }
    expect.same(await roles(), ['admin'], 'the roles of the listed administrator')
    const password = 'another-password'
    expect.status(await t.createAdmin({ username, password }), 409)
    expect.details(await t.createAdmin({ username: t.newName(), password, role: 'owner' }), 'invalid_payload')
    expect.status(await t.asSuperadmin('deleteAdmin', { params: { username } }), 204)
    expect.same(await roles(), [], 'the roles of the deleted administrator')
  }),
])

/** The check of the limit is skipped if the limit is higher than this number of requests. */
const MAX_REQUESTS = 1000
const ONE_TOO_MANY = 5

export const adminLimitChecks = checksOf('admin', [
  check(
    'admin-limit',
    'Each administrator has a separate, exact rate limit; requests over the limit get 429.',
    async (t) => {
      const { adminRequests } = t.limits
      if (adminRequests > MAX_REQUESTS) throw new expect.CheckSkipped(`would require ${adminRequests} requests`)
      const root = await t.superadmin()
      const { token } = await t.newAdmin()
      const me = () => sendAs(t.send, token, 'adminMe')
      const responses = await sendMany(adminRequests + ONE_TOO_MANY, me)
      for (const response of responses) expect.status(response, 200, 429)
      const passed = responses.filter(({ status }) => status === 200)
      expect.same(passed.length, adminRequests, 'the number of requests that passed')
      const response = await me()
      expect.error(response, 'rate_limited')
      expect.integer(response, HEADERS.retryAfter)
      expect.status(await sendAs(t.send, root.token, 'adminMe'), 200)
    },
  ),
])
