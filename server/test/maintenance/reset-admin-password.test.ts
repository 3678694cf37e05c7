import { join } from 'node:path'
import { resetAdminPassword } from '@fish-crab/server/maintenance'
import { createStorage, itemKey } from '@fish-crab/server/storage'
import { expect, it } from 'vitest'
import { folderContent } from '../../../scripts/test-support/folder-content.ts'
import { newFolder } from '../node/data-folder.ts'
import { startTestServer } from '../node/running.ts'

it('an invalid new password is refused, and nothing is changed', async () => {
  const data = join(newFolder(), 'data')
  const env = { FISH_STORAGE: `file:${data}` }
  await (await startTestServer({ ...env, FISH_ADMIN_PASSWORD: 'boss-password' })).close()
  const before = folderContent(data)
  for (const [password, problem] of [
    ['', 'have 8 to 256 characters'],
    ['seven77', 'have 8 to 256 characters'],
    ['x'.repeat(257), 'have 8 to 256 characters'],
    ['half \ud83d a fish', 'be well-formed Unicode text, without lone surrogates'],
  ] as const) {
    await expect(resetAdminPassword({ env, username: 'admin', password })).rejects.toMatchObject({
      name: 'MaintenanceError',
      code: 'invalid_settings',
      message: `The new password must ${problem}.`,
    })
    expect(folderContent(data)).toEqual(before)
  }
})

it('a new password ends the sessions of the administrator, and is hashed at the cost that OWASP recommends', async () => {
  const data = join(newFolder(), 'data')
  const env = { FISH_STORAGE: `file:${data}`, FISH_ADMIN_PASSWORD: 'boss-password' }
  const before = await startTestServer(env)
  const json = { 'content-type': 'application/json' }
  const body = JSON.stringify({ username: 'admin', password: 'boss-password' })
  const login = await fetch(`${before.url}/admin/login`, { method: 'POST', headers: json, body })
  const { token } = (await login.json()) as { token: string }
  const statusAt = async (url: string) => {
    const response = await fetch(`${url}/admin/stats`, { headers: { authorization: `Bearer ${token}` } })
    return response.status
  }
  expect(await statusAt(before.url)).toBe(200)
  await before.close()

  await resetAdminPassword({ env, username: 'admin', password: 'another-password' })
  const storage = await createStorage({ driver: 'file', path: data })
  expect(await storage.items.getItem(itemKey('setting', 'admins'))).toMatch(/"scrypt\$131072\$8\$1\$/)
  await storage.dispose()
  const after = await startTestServer(env)
  expect(await statusAt(after.url)).toBe(401)
  await after.close()
})
