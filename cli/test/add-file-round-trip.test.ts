import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readRecords } from '../src/import/reader.ts'
import type { FileRecord } from '../src/import/records.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run, serviceContext } from './harness.ts'

const NAMES = [
  'Cod',
  ' Koi, "big" ',
  ' Eel',
  'Ray\u00a0',
  'a\\tb\\',
  '=1+1',
  "'=1+1",
  '-1',
  '+1',
  '@a',
  "'a",
  '"q',
  'x\u2028y',
  'Koi 🐟',
  "d'or [x] {y}",
  'name',
  '7',
]
const context = serviceContext()
let folder: string
let created = 0

/** Somebody who has caught nothing yet. */
async function newPlayer(): Promise<Env> {
  created += 1
  const { stdout } = await run(['user', 'create', `Reader${created}`, '--json'], { env: context.admin })
  const { name, fernetKey } = JSON.parse(stdout)
  return { ...context.base, ...xdgFolders(folder), FISH_USER: name, FISH_KEY: fernetKey }
}

const listOf = async (who: Env, kind: string, ...flags: readonly string[]) => {
  const { stdout } = await run(['list', kind, ...flags], { env: who })
  return stdout
}

const caught = async (who: Env, kind: 'fish' | 'crabs', ...flags: readonly string[]) => {
  const found = JSON.parse(await listOf(who, kind, '--json', '--detail', ...flags))
  const catches: readonly Record<string, unknown>[] = found.fish ?? found.crab
  return catches.map(({ name, rarity, caughtAt }) => ({ name, rarity, caughtAt }))
}

beforeAll(async () => {
  const catches = NAMES.map((name, index) => ({
    name,
    rarity: 1 + (index % 7),
    caughtAt: new Date(Date.parse('2026-01-01T00:00:00Z') + index * 1000).toISOString(),
  }))
  const crabs = catches.map(({ name, caughtAt }) => ({ kind: 'crab', name, caughtAt }))
  const state = mkdtempSync(join(tmpdir(), 'fish-cli-'))
  const env = { ...context.player, ...xdgFolders(state) }
  const { status } = await run(['add', '--file', '-'], { env, piped: JSON.stringify([...catches, ...crabs]) })
  rmSync(state, { recursive: true, force: true })
  expect(status).toBe(0)
})

beforeEach(() => {
  folder = newFolder()
})

describe('what list prints', () => {
  const FORMS = ['json', 'jsonl', 'csv', 'tsv'] as const
  const CASES = FORMS.flatMap((form) => (['fish', 'crabs'] as const).map((kind) => ({ form, kind })))

  test.each(CASES)('of $kind as $form can be given to add --file, in a file and on stdin', async ({ form, kind }) => {
    // The forms that only have columns say nothing of the kind.
    const flags = kind === 'crabs' && form !== 'json' ? ['--crab'] : []
    const original = await caught(context.player, kind)
    for (const source of ['file', 'stdin']) {
      const who = await newPlayer()
      const text = await listOf(context.player, kind, '-o', form, '--detail')
      const file = source === 'file' ? join(folder, `list.${form}`) : '-'
      if (source === 'file') await writeFile(file, text)
      const { status, stderr } = await run(['add', '--file', file, ...flags], { env: who, piped: text })
      expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('line') })
      expect(await caught(who, kind)).toEqual(original)
    }
  })

  test.each(CASES)('of $kind as $form without its times can be given, too', async ({ form, kind }) => {
    const who = await newPlayer()
    const file = join(folder, `list.${form}`)
    await writeFile(file, await listOf(context.player, kind, '-o', form))
    const flags = kind === 'crabs' && form !== 'json' ? ['--crab'] : []
    expect((await run(['add', '--file', file, ...flags], { env: who })).status).toBe(0)
    const original = await caught(context.player, kind)
    expect((await caught(who, kind)).map(({ name, rarity }) => ({ name, rarity }))).toEqual(
      original.map(({ name, rarity }) => ({ name, rarity })),
    )
  })
})

describe('a list as one JSON document', () => {
  test('brings its gamemode and its kind, whatever flags say for the rest', async () => {
    const who = await newPlayer()
    const piped = '{"user":"X","gamemode":"survival","fish":[{"name":"A","rarity":"Gold"}],"crab":[{"name":"C"}]}'
    expect((await run(['add', '--file', '-', '--crab'], { env: who, piped })).status).toBe(0)
    expect(await caught(who, 'fish', '-g', 'survival')).toMatchObject([{ name: 'A', rarity: 'Gold' }])
    expect(await caught(who, 'crabs', '-g', 'survival')).toMatchObject([{ name: 'C' }])
    expect(await caught(who, 'fish')).toEqual([])
  })

  async function* pieces(text: string, size: number) {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
  }

  async function records(extension: string, text: string, size: number): Promise<readonly FileRecord[]> {
    const found: FileRecord[] = []
    for await (const record of readRecords(extension, pieces(text, size))) found.push(record)
    return found
  }

  test('is read the same in whatever pieces it comes', async () => {
    const text =
      '{\n "user": "x,\\"fish\\":[", "more": {"fish": [1]}, "gamemode": "earth",\n "fish" : [\n  {"name":"a]}"},\n 3 ], "n": 1 }\n'
    for (const size of [1, 2, 7, 1000]) {
      expect(await records('json', text, size)).toEqual([
        { line: 4, fields: { name: 'a]}', kind: 'fish', gamemode: 'earth' } },
        { line: 5, problem: expect.any(String) },
      ])
      expect(await records('json', '{"crabs":[],"fish":[]}', size)).toEqual([])
      expect(await records('json', '{"fish":"Cod","rarity":1}', size)).toEqual([
        { line: 1, fields: { name: 'Cod', rarity: 1 } },
      ])
    }
  })

  test.each([
    ['that does not end', '{"fish":[{"name":"a"}'],
    ['that does not end behind its list', '{"fish":[{"name":"a"}]'],
    ['with something behind it', '{"fish":[]} {}'],
    ['that is broken before its list', '{"user":,"fish":[{"name":"a"}]}'],
    ['that is broken behind its list', '{"fish":[{"name":"a"}],}'],
    ['with its gamemode too late', '{"fish":[{"name":"a"}],"gamemode":"earth"}'],
    ['that holds the same list twice', '{"fish":[{"name":"a"}],"fish":[{"name":"b"}]}'],
    ['of counts', '{"user":"Alex","gamemode":"earth","kind":"crab","counts":[{"name":"crab","count":2}]}'],
  ])('%s has a wrong line', async (_title, text) => {
    for (const size of [1, 1000]) expect((await records('json', text, size)).at(-1)).toHaveProperty('problem')
  })

  test('in a line of JSON Lines is no plain crab', async () => {
    expect(await records('jsonl', '{"crab":[{"name":"a"}]}', 100)).toEqual([{ line: 1, problem: expect.any(String) }])
  })

  test('is known without an ending of its name, also where its line does not end in sight', async () => {
    const list = JSON.stringify({
      user: 'Alex',
      n: 1,
      gamemode: 'earth',
      crab: Array.from({ length: 50 }, () => ({ name: 'a' })),
    })
    for (const size of [60, 10_000]) expect(await records('', list, size)).toHaveLength(50)
  })
})

test('a catch without a rarity gets a hint', async () => {
  const who = await newPlayer()
  const { stderr } = await run(['add', '--file', '-'], { env: who, piped: 'name\nHermit\n' })
  expect(stderr).toContain('line 2: rarity: Missing; set one for all with --rarity, or add --crab.')
})
