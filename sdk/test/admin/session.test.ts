import { AuthenticationError } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { createService, failureOf, HELPER, logins, ROOT } from './service.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

test('nothing is sent before the first call, and all calls share one session', async () => {
  const { admin: open, sent } = await createService()
  const admin = open()
  expect(sent).toEqual([])
  await admin.me()
  await admin.stats()
  expect(sent).toEqual(['POST /admin/login', 'GET /admin/me', 'GET /admin/stats'])
})

test('the service rejects a session after logout, and the next call logs in again', async () => {
  const { admin: open, sent } = await createService()
  const admin = open()
  await admin.logout()
  expect(sent).toEqual([])
  const { token } = await admin.login()
  await admin.logout()
  await admin.logout()
  expect(sent).toEqual(['POST /admin/login', 'POST /admin/logout'])
  const other = open({ token })
  await expect(other.me()).rejects.toThrow(AuthenticationError)
  await other.logout()
  await admin.me()
  expect(sent.slice(-2)).toEqual(['POST /admin/login', 'GET /admin/me'])
})

test('fifty concurrent calls share one login', async () => {
  const { admin: open, sent } = await createService()
  const admin = open()
  await Promise.all(Array.from({ length: 50 }, () => admin.me()))
  expect(logins(sent)).toBe(1)
  expect(sent).toHaveLength(51)
})

test.each([
  ['right', 0],
  ['an hour ahead', HOUR],
  ['a day behind', -24 * HOUR],
])('a session is renewed a minute before it expires, with a client clock that is %s', async (_, clientAheadMs) => {
  const { admin: open, sent, advance } = await createService({ clientAheadMs })
  const admin = open()
  await admin.me()
  advance(HOUR - MINUTE - 1000)
  await admin.me()
  expect(logins(sent)).toBe(1)
  advance(1000)
  await Promise.all([admin.me(), admin.stats()])
  expect(sent.slice(3)).toEqual(['POST /admin/login', 'GET /admin/me', 'GET /admin/stats'])
})

test('if the clock of the client is wrong and the server sends no date, a call with an expired session is sent again', async () => {
  const { admin: open, sent, advance } = await createService({ saysDate: false, clientAheadMs: -HOUR })
  const admin = open()
  await admin.me()
  advance(HOUR + 1000)
  expect((await admin.users.create({ name: 'Bob' })).name).toBe('Bob')
  expect(sent.slice(2)).toEqual(['POST /admin/users', 'POST /admin/login', 'POST /admin/users'])
})

test('if the clock of the client is far ahead and the server sends no date, calls still share one login', async () => {
  const { admin: open, sent } = await createService({ saysDate: false, clientAheadMs: 2 * HOUR })
  const admin = open()
  for (let count = 0; count < 5; count++) await admin.me()
  expect(logins(sent)).toBe(1)
})

test('many calls whose session was revoked share one login', async () => {
  const service = await createService()
  const admin = service.admin(HELPER)
  await admin.me()
  // Replacing the administrator with a new account of the same name revokes the session.
  await service.admin().admins.delete(HELPER.username)
  await service.app.admins.create(HELPER.username, HELPER.password, 'admin')
  const before = service.sent.length
  await Promise.all(Array.from({ length: 20 }, () => admin.me()))
  const sent = service.sent.slice(before)
  expect(logins(sent)).toBe(1)
  expect(sent).toHaveLength(20 + 1 + 20)
})

test('a call whose rejection arrives late is retried with the session that a concurrent call has opened', async () => {
  const { admin: open, sent, advance, intercept } = await createService({ saysDate: false, clientAheadMs: -HOUR })
  // In a new rate limit window, a client with pacing would delay the second call until the first response.
  const admin = open({ ...ROOT, pace: false })
  await admin.me()
  advance(HOUR + 1000)
  const [arrived, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  intercept((request, send) => {
    if (!request.url.endsWith('/stats') || logins(sent) > 1) return undefined
    arrived.resolve()
    return send().then(async (response) => {
      await release.promise
      return response
    })
  })
  const late = admin.stats()
  await arrived.promise
  await admin.me()
  release.resolve()
  expect((await late).users).toBe(1)
  expect(logins(sent)).toBe(2)
})

test('a call fails when its session is rejected twice', async () => {
  const { admin: open, sent, intercept } = await createService()
  const body = { error: 'Log in again.', code: 'invalid_session', requestId: 'r' }
  intercept((request) =>
    request.url.endsWith('/login')
      ? undefined
      : Promise.resolve(Response.json(body, { status: 401, headers: { 'x-request-id': 'r' } })),
  )
  const error = await failureOf(open().me())
  expect(error instanceof AuthenticationError && error.code).toBe('invalid_session')
  expect(sent).toEqual(['POST /admin/login', 'GET /admin/me', 'POST /admin/login', 'GET /admin/me'])
})

test('a client with only a token never renews the token, and calls fail when the token expires', async () => {
  const { admin: open, sent, advance } = await createService()
  const { token, expiresAt } = await open().login()
  expect(expiresAt).toBe('2026-01-01T01:00:00.000Z')
  const admin = open({ token })
  expect((await admin.me()).username).toBe(ROOT.username)
  advance(HOUR + 1000)
  const error = await failureOf(admin.me())
  expect(error instanceof AuthenticationError && error.code).toBe('invalid_session')
  expect(logins(sent)).toBe(1)
})

test('a given token that has expired is replaced if the client has a password', async () => {
  const { admin: open, sent } = await createService()
  expect((await open({ ...ROOT, token: 'over-long-ago' }).me()).username).toBe(ROOT.username)
  expect(sent).toEqual(['GET /admin/me', 'POST /admin/login', 'GET /admin/me'])
})

test('an explicit login opens a new session for later calls', async () => {
  const { admin: open, sent, advance } = await createService()
  const admin = open()
  await admin.me()
  advance(30 * MINUTE)
  await admin.login()
  advance(45 * MINUTE)
  await admin.me()
  expect(logins(sent)).toBe(2)
})
