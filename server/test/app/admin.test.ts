import type { Session } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { asRoot, login, withSession } from './administration.ts'
import { adminChangesBehaviour } from './behaviour/admin-changes.ts'
import { adminSessionBehaviour } from './behaviour/admin-session.ts'
import { adminUsersBehaviour } from './behaviour/admin-users.ts'
import { expectError } from './errors.ts'
import { UNLIMITED } from './lane.ts'
import { createWorld } from './world.ts'

adminSessionBehaviour(createWorld)
adminUsersBehaviour(createWorld)
adminChangesBehaviour(createWorld)

/** A session of an administrator who is no superadmin. */
async function asPlainAdmin(world: Awaited<ReturnType<typeof createWorld>>) {
  await world.app.admins.create('Mia', 'mia-password', 'admin')
  const { token } = (await (await login(world, 'mia', 'mia-password')).json()) as Session
  return withSession(world, token)
}

describe('an administrator who is no superadmin', () => {
  it('may list, create and reset users, but not delete them', async () => {
    const world = await createWorld(UNLIMITED)
    const mia = await asPlainAdmin(world)
    expect((await mia('GET', '/admin/users')).status).toBe(200)
    expect((await mia('POST', '/admin/users', { name: 'Bob' })).status).toBe(201)
    expect((await mia('POST', '/admin/users/Bob/reset', { type: 'fernet' })).status).toBe(200)
    await expectError(await mia('DELETE', '/admin/users/Bob'), 'forbidden')
    await expectError(await mia('DELETE', '/admin/users/nobody'), 'forbidden')
    expect((await world.request('/get/fish?name=Bob&gamemode=earth')).status).toBe(200)
  })

  it('has a rate limit of its own', async () => {
    const world = await createWorld({ adminRateLimit: { requests: 1, windowMs: 1000 } })
    const [mia, root] = [await asPlainAdmin(world), await asRoot(world)]
    expect((await mia('GET', '/admin/users')).status).toBe(200)
    await expectError(await mia('GET', '/admin/users'), 'rate_limited')
    expect((await root('GET', '/admin/users')).status).toBe(200)
  })

  it('loses the session with the account, also when the name is given anew', async () => {
    const world = await createWorld(UNLIMITED)
    const mia = await asPlainAdmin(world)
    const root = await asRoot(world)
    expect((await root('DELETE', '/admin/admins/mia')).status).toBe(204)
    await expectError(await mia('GET', '/admin/users'), 'invalid_session')
    await world.app.admins.create('Mia', 'another-password', 'superadmin')
    await expectError(await mia('GET', '/admin/users'), 'invalid_session')
  })
})

describe('the audit log', () => {
  it('has who did what to whom for every change, newest first, and no secret', async () => {
    const world = await createWorld(UNLIMITED)
    const root = await asRoot(world)
    const secrets: string[] = []
    const act = async (method: string, path: string, body?: unknown) => {
      world.advance(1000)
      const answer = (await (await root(method, path, body)).text()) || '{}'
      const { password, fernetKey, apiKey } = JSON.parse(answer)
      secrets.push(...[password, fernetKey, apiKey].filter((secret) => secret !== undefined))
    }
    await act('POST', '/admin/users', { name: 'Bob' })
    for (const type of ['password', 'fernet', 'api-key']) await act('POST', '/admin/users/bob/reset', { type })
    await act('DELETE', '/admin/users/bob')
    await act('DELETE', '/admin/users/bob')
    const { items } = await world.storage.listItems({ base: 'audit:', limit: 100 })
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
