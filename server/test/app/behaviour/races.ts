import { type AuditPage, createdUserSchema, type Saved, type Session } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { describe, expect, it } from 'vitest'
import { type AsAdmin, asRoot, create, login, withSession } from '../administration.ts'
import { countAll, encryptToken, post, SALMON } from '../catches.ts'
import { expectError } from '../errors.ts'
import { basic, type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const PASSWORD = 'a-long-password'

/** Creates an administrator, and logs in with the new account. */
async function join(service: TestService, root: AsAdmin, username: string, role?: string): Promise<AsAdmin> {
  expect((await root('POST', '/admin/admins', { username, password: PASSWORD, role })).status).toBe(201)
  const session = await login(service, username, PASSWORD)
  return withSession(service, ((await session.json()) as Session).token)
}

async function listAdmins(admin: AsAdmin): Promise<string[]> {
  const { admins } = (await (await admin('GET', '/admin/admins')).json()) as { admins: { username: string }[] }
  return admins.map(({ username }) => username).sort()
}

const many = <Result>(count: number, send: (turn: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, turn) => send(turn)))
const statusesOf = (responses: readonly Response[]) => responses.map(({ status }) => status).sort()
const once = (first: number, rest: number, count: number) => [first, ...Array.from({ length: count - 1 }, () => rest)]

/** Tests concurrent requests of which only one may succeed. */
export function racesBehaviour(open: OpenService): void {
  describe('concurrent requests', () => {
    it('create a user only once, with the secrets in the successful response', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const responses = await many(10, (turn) => admin('POST', '/admin/users', { name: turn % 2 ? 'Bob' : 'BOB' }))
      expect(statusesOf(responses)).toEqual(once(201, 409, 10))
      const bob = createdUserSchema.parse(await responses.find(({ status }) => status === 201)?.json())
      const headers = { authorization: basic('bob', bob.password) }
      expect(await (await service.request('/get/user/key', { headers })).json()).toEqual({ fernetKey: bob.fernetKey })
    })

    it('delete a user only once, and a new user with the same name gets none of the old data', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const token = await encryptToken(service, SALMON)
      await post(service, 'fish', token)
      const responses = await many(2, (turn) => admin('DELETE', `/admin/users/${turn ? 'Alex' : 'alex'}`))
      expect(statusesOf(responses)).toEqual([204, 404])
      const heir = await create(admin, 'aLEX')
      expect([heir.id, heir.fernetKey]).not.toEqual([service.alex.id, service.alex.fernetKey])
      expect(await countAll(service)).toBe(0)
      await expectError(await post(service, 'fish', token), 'invalid_token')
      const own = await createFernet(heir.fernetKey).encrypt(JSON.stringify(SALMON))
      expect((await post(service, 'fish', own)).status).toBe(201)
    })

    it('remove a record only once', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const { id } = (await (await post(service, 'fish', await encryptToken(service, SALMON))).json()) as Saved
      const responses = await many(5, () => admin('DELETE', `/admin/users/Alex/fish/${id}?gamemode=earth`))
      expect(statusesOf(responses)).toEqual(once(204, 404, 5))
    })

    it('store one token only once, and all 64 responses contain the same id', async () => {
      const service = await open(UNLIMITED)
      const token = await encryptToken(service, SALMON)
      const responses = await many(64, (turn) =>
        post(service, 'fish', token, { gamemode: turn % 2 ? 'earth' : 'survival' }),
      )
      expect(statusesOf(responses)).toEqual([...Array.from({ length: 63 }, () => 200), 201])
      const ids = await Promise.all(responses.map(async (response) => ((await response.json()) as Saved).id))
      expect([new Set(ids).size, await countAll(service)]).toEqual([1, 1])
    })

    it('store 64 tokens with equal content as 64 records', async () => {
      const service = await open(UNLIMITED)
      const tokens = await many(64, () => encryptToken(service, SALMON))
      const responses = await Promise.all(tokens.map((token) => post(service, 'fish', token)))
      expect(new Set(statusesOf(responses))).toEqual(new Set([201]))
      expect(await countAll(service)).toBe(64)
    })

    it('do not exceed the rate limit: exactly 25 of 100 succeed', async () => {
      const service = await open()
      const responses = await many(100, () => service.request('/get/fish?name=Alex&gamemode=earth'))
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(25)
    })

    it('create one administrator if all names are equal, and ten administrators if the names differ', async () => {
      const root = await asRoot(await open())
      const add = (username: string) => root('POST', '/admin/admins', { username, password: PASSWORD })
      expect(statusesOf(await many(10, (turn) => add(turn % 2 ? 'Mia' : 'MIA')))).toEqual(once(201, 409, 10))
      expect(new Set(statusesOf(await many(10, (turn) => add(`Sue${turn}`))))).toEqual(new Set([201]))
      expect(await listAdmins(root)).toHaveLength(12)
    })

    it('leave one superadmin if two superadmins delete each other', async () => {
      for (let turn = 0; turn < 5; turn += 1) {
        const service = await open(UNLIMITED)
        const root = await asRoot(service)
        const sue = await join(service, root, 'Sue', 'superadmin')
        const responses = await Promise.all([root('DELETE', '/admin/admins/Sue'), sue('DELETE', '/admin/admins/root')])
        const statuses = responses.map(({ status }) => status)
        expect(statuses.filter((status) => status === 204)).toHaveLength(1)
        expect([401, 409]).toContain(statuses.find((status) => status !== 204))
        expect(await listAdmins(statuses[0] === 204 ? root : sue)).toHaveLength(1)
      }
    })

    it('leave one superadmin if one of two superadmins tries to delete both', async () => {
      const service = await open()
      const root = await asRoot(service)
      await join(service, root, 'Sue', 'superadmin')
      const names = ['Sue', 'root', 'sue', 'ROOT']
      const responses = await Promise.all(names.map((name) => root('DELETE', `/admin/admins/${name}`)))
      expect(responses.filter(({ status }) => status === 204)).toHaveLength(1)
      const logins = [await login(service, 'root', 'root-password'), await login(service, 'Sue', PASSWORD)]
      expect(statusesOf(logins)).toEqual([200, 401])
    })
  })

  describe('the last superadmin', () => {
    it('cannot be deleted, and the attempt is not in the audit log', async () => {
      const service = await open()
      const root = await asRoot(service)
      await join(service, root, 'Mia', 'admin')
      for (const name of ['root', 'ROOT']) {
        await expectError(await root('DELETE', `/admin/admins/${name}`), 'last_superadmin')
      }
      const { entries } = (await (await root('GET', '/admin/audit')).json()) as AuditPage
      expect(entries.map(({ action }) => action).sort()).toEqual(['admin.create', 'login', 'login'])
    })
  })

  describe('a deleted administrator', () => {
    it('is logged out, even if a new administrator gets the same name', async () => {
      const service = await open(UNLIMITED)
      const root = await asRoot(service)
      const mia = await join(service, root, 'Mia', 'superadmin')
      expect((await root('DELETE', '/admin/admins/mIA')).status).toBe(204)
      await expectError(await mia('POST', '/admin/users', { name: 'Eve' }), 'invalid_session')
      await expectError(await login(service, 'Mia', PASSWORD), 'invalid_credentials')
      const again = await join(service, root, 'Mia')
      await expectError(await mia('GET', '/admin/me'), 'invalid_session')
      expect((await again('GET', '/admin/me')).status).toBe(200)
    })
  })
}
