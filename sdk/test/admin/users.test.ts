import { ConflictError, InvalidResponseError, NotFoundError } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { createService, failureOf, logins, ROOT } from './service.ts'

test('users.create() returns the secrets of a user, and users.get() does not', async () => {
  const admin = (await createService()).admin()
  const created = await admin.users.create({ name: 'Bob', password: 'bobs-own-password' })
  expect(created).toMatchObject({ name: 'Bob', password: 'bobs-own-password' })
  expect(created.fernetKey).toMatch(/^[A-Za-z0-9]{43}=$/)
  expect(created.apiKey).not.toBe('')
  const { id, name, createdAt } = created
  const { rateLimit, requestId, ...user } = await admin.users.get('bob')
  expect(user).toEqual({ id, name, createdAt, totals: { fish: 0, crab: 0 } })
  expect(rateLimit).toMatchObject({ limit: 300, remaining: 298 })
  expect(requestId).toBeTypeOf('string')
})

test('if users.create() is called without a password, the service generates a password', async () => {
  const admin = (await createService()).admin()
  expect((await admin.users.create({ name: 'Bob' })).password.length).toBeGreaterThan(11)
})

test('creating a user with a taken name rejects with ConflictError, even if the letter case differs', async () => {
  const admin = (await createService()).admin()
  const error = await failureOf(admin.users.create({ name: 'ALEX' }))
  expect(error instanceof ConflictError && error.code).toBe('user_exists')
})

test('users can be listed in pages, searched by name, and iterated', async () => {
  const { admin: open, sent } = await createService()
  const admin = open()
  for (const name of ['Bea', 'Bob', 'Cleo']) await admin.users.create({ name })
  const first = await admin.users.list({ limit: 2 })
  expect(first.users.map(({ name }) => name)).toEqual(['Alex', 'Bea'])
  const second = await admin.users.list({ limit: 2, cursor: first.nextCursor })
  expect(second.users.map(({ name }) => name)).toEqual(['Bob', 'Cleo'])
  expect(second.nextCursor).toBeUndefined()
  expect((await admin.users.list({ search: 'B' })).users.map(({ name }) => name)).toEqual(['Bea', 'Bob'])
  await admin.crabs.add('Bea', [{ caughtAt: '2025-06-01T00:00:00Z' }], { gamemode: 'earth' })
  expect((await admin.users.list({ search: 'Bea', totals: true })).users).toMatchObject([
    { totals: { fish: 0, crab: 1 }, lastCatch: { at: '2025-06-01T00:00:00.000Z', kind: 'crab', gamemode: 'earth' } },
  ])

  const before = sent.length
  const seen: string[] = []
  for await (const { name } of admin.users.iterate({ pageSize: 3 })) seen.push(name)
  expect(seen).toEqual(['Alex', 'Bea', 'Bob', 'Cleo'])
  expect(sent.length - before).toBe(2)
  const found: string[] = []
  for await (const { name } of admin.users.iterate({ search: 'cle' })) found.push(name)
  expect(found).toEqual(['Cleo'])
})

test.each([
  ['password', 'password'],
  ['fernet', 'fernetKey'],
  ['api-key', 'apiKey'],
] as const)(
  'a reset of type %s returns only the new secret, in the field for secrets of this type',
  async (type, field) => {
    const service = await createService()
    const { rateLimit: _, requestId: __, ...response } = await service.admin().users.reset('Alex', type)
    expect(Object.keys(response)).toEqual([field])
    expect(Object.values(response)[0]).not.toBe(service.alex[field])
  },
)

test('a reset rejects with InvalidResponseError if the response contains a secret of a type that was not requested', async () => {
  const { admin: open, intercept } = await createService()
  intercept((request) =>
    request.url.endsWith('/reset') ? Promise.resolve(Response.json({ password: 'a-password' })) : undefined,
  )
  const error = await failureOf(open().users.reset('Alex', 'fernet'))
  expect(error instanceof InvalidResponseError && error.issues).toEqual([
    { path: 'fernetKey', message: 'Must be a string.' },
  ])
})

test('a deleted user no longer exists, and a second deletion rejects with NotFoundError', async () => {
  const admin = (await createService()).admin()
  const { data, response } = await admin.users.delete('Alex').withResponse()
  expect(response.status).toBe(204)
  expect(Object.keys(data).sort()).toEqual(['rateLimit', 'requestId'])
  const again = await failureOf(admin.users.delete('Alex'))
  expect(again instanceof NotFoundError && again.code).toBe('user_not_found')
  expect((await failureOf(admin.users.get('Alex'))) instanceof NotFoundError).toBe(true)
})

test('user names with special characters work in URLs', async () => {
  const { admin: open, sent } = await createService()
  const admin = open()
  for (const name of ['*.-*', '...', '_']) {
    await admin.users.create({ name })
    expect((await admin.users.get(name)).name).toBe(name)
    await admin.users.delete(name)
  }
  expect(logins(sent)).toBe(1)
})

test('keys.get() authenticates with the username and password of the administrator, not with a session', async () => {
  const { admin: open, alex, sent } = await createService()
  const { fernetKey, rateLimit } = await open(ROOT).keys.get('Alex')
  expect(fernetKey).toBe(alex.fernetKey)
  expect(rateLimit).toMatchObject({ limit: 25, remaining: 24 })
  expect(sent).toEqual(['GET /get/user/key'])
})
