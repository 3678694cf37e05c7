import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandPages } from '../../cli/build/pages.ts'
import { PROJECT } from '../test-support/language-tools.ts'

// The changelog is excluded, because it also names commands that no longer exist.
const PAGES = globSync(['*.md', 'docs/*.md', '{sdk,server,mocks,cli,examples}/README.md'], {
  cwd: PROJECT,
  exclude: ['CHANGELOG.md'],
})

/** Returns the commands of fish-cli in shell blocks and in text, without comments and pipes. */
function commandsOf(page: string): readonly string[] {
  const text = readFileSync(join(PROJECT, page), 'utf8')
  const blocks = Array.from(text.matchAll(/^```sh\n(.*?)^```/gms), ([, block = '']) => block.split('\n')).flat()
  const inline = Array.from(text.replace(/^```.*?^```/gms, '').matchAll(/`([^`]+)`/g), ([, code = '']) =>
    code.replace(/\s+/g, ' '),
  )
  return [...blocks, ...inline].flatMap((line) =>
    line
      .replace(/ # .*| {2,}#.*/, '')
      .split(/ \| | && |[<>]/)
      .flatMap((part) => /^(?:npx )?(fish-cli [a-z].*)/.exec(part.trim())?.[1] ?? []),
  )
}

test('the search for commands finds commands in blocks and in text', () => {
  expect(commandsOf('docs/play.md')).toEqual(expect.arrayContaining(['fish-cli demo', 'fish-cli doctor']))
})

test.each(PAGES)('%s names only existing commands and flags of fish-cli', async (page) => {
  const commands = (await commandPages()).toSorted((one, other) => other.title.length - one.title.length)
  const topics = new Set(commands.map(({ title }) => title.split(' ').slice(0, 2).join(' ')))
  const unknown = commandsOf(page).flatMap((line) => {
    const command = commands.find(({ title }) => line === title || line.startsWith(`${title} `))
    if (!command) return topics.has(line) || /^fish-cli help\b/.test(line) ? [] : [line]
    const flags = ['help', ...command.flags.map(({ name }) => name)]
    const wrong = Array.from(line.matchAll(/ --([a-z-]+)/g), ([, flag = '']) => flag).filter(
      (flag) => !flags.includes(flag),
    )
    return wrong.map((flag) => `${line}: --${flag}`)
  })
  expect(unknown).toEqual([])
})
