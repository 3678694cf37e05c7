import { ConnectionError, NotFoundError, ServerError, TimeoutError } from '@fish-crab/sdk'
import type { AdminClient } from '@fish-crab/sdk/admin'
import { expect, test } from 'vitest'
import { createService, failureOf, logins } from './service.ts'

const EARTH = { gamemode: 'earth' } as const

/** Creates a service that handles the first request to `to` (method and path prefix), but loses the response. */
async function withLostResponse(to: string, lose: () => Promise<Response> = lostConnection) {
  const service = await createService()
  const admin = service.admin()
  let lost = false
  service.intercept((request, send) => {
    if (lost || !`${request.method} ${new URL(request.url).pathname}`.startsWith(to)) return undefined
    lost = true
    return send().then(lose)
  })
  return { ...service, admin }
}

async function lostConnection(): Promise<Response> {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNRESET' }) })
}

test.each<[string, string, (admin: AdminClient) => Promise<unknown>, RegExp]>([
  ['a new user', 'POST /admin/users', (admin) => admin.users.create({ name: 'Bob' }), /users\.get\('Bob'\)/],
  ['a reset secret', 'POST /admin/users', (admin) => admin.users.reset('Alex', 'fernet'), /Reset it again/],
  ['new fish', 'POST /admin/users', (admin) => admin.fish.add('Alex', { name: 'Cod', rarity: 1 }, EARTH), /fish\.list/],
  ['new crabs', 'POST /admin/users', (admin) => admin.crabs.add('Alex', {}, EARTH), /crabs\.list/],
  [
    'a new administrator',
    'POST /admin/admins',
    (admin) => admin.admins.create({ username: 'mia', password: 'mias-password' }),
    /admins\.list/,
  ],
])(
  'the request for %s is sent once, and the error after a lost response says what to check',
  async (_, to, write, hint) => {
    const { admin, sent } = await withLostResponse(to)
    const error = await failureOf(write(admin))
    if (!(error instanceof ConnectionError)) throw error
    expect(error.systemCode).toBe('ECONNRESET')
    expect(error.hint).toMatch(hint)
    expect(error.summary).toMatch(/It is unknown whether .+ (was|were) (created|replaced|stored)\.$/)
    expect(error.message).toBe(`${error.summary} ${error.hint}`)
    expect(sent).toHaveLength(2)
  },
)

test('the error of a write names what to check if a proxy responds with an error', async () => {
  const { admin, sent } = await withLostResponse('POST /admin/users', async () => new Response('', { status: 502 }))
  const error = await failureOf(admin.users.create({ name: 'Bob' }))
  expect(error instanceof ServerError && error.hint).toMatch(/users\.get\('Bob'\)/)
  expect(error instanceof ServerError && error.status).toBe(502)
  expect(sent).toHaveLength(2)
})

test('the error of a write names what to check if the service reports a storage error', async () => {
  const failed = { error: 'The storage failed.', code: 'storage_error', requestId: 'r' }
  const { admin } = await withLostResponse('POST /admin/users', async () => Response.json(failed, { status: 500 }))
  const error = await failureOf(admin.users.create({ name: 'Bob' }))
  expect(error instanceof ServerError && error.hint).toMatch(/users\.get\('Bob'\)/)
})

test('a write whose response takes too long rejects with a TimeoutError that names what to check', async () => {
  const { admin } = await withLostResponse('POST /admin/users', () => new Promise(() => {}))
  const error = await failureOf(admin.users.create({ name: 'Bob' }, { timeoutMs: 20 }))
  expect(error instanceof TimeoutError && error.hint).toMatch(/users\.get\('Bob'\)/)
})

test('the error of a write that was never sent does not ask the caller to check anything', async () => {
  const service = await createService()
  service.intercept((request) => {
    if (!request.url.endsWith('/admin/users')) return undefined
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    return Promise.reject(new TypeError('fetch failed', { cause }))
  })
  const error = await failureOf(service.admin().users.create({ name: 'Bob' }))
  expect(error instanceof ConnectionError && error.hint).not.toMatch(/users\.get/)
})

test.each<[string, string, (admin: AdminClient, id: string) => Promise<unknown>]>([
  ['a user', 'DELETE /admin/users/Alex', (admin) => admin.users.delete('Alex')],
  ['fish', 'DELETE /admin/users/Alex/fish', (admin, id) => admin.fish.delete('Alex', id, EARTH)],
  ['an administrator', 'DELETE /admin/admins', (admin) => admin.admins.delete('helper')],
])(
  'a deletion of %s succeeds after a lost response, although the retry finds nothing to delete',
  async (_, to, remove) => {
    const { admin, sent, slept } = await withLostResponse(to)
    const { id } = await admin.fish.add('Alex', { name: 'Cod', rarity: 1 }, EARTH)
    await remove(admin, id)
    expect(sent.filter((line) => line.startsWith(to))).toHaveLength(2)
    expect(slept).toEqual([500])
    expect((await failureOf(remove(admin, id))) instanceof NotFoundError).toBe(true)
  },
)

test('a retried deletion fails if the error code is not_found, which means that the path is unknown', async () => {
  const service = await createService()
  const responses = [
    new Response('', { status: 503 }),
    Response.json({ code: 'not_found', requestId: 'r' }, { status: 404, headers: { 'x-request-id': 'r' } }),
  ]
  service.intercept((request) => {
    const response = request.method === 'DELETE' ? responses.shift() : undefined
    return response && Promise.resolve(response)
  })
  const error = await failureOf(service.admin().users.delete('Alex'))
  expect(error instanceof NotFoundError && error.code).toBe('not_found')
})

test('a 200 response with an unexpected body does not confirm a deletion', async () => {
  const service = await createService()
  service.intercept((request) =>
    request.method === 'DELETE' ? Promise.resolve(new Response('{"welcome":true}', { status: 200 })) : undefined,
  )
  expect(await failureOf(service.admin().users.delete('Alex'))).toMatchObject({ code: 'invalid_response' })
})

test('reads and logins are retried after a lost response', async () => {
  const { admin, sent, slept, intercept } = await withLostResponse('GET /admin/me')
  expect((await admin.me()).username).toBe('root')
  expect(sent).toHaveLength(3)
  let lost = 0
  intercept((request) => (request.url.endsWith('/login') && lost++ === 0 ? lostConnection() : undefined))
  await admin.login()
  expect(logins(sent)).toBe(3)
  expect(slept).toEqual([500, 500])
})
