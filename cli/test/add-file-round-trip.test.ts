import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
  '＝1+1',
  '＋1',
  '－1',
  '＠a',
  "''＝1+1",
  ' =1+1',
  '\u200b=1+1',
  "'  ",
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

/** Creates a player without catches, and returns the environment for commands of the player. */
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

describe('the output of list', () => {
  const FORMS = ['json', 'csv'] as const
  const CASES = FORMS.flatMap((form) => (['fish', 'crabs'] as const).map((kind) => ({ form, kind })))

  test.each(CASES)(
    'can be added again with add --file, from a file and from stdin: $kind as $form',
    async ({ form, kind }) => {
      // The CSV of `list` has no column for the kind.
      const flags = kind === 'crabs' && form !== 'json' ? ['--crab'] : []
      const original = await caught(context.player, kind)
      for (const source of ['file', 'stdin']) {
        const who = await newPlayer()
        const text = await listOf(context.player, kind, `--${form}`, '--detail')
        const file = source === 'file' ? join(folder, `list.${form}`) : '-'
        if (source === 'file') await writeFile(file, text)
        const { status, stderr } = await run(['add', '--file', file, ...flags], { env: who, piped: text })
        expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('Line') })
        expect(await caught(who, kind)).toEqual(original)
      }
    },
  )

  test.each(CASES)(
    'can also be added again if it lacks the times that --detail prints: $kind as $form',
    async ({ form, kind }) => {
      const who = await newPlayer()
      const file = join(folder, `list.${form}`)
      await writeFile(file, await listOf(context.player, kind, `--${form}`))
      const flags = kind === 'crabs' && form !== 'json' ? ['--crab'] : []
      expect((await run(['add', '--file', file, ...flags], { env: who })).status).toBe(0)
      const original = await caught(context.player, kind)
      expect((await caught(who, kind)).map(({ name, rarity }) => ({ name, rarity }))).toEqual(
        original.map(({ name, rarity }) => ({ name, rarity })),
      )
    },
  )
})

describe('a JSON document with lists of catches', () => {
  test('takes precedence over the flags for the gamemode and the kind', async () => {
    const who = await newPlayer()
    const piped = '{"user":"X","gamemode":"survival","fish":[{"name":"A","rarity":"Gold"}],"crab":[{"name":"C"}]}'
    expect((await run(['add', '--file', '-', '--crab'], { env: who, piped })).status).toBe(0)
    expect(await caught(who, 'fish', '-g', 'survival')).toMatchObject([{ name: 'A', rarity: 'Gold' }])
    expect(await caught(who, 'crabs', '-g', 'survival')).toMatchObject([{ name: 'C' }])
    expect(await caught(who, 'fish')).toEqual([])
  })

  test.each([
    ['no closing brace', '{"fish":[{"name":"a"}]', 'not valid JSON'],
    ['text after the end', '{"fish":[]} {}', 'not valid JSON'],
    [
      'counts instead of catches',
      '{"user":"Alex","gamemode":"earth","kind":"crab","counts":[]}',
      'Catch 1: Is a list, not a catch.',
    ],
    ['nested in an array', '[{"crab":[{"name":"a"}]}]', 'Catch 1: Is a list, not a catch.'],
    ['no catches', '{"crabs":[],"fish":[]}', 'The file contains no catches.'],
  ])('is rejected if it is invalid: %s', async (_title, piped, problem) => {
    const { status, stdout } = await run(['add', '--file', '-', '--json'], { env: await newPlayer(), piped })
    expect([status, JSON.parse(stdout).error.message]).toEqual([2, expect.stringContaining(problem)])
  })

  test('is accepted if demo --json has printed it', async () => {
    const who = await newPlayer()
    const { stdout: piped } = await run(['demo', '--json'], { env: who })
    expect(await run(['add', '--file', '-'], { env: who, piped })).toMatchObject({ status: 0 })
    const { fish, crab } = JSON.parse(piped)
    expect(await caught(who, 'fish')).toHaveLength(fish.length)
    expect(await caught(who, 'crabs')).toHaveLength(crab.length)
  })
})

test('the error for a catch without a rarity suggests --rarity and --crab', async () => {
  const who = await newPlayer()
  const { stderr } = await run(['add', '--file', '-'], { env: who, piped: 'name\nHermit\n' })
  expect(stderr).toContain(
    'Line 2: rarity: Missing; to set it for all fish, add --rarity. If the catches are crabs, add --crab.',
  )
})

describe('export and add --file', () => {
  const add = (file: string, env: Env, ...more: readonly string[]) =>
    run(['add', '--file', file, '--json', ...more], { env: { ...env, FISH_GAMEMODE: '' } })
  const exported = async (format: string) => {
    const file = join(folder, `export.${format}`)
    const status = await run(['export', '--format', format, '--out', file, '--force'], { env: context.admin })
    expect(status).toMatchObject({ status: 0 })
    return file
  }

  test.each(['csv', 'jsonl'])('adds the catches of one player in an export in the format %s', async (format) => {
    const [from, other, to] = [await newPlayer(), await newPlayer(), await newPlayer()]
    expect((await run(['add', '=1+1', 'Koi', '-r', 'gold', '--yes'], { env: from })).status).toBe(0)
    expect((await run(['add', '--crab', '-g', 'survival'], { env: from })).status).toBe(0)
    expect((await run(['add', 'Cod', '-r', '1'], { env: other })).status).toBe(0)
    const file = await exported(format)

    const refused = await add(file, to)
    expect([refused.status, JSON.parse(refused.stdout).error]).toMatchObject([
      2,
      { code: 'usage', hint: expect.stringContaining('--player NAME') },
    ])
    const player = `${from.FISH_USER}`
    expect(JSON.parse((await add(file, to, '--player', player)).stdout)).toMatchObject({ catches: 3, sent: 3 })
    expect(JSON.parse((await add(file, to, '--player', player.toUpperCase())).stdout)).toMatchObject({ skipped: 3 })
    expect((await listOf(to, 'fish', '--csv', '--filter', 'rarity=gold')).split('\r\n').toSorted()).toEqual(
      (await listOf(from, 'fish', '--csv')).split('\r\n').toSorted(),
    )
    expect(await listOf(to, 'crabs', '-g', 'survival')).not.toBe('')
    expect(await add(file, to, '--player', 'Nobody')).toMatchObject({ status: 2 })
  })

  test('accepts an export that contains only the player of the command', async () => {
    const who = await newPlayer()
    const file = join(folder, 'own.csv')
    await writeFile(
      file,
      `player,kind,gamemode,name,rarity,caughtAt,id,entry\r\n${who.FISH_USER?.toLowerCase()},fish,earth,Cod,1,2026-01-01T00:00:00.000Z,x,0\r\n`,
    )
    expect(JSON.parse((await add(file, who)).stdout)).toMatchObject({ catches: 1, sent: 1 })
  })
})
