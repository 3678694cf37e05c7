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

/** Runs a command on a data folder, and returns what it flushed, as paths in another folder. */
async function flushedBy(skip: (reason: string) => never, argv: readonly string[], data: string, base: string) {
  const disk = createStallingDisk(skip)
  const program = launch(argv, { FISH_STORAGE: `file:${data}`, ...disk.env })
  expect([await program.closed, program.stderr()]).toEqual([0, expect.any(String)])
  return disk
    .flushed()
    .filter((path) => path.startsWith(base))
    .map((path) => path.slice(base.length + 1).replace(/(restore|import|partial)-[^/]+/, '$1'))
}

test('a restore flushes each file and its name before the store gets its name', async ({ skip }) => {
  const [backup, data] = [await makeStore(), join(newFolder(), 'data')]
  const flushed = await flushedBy(skip, ['restore', backup], data, data)
  expect(flushed).toEqual(expect.arrayContaining(['.restore/fish.db']))
  expect(flushed.slice(-2)).toEqual(['', ''])
})

test('an import, a backup and an export flush what they made, and behind it the folder that names it', async ({
  skip,
}) => {
  const [data, parent] = [await makeStore(), newFolder()]
  const [file, copy, target] = ['fish.jsonl', 'copy', 'data'].map((name) => join(parent, name))
  const exported = await flushedBy(skip, ['export', '--out', `${file}`], data, parent)
  expect(exported).toEqual(['fish.jsonl.partial', ''])
  const backup = await flushedBy(skip, ['backup', `${copy}`], data, parent)
  expect(backup.slice(-3)).toEqual(['copy.partial/fish.db-compact', 'copy.partial', ''])
  const imported = await flushedBy(skip, ['import', `${file}`], `${target}`, `${target}`)
  expect(imported).toContain('.import/fish.db')
  expect(imported.at(-1)).toBe('')
})
