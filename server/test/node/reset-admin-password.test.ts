import { join } from 'node:path'
import { resetAdminPassword } from '@fish-crab/server'
import { expect, it } from 'vitest'
import { folderContent } from '../../../scripts/test-support/folder-content.ts'
import { newFolder } from './data-folder.ts'
import { startTestServer } from './running.ts'

it.each(['', 'seven77', 'x'.repeat(257)])('A new password of a wrong length changes nothing: %o', async (password) => {
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
})

it('A new password that is no Unicode text is refused', async () => {
  const env = { FISH_STORAGE: `file:${newFolder()}` }
  const reset = resetAdminPassword({ env, username: 'admin', password: 'half \ud83d a fish' })
  await expect(reset).rejects.toMatchObject({
    code: 'invalid_settings',
    message: 'The new password must be well-formed Unicode text, without lone surrogates.',
  })
})
