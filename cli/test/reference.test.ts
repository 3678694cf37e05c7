import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandPages, SERVER_VARIABLES, VARIABLES } from '../build/pages.ts'
import { ERROR_SCHEMA } from '../src/core/errors.ts'

const PACKAGE = join(import.meta.dirname, '..')
const PAGES = await commandPages()
const WRITTEN = readFileSync(join(PACKAGE, 'REFERENCE.md'), 'utf8')

test('every link inside the page leads to a heading, and headings are unique', () => {
  const anchors = [...WRITTEN.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'))
  const links = [...WRITTEN.matchAll(/\]\(#([^)]*)\)/g)].map(([, target]) => target)
  // Comments in examples also begin with #, so ignore lines that no link refers to.
  const headings = anchors.filter((anchor) => links.includes(anchor))
  expect(new Set(links)).toEqual(new Set(headings))
  expect(new Set(headings).size).toBe(headings.length)
})

test('every command is documented with all of its flags, arguments and examples', () => {
  for (const { title, flags, args, examples } of PAGES) {
    const [, section = ''] = WRITTEN.split(`### ${title}\n`)
    const [own = ''] = section.split(/^##/m)
    for (const flag of flags) expect(own, `${title} --${flag.name}`).toContain(`--${flag.name}`)
    for (const arg of args) expect(own, title).toContain(`\`${arg.label}\``)
    for (const { command } of examples) expect(own.split('\n'), title).toContain(command)
  }
})

test('every variable that the program reads is documented', () => {
  const folder = join(PACKAGE, 'src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const named = files.flatMap(
    (file) => readFileSync(join(folder, file), 'utf8').match(/\bFISH_(?!CLI_)[A-Z_]*[A-Z]\b/g) ?? [],
  )
  const known = [...VARIABLES, ...SERVER_VARIABLES].flatMap(({ name, file }) =>
    file ? [name, `${name}_FILE`] : [name],
  )
  expect(named).not.toEqual([])
  // Variables that begin with FISH_CLI_ are excluded, because only completion scripts set them.
  expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([])
  for (const name of known) expect(WRITTEN).toContain(`\`${name.replace(/_FILE$/, '')}\``)
})

test('every field of an error document is documented', () => {
  for (const [name, { description }] of Object.entries(ERROR_SCHEMA.properties.error.properties)) {
    expect(WRITTEN).toMatch(new RegExp(`^\\| \`${name}\` +\\| .* \\| ${description} +\\|$`, 'm'))
  }
})
