import type { Session } from '@fish-crab/sdk/contract'
import { wrapDriver } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { asRoot, login, withSession } from './administration.ts'
import { expectError } from './errors.ts'
import { createMemoryService, createSteppedPasswords } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

/** A session of an administrator who is not a superadmin. */
async function asPlainAdmin(service: Awaited<ReturnType<typeof createMemoryService>>) {
  await service.app.admins.create('Mia', 'mia-password', 'admin')
  const { token } = (await (await login(service, 'mia', 'mia-password')).json()) as Session
  return withSession(service, token)
}

it('101 concurrent logouts of one session count as one logout, and the other sessions stay valid', async () => {
  const inner = createMemoryDriver()
  const all = Promise.withResolvers<void>()
  let waiting = 0
  const storage = wrapDriver({
    ...inner,
    async replaceItemIf(...args) {
      if (args[0].startsWith('audit:')) return inner.replaceItemIf(...args)
      waiting += 1
      if (waiting === 101) all.resolve()
      await all.promise
      return inner.replaceItemIf(...args)
    },
  })
  const adminRateLimit = { requests: 10_000, windowMs: 1000 }
  const service = await createMemoryService({ ...UNLIMITED, adminRateLimit, storage })
  const [ended, other] = [await asRoot(service), await asRoot(service)]
  await Promise.all(Array.from({ length: 101 }, () => ended('POST', '/admin/logout')))
  expect((await other('GET', '/admin/me')).status).toBe(200)
})

it('a session token is accepted only in a well-formed Authorization header', async () => {
  const service = await createMemoryService(UNLIMITED)
  const { username, password } = service.root
  const { token } = (await (await login(service, username, password)).json()) as Session
  const me = (authorization: string) => service.request('/admin/me', { headers: { authorization } })
  expect((await me(`bearer  ${token}`)).status).toBe(200)
  for (const wrong of [`Basic Bearer ${token}`, `Bearer ${token} x`, `Bearer${token}`, token]) {
    await expectError(await me(wrong), 'invalid_session')
  }
})

describe('an administrator who is deleted while the body of a request arrives', () => {
  it.each([
    ['POST', '/admin/users', { name: 'Bob' }],
    ['POST', '/admin/users/Alex/reset', { type: 'fernet' }],
    ['POST', '/admin/users/Alex/fish?gamemode=earth', { fish: [{ name: 'Cod', rarity: 1 }] }],
    ['POST', '/admin/admins', { username: 'eve', password: 'eve-password', role: 'superadmin' }],
  ])('changes nothing by %s %s', async (method, path, value) => {
    const service = await createMemoryService(UNLIMITED)
    const root = await asRoot(service)
    await service.app.admins.create('Mia', 'mia-password', 'superadmin')
    const { token } = (await (await login(service, 'mia', 'mia-password')).json()) as Session
    const audited = async () => (await service.storage.listItems({ base: 'audit:', limit: 100 })).items.length
    let before = 0
    const late = new ReadableStream(
      {
        async pull(controller) {
          expect((await root('DELETE', '/admin/admins/mia')).status).toBe(204)
          before = await audited()
          controller.enqueue(new TextEncoder().encode(JSON.stringify(value)))
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await service.request(path, { method, headers, body: late, duplex: 'half' } as RequestInit)
    await expectError(response, 'invalid_session')
    expect([before > 0, await audited()]).toEqual([true, before])
  })
})

it('no administrator is created if the creator is deleted while the password is hashed', async () => {
  const { passwords, beforeHash } = createSteppedPasswords()
  const service = await createMemoryService({ ...UNLIMITED, passwords })
  const root = await asRoot(service)
  await service.app.admins.create('Mia', 'mia-password', 'superadmin')
  const { token } = (await (await login(service, 'mia', 'mia-password')).json()) as Session
  beforeHash(() => root('DELETE', '/admin/admins/mia'))
  const eve = { username: 'eve', password: 'eve-password', role: 'superadmin' }
  await expectError(await withSession(service, token)('POST', '/admin/admins', eve), 'invalid_session')
  const { admins } = (await (await root('GET', '/admin/admins')).json()) as { admins: { username: string }[] }
  expect(admins.map(({ username }) => username)).toEqual(['root'])
})

describe('an administrator who is not a superadmin', () => {
  it('may list, create and reset users, but not delete them', async () => {
    const service = await createMemoryService(UNLIMITED)
    const mia = await asPlainAdmin(service)
    expect((await mia('GET', '/admin/users')).status).toBe(200)
    expect((await mia('POST', '/admin/users', { name: 'Bob' })).status).toBe(201)
    expect((await mia('POST', '/admin/users/Bob/reset', { type: 'fernet' })).status).toBe(200)
    await expectError(await mia('DELETE', '/admin/users/Bob'), 'forbidden')
    await expectError(await mia('DELETE', '/admin/users/nobody'), 'forbidden')
    expect((await service.request('/get/fish?name=Bob&gamemode=earth')).status).toBe(200)
  })

  it('has a rate limit that is separate from the limit of every other administrator', async () => {
    const service = await createMemoryService({ adminRateLimit: { requests: 1, windowMs: 1000 } })
    const [mia, root] = [await asPlainAdmin(service), await asRoot(service)]
    expect((await mia('GET', '/admin/users')).status).toBe(200)
    await expectError(await mia('GET', '/admin/users'), 'rate_limited')
    expect((await root('GET', '/admin/users')).status).toBe(200)
  })
})

describe('the audit log', () => {
  it('lists the actor, action and subject of every change, newest first, and contains no secret', async () => {
    const service = await createMemoryService(UNLIMITED)
    const root = await asRoot(service)
    const secrets: string[] = []
    const act = async (method: string, path: string, body?: unknown) => {
      service.advance(1000)
      const response = (await (await root(method, path, body)).text()) || '{}'
      const { password, fernetKey, apiKey } = JSON.parse(response)
      secrets.push(...[password, fernetKey, apiKey].filter((secret) => secret !== undefined))
    }
    await act('POST', '/admin/users', { name: 'Bob' })
    for (const type of ['password', 'fernet', 'api-key']) await act('POST', '/admin/users/bob/reset', { type })
    await act('DELETE', '/admin/users/bob')
    await act('DELETE', '/admin/users/bob')
    const { items } = await service.storage.listItems({ base: 'audit:', limit: 100 })
    const entries = items.map(({ value }) => JSON.parse(value))
    expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ['root', 'user.delete', 'Bob'],
      ['root', 'user.reset.api-key', 'Bob'],
      ['root', 'user.reset.fernet', 'Bob'],
      ['root', 'user.reset.password', 'Bob'],
      ['root', 'user.create', 'Bob'],
      ['root', 'login', undefined],
    ])
    expect(secrets).toHaveLength(6)
    for (const secret of secrets) expect(JSON.stringify(items)).not.toContain(secret)
  })
})
