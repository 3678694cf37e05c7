import { createStorage } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { describeDurability } from '../../src/storage/file/writer.ts'
import { newFolder } from './folders.ts'

const KEEPS_ALL = 'Every acknowledged write is on disk: it survives a killed process and a power loss.'
const LOSES_SOME = /killed process.*power loss can lose acknowledged writes/

test('a store reports its actual durability: every write is on the disk before the acknowledgement', async () => {
  const folder = newFolder()
  for (const state of ['new', 'opened again']) {
    const storage = await createStorage({ driver: 'file', path: folder })
    expect([state, storage.durability, storage.warnings]).toEqual([state, KEEPS_ALL, []])
    await storage.dispose()
  }
})

test.each([
  ['wal', 2, KEEPS_ALL, []],
  ['wal', 3, KEEPS_ALL, []],
  ['wal', 1, LOSES_SOME, [/synchronous = 1.*journal_mode = wal/]],
  ['delete', 2, LOSES_SOME, [/synchronous = 2.*journal_mode = delete/]],
  ['off', 3, LOSES_SOME, [/journal_mode = off/]],
] as const)(
  'the durability of the journal mode %s with synchronous %i is described',
  (journalMode, synchronous, durability, warnings) => {
    const report = describeDurability({ journalMode, synchronous })
    expect(report.durability).toMatch(durability)
    expect(report.durability).toMatch(/^[A-Z].+\.$/)
    expect(report.warnings).toEqual(warnings.map((warning) => expect.stringMatching(warning)))
  },
)
