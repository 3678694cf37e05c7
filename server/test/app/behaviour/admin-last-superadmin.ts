import type { AuditPage, Session } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { type AsAdmin, asRoot, login, withSession } from '../administration.ts'
import { expectError } from '../errors.ts'
import { type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const PASSWORD = 'a-long-password'

async function join(service: TestService, root: AsAdmin, username: string, role: string): Promise<AsAdmin> {
  expect((await root('POST', '/admin/admins', { username, password: PASSWORD, role })).status).toBe(201)
  const session = await login(service, username, PASSWORD)
  return withSession(service, ((await session.json()) as Session).token)
}

/** There is always somebody who can make another administrator. */
export function lastSuperadminBehaviour(open: OpenService): void {
  describe('the last superadmin', () => {
    it.each(['root', 'ROOT'])('is not deleted, as %s, whoever else there is', async (name) => {
      const service = await open()
      const root = await asRoot(service)
      await expectError(await root('DELETE', `/admin/admins/${name}`), 'last_superadmin')
      await join(service, root, 'Mia', 'admin')
      await expectError(await root('DELETE', `/admin/admins/${name}`), 'last_superadmin')
      expect((await root('GET', '/admin/me')).status).toBe(200)
      const { entries } = (await (await root('GET', '/admin/audit')).json()) as AuditPage
      expect(entries.map(({ action }) => action).sort()).toEqual(['admin.create', 'login', 'login'])
    })

    it('stays when two superadmins delete each other at once', async () => {
      for (let turn = 0; turn < 5; turn += 1) {
        const service = await open(UNLIMITED)
        const root = await asRoot(service)
        const sue = await join(service, root, 'Sue', 'superadmin')
        const responses = await Promise.all([root('DELETE', '/admin/admins/Sue'), sue('DELETE', '/admin/admins/root')])
        const statuses = responses.map(({ status }) => status)
        expect(statuses.filter((status) => status === 204)).toHaveLength(1)
        expect([401, 409]).toContain(statuses.find((status) => status !== 204))
        const left = statuses[0] === 204 ? root : sue
        expect(await (await left('GET', '/admin/admins')).json()).toMatchObject({ admins: [{ role: 'superadmin' }] })
      }
    })

    it('stays when one of two deletes both at once', async () => {
      const service = await open()
      const root = await asRoot(service)
      await join(service, root, 'Sue', 'superadmin')
      const responses = await Promise.all(
        ['Sue', 'root', 'sue', 'ROOT'].map((name) => root('DELETE', `/admin/admins/${name}`)),
      )
      expect(responses.filter(({ status }) => status === 204)).toHaveLength(1)
      const logins = [await login(service, 'root', 'root-password'), await login(service, 'Sue', PASSWORD)]
      expect(logins.map(({ status }) => status).sort()).toEqual([200, 401])
    })
  })
}
