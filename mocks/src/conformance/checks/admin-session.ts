import { LIMITS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import type { Answer } from '../context/answer.ts'
import type { World } from '../context/context.ts'
import { expectDetails, expectError, expectJson, expectMoment, expectText } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { login } from '../context/own-accounts.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const SLACK_MS = 60_000

/** The JSON of one part of a JWT. */
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

function me(world: World, authorization?: string): Promise<Answer> {
  return world.send('/admin/me', authorization === undefined ? {} : { headers: { authorization } })
}

type Forge = (token: string) => string | undefined

const REFUSED: readonly (readonly [string, string, Forge])[] = [
  ['missing', 'no token at all', () => undefined],
  ['garbage', 'a token that is none', () => 'Bearer nonsense'],
  ['unsigned', 'a token without a signature', (token) => `Bearer ${token.split('.').slice(0, 2).join('.')}.`],
  [
    'alg-none',
    'a token that says it needs no signature',
    (token) => `Bearer ${encoded({ alg: 'none', typ: 'JWT' })}.${token.split('.')[1]}.`,
  ],
  [
    'tampered',
    'a token whose content was changed',
    (token) => {
      const [header, , signature] = token.split('.')
      return `Bearer ${header}.${encoded({ ...partOf(token, 1), exp: 4_000_000_000 })}.${signature}`
    },
  ],
  ['basic', 'a token as HTTP Basic', (token) => `Basic ${btoa(`x:${token}`)}`],
]

const rows: readonly CheckRow[] = [
  [
    'login-token',
    'A login answers a JWT signed with HS256 and when it ends: one hour later.',
    async (world) => {
      const { username, password } = await world.superadmin()
      const answer = await login(world.send, { username, password })
      const { token, expiresAt } = expectJson(answer)
      const jwt = expectText(token, '"token"', answer)
      world.keep(jwt)
      expectSame(partOf(jwt, 0).alg, 'HS256', 'the algorithm of the JWT', answer)
      const { exp } = partOf(jwt, 1)
      expectThat(typeof exp === 'number', 'an "exp" in the JWT', exp, answer)
      const end = expectMoment(expiresAt, '"expiresAt"', answer)
      expectThat(Math.abs(end - exp * 1000) < SLACK_MS, '"expiresAt" to be the "exp" of the JWT', expiresAt, answer)
      const timestamp = expectMoment(expectJson(await world.request('/status')).timestamp, '"timestamp"')
      const hour = LIMITS.sessionSeconds * 1000
      expectThat(Math.abs(end - timestamp - hour) < SLACK_MS, '"expiresAt" an hour from now', expiresAt, answer)
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
    'A login that is no JSON is 400 invalid_payload.',
    async ({ send }) => {
      const headers = { 'content-type': MEDIA_TYPES.json }
      expectError(await send('/admin/login', { method: 'POST', headers, body: '{"username":' }), 'invalid_payload')
    },
  ],
  [
    'admin-me',
    'GET /admin/me says who is logged in, and with which role.',
    async (world) => {
      const { username, token } = await world.superadmin()
      const answer = await me(world, `Bearer ${token}`)
      const body = expectJson(answer)
      expectSame([body.username, body.role], [username, 'superadmin'], 'name and role', answer)
      expectThat(!/password|hash/i.test(answer.text), 'nothing of a password', 'something', answer)
    },
  ],
  ...REFUSED.map(
    ([id, what, forge]): CheckRow => [
      `session-refused-${id}`,
      `An admin endpoint answers 401 to ${what}.`,
      async (world) => {
        const authorization = forge((await world.admin()).token)
        expectError(await me(world, authorization), 'invalid_session')
      },
    ],
  ),
  [
    'session-ends-with-administrator',
    'The session of an administrator who was removed is 401 from then on.',
    async (world) => {
      const { token: root } = await world.superadmin()
      const { username, token } = await world.accounts.newAdmin(root, 'admin')
      expectJson(await me(world, `Bearer ${token}`))
      const gone = await world.asSuperadmin('deleteAdmin', { params: { username } })
      expectSame(gone.status, 204, 'the status', gone)
      expectError(await me(world, `Bearer ${token}`), 'invalid_session')
    },
  ],
]

/** Logins and sessions of administrators. */
export const adminSessionChecks = checksOf('admin', rows)
