import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Journal, NO_DAMAGE, type StoredCatch } from '../prove/journal.ts'

const caught = (name: string, id: string, rarity: StoredCatch['rarity'] = 'Gold'): StoredCatch => ({ id, name, rarity })

async function journalOf(...names: readonly string[]): Promise<{ journal: Journal; file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'fish-journal-'))
  const file = join(folder, 'journal')
  const journal = await Journal.create(file)
  onTestFinished(async () => {
    await journal[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })
  for (const name of names) {
    journal.send({ player: 'Alex', name, rarity: 'Gold' })
    await journal.acknowledge(name, `id ${name}`)
  }
  return { journal, file }
}

const stored = (...catches: readonly StoredCatch[]) => new Map([['Alex', catches]])

test('a journal writes each acknowledgement to disk', async () => {
  const { file } = await journalOf('0 1', '0 2')
  expect(readFileSync(file, 'utf8')).toBe('0 1 id 0 1\n0 2 id 0 2\n')
})

test.each([
  ['no damage if all catches are stored', [caught('0 1', 'id 0 1'), caught('0 2', 'id 0 2')], {}],
  ['a lost catch', [caught('0 1', 'id 0 1')], { lost: 1 }],
  [
    'a catch that is stored twice',
    [caught('0 1', 'id 0 1'), caught('0 2', 'id 0 2'), caught('0 2', 'id 0 2')],
    { doubled: 1, disordered: 1 },
  ],
  ['a catch that no client sent', [caught('0 1', 'id 0 1'), caught('0 2', 'id 0 2'), caught('9 9', 'x')], { torn: 1 }],
  ['a catch with a wrong rarity', [caught('0 1', 'id 0 1', 'Silver'), caught('0 2', 'id 0 2')], { torn: 1 }],
  ['a catch with a wrong id', [caught('0 1', 'other'), caught('0 2', 'id 0 2')], { falselyAcknowledged: 1 }],
  ['catches in the wrong order', [caught('0 2', 'id 0 2'), caught('0 1', 'id 0 1')], { disordered: 1 }],
])('a journal finds %s', async (_, catches, damage) => {
  const { journal } = await journalOf('0 1', '0 2')
  expect(journal.compare(stored(...catches))).toEqual({ ...NO_DAMAGE, ...damage })
})

test('a journal finds a catch that was acknowledged with two ids, and a catch in the collection of another player', async () => {
  const { journal } = await journalOf('0 1')
  await journal.acknowledge('0 1', 'another')
  expect(journal.compare(stored(caught('0 1', 'id 0 1')))).toMatchObject({ falselyAcknowledged: 1 })
  expect(journal.compare(new Map([['Kevin', [caught('0 1', 'id 0 1')]]]))).toMatchObject({ torn: 1 })
})
