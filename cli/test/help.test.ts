import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { commandPages } from '../build/pages.ts'
import type { Command } from '../src/kit/define.ts'
import { COMMANDS } from '../src/program/commands.ts'
import { helpPageIds } from '../src/program/help.ts'
import { parseInput } from '../src/program/parse.ts'
import { wordsFor } from './examples.ts'
import { run } from './harness.ts'

const PAGES = await commandPages()
const WIDTH = 80

/** Parses a command line as the command itself does. @throws an error that describes the problem of the line */
async function parse(argv: readonly string[]): Promise<'parsed'> {
  const found = COMMANDS.find(argv)
  if (!found) throw new Error(`No command begins ${argv.join(' ')}`)
  await parseInput({ ...((await COMMANDS.load([found.id]))[found.id] as Command), id: found.id }, found.rest)
  return 'parsed'
}

describe.each(PAGES)('$title', ({ id, summary, args, flags, examples }) => {
  test('has a summary that fits on one line, and a description of each flag and argument', () => {
    expect(summary).toMatch(/^[A-Z].*\.$/)
    expect(summary.length).toBeLessThanOrEqual(WIDTH)
    for (const arg of args) expect(arg.description, arg.label).not.toBe('')
    for (const flag of flags) expect(flag.summary, flag.name).toMatch(/^[A-Z(].*\.$/)
  })

  test('has examples that use the command and can be parsed', async () => {
    expect(examples).not.toEqual([])
    for (const { command } of examples) {
      const words = wordsFor(command)
      expect(COMMANDS.find(words ?? []), command).toMatchObject({ id })
      await expect(parse(words ?? []), command).resolves.toBe('parsed')
    }
  })

  test('prints its help in 80 columns, with unchanged examples', async () => {
    const { stdout } = await run([...id.split(':'), '--help'])
    expect(stdout.split('\n').filter((line) => line.length > WIDTH)).toEqual([])
    const lines = stdout.split('\n').map((line) => line.trim().replace(/^\$ /, ''))
    for (const { command } of examples) expect(lines).toContain(command)
    expect(stdout).toContain('fish-cli help exit-codes')
  })

  test('prints examples below the usage, and ends with the names of the global flags', async () => {
    const { stdout } = await run([...id.split(':'), '--help'])
    const headers = stdout.match(/^[A-Z]{2,}[A-Z ]*$/gm) ?? []
    expect(headers.slice(0, 2)).toEqual(['USAGE', 'EXAMPLES'])
    expect(headers.slice(-2)).toEqual(['GLOBAL FLAGS', 'EXIT STATUS'])
    const [own = '', end = ''] = stdout.split('GLOBAL FLAGS\n')
    const [, ownFlags = ''] = own.split(/^FLAGS\n/m)
    for (const { name, isGlobal } of flags) {
      expect(isGlobal ? end : ownFlags, name).toMatch(new RegExp(`--${name}\\b`))
      if (isGlobal) expect(ownFlags, name).not.toMatch(new RegExp(`^ +(-., )?--${name}\\b`, 'm'))
    }
    expect(end).toContain('See: fish-cli help flags')
  })
})

test('help flags explains every global flag', async () => {
  const { stdout } = await run(['help', 'flags'])
  expect(stdout.split('\n').filter((line) => line.length > WIDTH)).toEqual([])
  for (const { name, summary, isGlobal } of PAGES.flatMap(({ flags }) => flags)) {
    if (!isGlobal) continue
    expect(stdout).toMatch(new RegExp(`^  --${name}\\b`, 'm'))
    expect(stdout.replace(/\s+/g, ' ')).toContain(summary)
  }
})

test('the test of the examples detects unknown flags and invalid arguments', async () => {
  await expect(parse(['list', '--gamemod', 'earth'])).rejects.toThrow()
  await expect(parse(['user', 'delete'])).rejects.toThrow()
  await expect(parse(['status', 'now'])).rejects.toThrow()
})

test('wordsFor splits a line into words as a shell does', () => {
  expect(wordsFor('pass a | fish-cli add "Bronze Koi" -r 1 > out')).toEqual(['add', 'Bronze Koi', '-r', '1'])
  expect(wordsFor('pass a')).toBeUndefined()
})

test.each([40, 60, 79])('every help page fits %i columns, except commands to paste', async (columns) => {
  for (const id of helpPageIds(COMMANDS)) {
    const words = ['help', ...id.split(':').filter((word) => word !== '')]
    const { stdout } = await run(words, { terminal: true, columns, rows: 500, env: { NO_COLOR: '1' } })
    const tooLong = stdout.split('\n').filter((line) => line.length > columns && !/^ *\$ /.test(line))
    expect(tooLong, id).toEqual([])
  }
})

describe('the main help page', () => {
  test('ends with links to the documentation and to support', async () => {
    const { stdout } = await run(['--help'])
    const end = stdout.slice(stdout.indexOf('DOCUMENTATION AND SUPPORT\n'))
    expect(end.trimEnd().split('\n')).toHaveLength(3)
    const [pages = []] = [end.match(/docs\/\S+\.md/g) ?? []]
    expect(pages).toEqual(['docs/index.md', 'docs/SUPPORT.md'])
    for (const page of pages) expect(existsSync(new URL(`../../${page}`, import.meta.url)), page).toBe(true)
  })

  test('fits 80 columns, and lists every command under the group of users for whom the command is intended', async () => {
    const { stdout } = await run([])
    expect(stdout.split('\n').filter((line) => line.length > WIDTH)).toEqual([])
    for (const id of COMMANDS.ids) expect(stdout).toMatch(new RegExp(`^  ${id.replace(/:.*/, '')} `, 'm'))
    for (const { name } of COMMANDS.groups) expect(stdout).toContain(`FOR ${name.toUpperCase()}\n`)
    for (const verbs of topicVerbs()) expect(stdout.replace(/\s+/g, ' ')).toContain(`: ${verbs.join(', ')} `)
  })

  test('names neither the platform nor the version of Node, because the page is generated at build time', async () => {
    const { stdout } = await run([])
    expect(stdout).not.toContain(process.platform)
    expect(stdout).not.toContain(process.version)
  })

  test('begins with valid commands for new users', async () => {
    const { stdout } = await run(['--help'])
    const [, steps = ''] = /START HERE\n((?: {2}.*\n)+)/.exec(stdout) ?? []
    const lines = steps.match(/\$ fish-cli .*?(?= {2})/g) ?? []
    expect(lines.length).toBeGreaterThan(3)
    expect(steps).toMatch(/fish-cli login \S+ --url /)
    for (const line of lines) await expect(parse(wordsFor(line) ?? []), line).resolves.toBe('parsed')
  })
})

/** The second words of two-word commands, grouped by the users of the commands and by the first word. */
function topicVerbs(): readonly (readonly string[])[] {
  return COMMANDS.groups.flatMap(({ ids }) => {
    const pairs = ids.filter((id) => id.includes(':')).map((id) => id.split(':'))
    return Object.values(Object.groupBy(pairs, ([topic = '']) => topic)).map((group = []) =>
      group.map(([, verb = '']) => verb),
    )
  })
}

test('every command is in exactly one group', () => {
  expect(COMMANDS.groups.flatMap(({ ids }) => ids).toSorted()).toEqual(COMMANDS.ids.toSorted())
})

test('every help page has the same text with and without colours', async () => {
  for (const id of helpPageIds(COMMANDS)) {
    const words = ['help', ...id.split(':').filter((word) => word !== '')]
    const [plain, coloured] = [await run(words), await run(words, { env: { FORCE_COLOR: '1' } })]
    expect(plain.status).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
    expect(coloured.stdout.replace(/\u001b\[[\d;]*m/g, '')).toBe(plain.stdout)
  }
})
