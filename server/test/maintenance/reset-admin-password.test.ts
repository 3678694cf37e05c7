import { join } from 'node:path'
import { resetAdminPassword } from '@fish-crab/server/maintenance'
import { createStorage, itemKey } from '@fish-crab/server/storage'
import { expect, it } from 'vitest'
import { folderContent } from '../../../scripts/test-support/folder-content.ts'
import { plainPasswords } from '../app/memory-service.ts'
import { newFolder } from '../node/data-folder.ts'
import { startTestServer } from '../node/running.ts'

it.each(['', 'seven77', 'x'.repeat(257)])(
  'a new password of an invalid length is refused, and nothing is changed: %o',
  async (password) => {
    const data = join(newFolder(), 'data')
    const env = { FISH_STORAGE: `file:${data}` }
    await (await startTestServer({ ...env, FISH_ADMIN_PASSWORD: 'boss-password' })).close()
    const before = folderContent(data)
    await expect(resetAdminPassword({ env, username: 'admin', password })).rejects.toMatchObject({
      name: 'MaintenanceError',
      code: 'invalid_settings',
      message: 'The new password must have 8 to 256 characters.',
    })
    expect(folderContent(data)).toEqual(before)
  },
)

it('a new password that is not Unicode text is refused', async () => {
  const env = { FISH_STORAGE: `file:${newFolder()}` }
  const reset = resetAdminPassword({ env, username: 'admin', password: 'half \ud83d a fish' })
  await expect(reset).rejects.toMatchObject({
    code: 'invalid_settings',
    message: 'The new password must be well-formed Unicode text, without lone surrogates.',
  })
})

it('a new password is hashed at the cost that OWASP recommends, unless a hasher is given', async () => {
  const path = join(newFolder(), 'data')
  const env = { FISH_STORAGE: `file:${path}` }
  await (await startTestServer({ ...env, FISH_ADMIN_PASSWORD: 'boss-password' })).close()
  await resetAdminPassword({ env, username: 'admin', password: 'another-password' })
  const storage = await createStorage({ driver: 'file', path })
  const admins = await storage.items.getItem(itemKey('setting', 'admins'))
  await storage.dispose()
  expect(admins).toMatch(/"scrypt\$131072\$8\$1\$/)
})

it('a new password ends the sessions of the administrator', async () => {
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

  await resetAdminPassword({ env, username: 'admin', password: 'another-password', passwords: plainPasswords })
  const after = await startTestServer(env)
  expect(await statusAt(after.url)).toBe(401)
  await after.close()
})
