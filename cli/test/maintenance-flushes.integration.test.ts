import { join } from 'node:path'
import { createStorage } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { createStallingDisk } from '../../scripts/test-support/stalled-disk.ts'
import { newFolder } from './folders.ts'
import { launch } from './maintenance-processes.ts'

async function makeStore(): Promise<string> {
  const data = join(newFolder(), 'data')
  const storage = await createStorage({ driver: 'file', path: data })
  await storage.items.setItem('note:a', 'text')
  await storage.dispose()
  return data
}

/** Runs a command on a data folder, and returns the paths that the command flushed, relative to `base`. */
async function flushedBy(skip: (reason: string) => never, argv: readonly string[], data: string, base: string) {
  const disk = createStallingDisk(skip)
  const program = launch(argv, { FISH_STORAGE: `file:${data}`, ...disk.env })
  expect([await program.closed, program.stderr()]).toEqual([0, expect.any(String)])
  return disk
    .flushed()
    .filter((path) => path.startsWith(base))
    .map((path) => path.slice(base.length + 1).replace(/(restore|partial)-[^/]+/, '$1'))
}

test('a restore flushes each file and its folder before the store is visible', async ({ skip }) => {
  const [backup, data] = [await makeStore(), join(newFolder(), 'data')]
  const flushed = await flushedBy(skip, ['restore', backup], data, data)
  expect(flushed).toEqual(expect.arrayContaining(['.restore/fish.db']))
  expect(flushed.slice(-2)).toEqual(['', ''])
})

test('a backup flushes its files, and then its parent folder', async ({ skip }) => {
  const [data, parent] = [await makeStore(), newFolder()]
  const flushed = await flushedBy(skip, ['backup', join(parent, 'copy')], data, parent)
  expect(flushed.slice(-3)).toEqual(['copy.partial/fish.db', 'copy.partial', ''])
})
