import { join } from 'node:path'
import { expect, test } from 'vitest'
import { objectId, writeArchive } from '../../scripts/test-support/mongo-dump.ts'
import { newFolder } from './folders.ts'
import { launch } from './maintenance-processes.ts'

const COLLECTIONS = 400

test('a migration of an archive with 400 MB of metadata needs a heap of less than 160 MB', {
  timeout: 60_000,
}, async () => {
  const folder = newFolder()
  const dump = join(folder, 'dump.gz')
  const users = () => [{ _id: objectId(1_700_000_000, 1), id: 'u', name: 'Alex' }]
  await writeArchive(dump, new Map([['users', users]]), {
    gzip: true,
    others: { admin: Array.from({ length: COLLECTIONS }, (_, index) => `c${index}`) },
    metadata: 'x'.repeat(1_000_000),
  })
  const run = launch(['migrate', dump, '--dry-run'], {
    FISH_STORAGE: `file:${join(folder, 'data')}`,
    NODE_OPTIONS: '--max-old-space-size=160',
  })
  expect([await run.closed, run.stderr()]).toEqual([0, expect.stringContaining('players: 1')])
})
