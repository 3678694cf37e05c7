import { createStorage } from '@fish-crab/server/storage'
import { expect, it, vi } from 'vitest'
import { newFolder } from './data-folder.ts'
import { startTestServer } from './running.ts'

it('a start that cannot load the app fails, and closes the store', async () => {
  const path = newFolder()
  vi.doMock('../../src/app/app.ts', () => {
    throw new Error('EMFILE: too many open files')
  })
  await expect(startTestServer({ FISH_STORAGE: `file:${path}` })).rejects.toThrow()
  const storage = await createStorage({ driver: 'file', path })
  await storage.dispose()
})
