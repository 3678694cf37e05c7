import type { Session } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { type AsAdmin, asRoot, login, withSession } from '../administration.ts'
import { expectError } from '../errors.ts'
import { type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const PASSWORD = 'a-long-password'

/** Creates an administrator and logs it in. */
async function join(service: TestService, root: AsAdmin, username: string, role?: string): Promise<AsAdmin> {
  expect((await root('POST', '/admin/admins', { username, password: PASSWORD, role })).status).toBe(201)
  const session = await login(service, username, PASSWORD)
  return withSession(service, ((await session.json()) as Session).token)
}

async function list(admin: AsAdmin): Promise<string[]> {
  const response = await admin('GET', '/admin/admins')
  expect(response.status).toBe(200)
  const { admins } = (await response.json()) as { admins: { username: string; role: string }[] }
  return admins.map(({ username, role }) => `${username} ${role}`)
}

/** Administrators: who they are, and who may make and remove them. */
export function adminAccountsBehaviour(open: OpenService): void {
  describe('an administrator', () => {
    it('gets its own account, without its password', async () => {
      const service = await open()
      const root = await asRoot(service)
      const createdAt = new Date(service.now()).toISOString()
      const me = await root('GET', '/admin/me')
      expect([me.status, await me.json()]).toEqual([200, { username: 'root', role: 'superadmin', createdAt }])
      const mia = await join(service, root, 'Mia')
      expect(await (await mia('GET', '/admin/me')).json()).toEqual({ username: 'Mia', role: 'admin', createdAt })
      expect((await mia('HEAD', '/admin/me')).status).toBe(200)
      await expectError(await service.request('/admin/me'), 'invalid_session')
    })

    it('is created with the role that is asked for, else as a plain one, and can log in at once', async () => {
      const service = await open()
      const root = await asRoot(service)
      for (const role of ['admin', 'superadmin', undefined]) {
        const username = `New-${role}`
        const created = await root('POST', '/admin/admins', { username, password: PASSWORD, role })
        expect(created.status).toBe(201)
        const createdAt = new Date(service.now()).toISOString()
        expect(await created.json()).toEqual({ username, role: role ?? 'admin', createdAt })
        expect((await login(service, username.toUpperCase(), PASSWORD)).status).toBe(200)
      }
      expect(await list(root)).toEqual([
        'root superadmin',
        'New-admin admin',
        'New-superadmin superadmin',
        'New-undefined admin',
      ])
    })

    it.each(['Mia', 'mia', 'MIA', 'ROOT'])('is not created under a name that is taken, as %s', async (username) => {
      const service = await open()
      const root = await asRoot(service)
      await join(service, root, 'Mia')
      const again = { username, password: 'another-password' }
      await expectError(await root('POST', '/admin/admins', again), 'admin_exists')
      expect((await login(service, 'Mia', PASSWORD)).status).toBe(200)
      expect(await list(root)).toEqual(['root superadmin', 'Mia admin'])
    })

    it('is created once when ten try at once', async () => {
      const root = await asRoot(await open())
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, turn) =>
          root('POST', '/admin/admins', { username: turn % 2 ? 'Mia' : 'MIA', password: PASSWORD }),
        ),
      )
      expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
      expect(await list(root)).toHaveLength(2)
    })

    it('is not lost when ten different ones are created at once', async () => {
      const root = await asRoot(await open())
      const names = Array.from({ length: 10 }, (_, turn) => `Mia${turn}`)
      await Promise.all(names.map((username) => root('POST', '/admin/admins', { username, password: PASSWORD })))
      expect((await list(root)).slice(1).sort()).toEqual(names.map((name) => `${name} admin`))
    })

    it.each([
      ['username', { password: PASSWORD }],
      ['username', { username: 'a b', password: PASSWORD }],
      ['username', { username: '', password: PASSWORD }],
      ['username', { username: 'x'.repeat(33), password: PASSWORD }],
      ['password', { username: 'Mia' }],
      ['password', { username: 'Mia', password: 'short77' }],
      ['password', { username: 'Mia', password: 'x'.repeat(257) }],
      ['password', { username: 'Mia', password: 'half a fish \udc1f' }],
      ['role', { username: 'Mia', password: PASSWORD, role: 'root' }],
      ['role', { username: 'Mia', password: PASSWORD, role: null }],
    ])('is not created from what has a wrong %s: %j', async (path, body) => {
      const root = await asRoot(await open())
      const { details } = await expectError(await root('POST', '/admin/admins', body), 'invalid_payload')
      expect(details?.map((detail) => detail.path)).toEqual([path])
      expect(JSON.stringify(details)).not.toContain(PASSWORD)
      expect(await list(root)).toEqual(['root superadmin'])
    })

    it('who is no superadmin may neither list, create nor delete others, but do the rest', async () => {
      const service = await open()
      const root = await asRoot(service)
      const mia = await join(service, root, 'Mia', 'admin')
      await expectError(await mia('GET', '/admin/admins'), 'forbidden')
      const self = { username: 'Eve', password: PASSWORD, role: 'superadmin' }
      await expectError(await mia('POST', '/admin/admins', self), 'forbidden')
      for (const name of ['root', 'Mia', 'nobody']) {
        await expectError(await mia('DELETE', `/admin/admins/${name}`), 'forbidden')
      }
      await expectError(await mia('DELETE', '/admin/users/Alex'), 'forbidden')
      expect(await list(root)).toEqual(['root superadmin', 'Mia admin'])
      for (const path of ['users', 'users/Alex', 'users/Alex/fish?gamemode=earth', 'stats', 'audit']) {
        expect([path, (await mia('GET', `/admin/${path}`)).status]).toEqual([path, 200])
      }
    })
  })

  describe('a deleted administrator', () => {
    it('is out at once, with every session, also when the name is given anew', async () => {
      const service = await open(UNLIMITED)
      const root = await asRoot(service)
      const mia = await join(service, root, 'Mia', 'superadmin')
      const deleted = await root('DELETE', '/admin/admins/mIA')
      expect([deleted.status, await deleted.text()]).toEqual([204, ''])
      await expectError(await mia('GET', '/admin/me'), 'invalid_session')
      await expectError(await mia('POST', '/admin/users', { name: 'Eve' }), 'invalid_session')
      await expectError(await login(service, 'Mia', PASSWORD), 'invalid_credentials')
      const again = await join(service, root, 'Mia')
      await expectError(await mia('GET', '/admin/me'), 'invalid_session')
      expect((await again('GET', '/admin/me')).status).toBe(200)
    })

    it('may have deleted itself', async () => {
      const service = await open()
      const root = await asRoot(service)
      await join(service, root, 'Sue', 'superadmin')
      expect((await root('DELETE', '/admin/admins/root')).status).toBe(204)
      await expectError(await root('GET', '/admin/me'), 'invalid_session')
    })

    it.each(['nobody', 'Alex', '%00', 'a%2Fb'])('is not %s, whom nobody created', async (name) => {
      const root = await asRoot(await open())
      await expectError(await root('DELETE', `/admin/admins/${name}`), 'admin_not_found')
      expect(await list(root)).toEqual(['root superadmin'])
    })
  })
}
