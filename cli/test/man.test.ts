import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bold, line, manPages, readManSources, request } from '../build/man.ts'
import { readManifest } from '../src/package.ts'
import { COMMANDS } from '../src/runtime/commands.ts'

const runFile = promisify(execFile)
const SOURCES = await readManSources()
const PAGES = manPages(SOURCES)

/** Why a program cannot be run here, for the title of a test; empty where it can. */
function lacking(program: string): string {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error ? ` (skipped: no ${program} here)` : ''
}

const NO_GROFF = lacking('groff')
const NO_MANDOC = spawnSync('mandoc', ['-Tlint'], { input: '' }).error ? ' (skipped: no mandoc here)' : ''
const NO_LEXGROG = lacking('lexgrog')

let folder = ''
let files: readonly string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fish-man-'))
  await Promise.all(PAGES.map(({ file, text }) => writeFile(join(folder, file), text)))
  files = PAGES.map(({ file }) => join(folder, file))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('there is a page for the program, every command and every topic, and package.json names them all; `npm run generate` makes it so', () => {
  const ids = [...new Set([...COMMANDS.ids, ...Object.keys(COMMANDS.topics)])]
  const expected = ['fish-cli.1', ...ids.map((id) => `fish-cli-${id.replaceAll(':', '-')}.1`)]
  expect(PAGES.map(({ file }) => file).toSorted()).toEqual(expected.toSorted())
  const { man } = readManifest() as { readonly man?: readonly string[] }
  expect(man?.toSorted()).toEqual(expected.map((file) => `./dist/man/${file}`).toSorted())
})

test('a page has the sections that readers look for, and the same text whenever it is built', () => {
  for (const { file, text } of PAGES) {
    const sections = [...text.matchAll(/^\.SH "?([A-Z ]+)/gm)].map(([, name]) => name)
    expect(sections, file).toEqual(
      expect.arrayContaining(['NAME', 'SYNOPSIS', 'DESCRIPTION', 'EXIT STATUS', 'EXAMPLES', 'SEE ALSO']),
    )
    expect(text).toContain(`"fish\\-cli ${SOURCES.version}"`)
  }
  expect(manPages(SOURCES)).toEqual(PAGES)
  expect(PAGES.find(({ file }) => file === 'fish-cli-list.1')?.text).toMatch(/^\.SH (OPTIONS|ENVIRONMENT|FILES)$/m)
})

test('what a page refers to is a page', () => {
  const names = PAGES.map(({ file }) => file.replace(/\.1$/, ''))
  for (const { text } of PAGES) {
    for (const [, name = ''] of text.matchAll(/\\fB(fish\S*)\\fP\(1\)/g))
      expect(names).toContain(name.replaceAll('\\', ''))
  }
})

describe.skipIf(NO_GROFF)(`groff${NO_GROFF}`, () => {
  test('has no warning about any page', async () => {
    const { stderr } = await runFile('groff', ['-man', '-ww', '-z', '-Tutf8', ...files])
    expect(stderr).toBe('')
  })

  test('would have one about a page that is wrong', async () => {
    const wrong = join(folder, 'wrong.1')
    await writeFile(wrong, '.TH A 1\n.SH NAME\na \\- \\[nosuchsign]\n')
    expect((await runFile('groff', ['-man', '-ww', '-z', '-Tutf8', wrong])).stderr).toContain('nosuchsign')
  })

  test('shows the examples of each page word for word, and its flags', async () => {
    const shown = await asShown(files)
    const lines = new Set(shown.split('\n').map((each) => each.trim()))
    for (const { examples, flags } of SOURCES.pages) {
      for (const { command } of examples) expect(lines).toContain(command)
      for (const flag of flags) expect(shown).toContain(`--${flag.name}`)
    }
  })

  test('shows every sign of ASCII as it was written, also at the start of a line', async () => {
    const signs = `${String.raw`!"#$%&'()*+,-./:;<=>?@[\]^_{|}~`}\``
    const lines = [signs, `.${signs}`, `'${signs}`, `-${signs}`, String.raw`\fBno\fP \n \*x`, '…▶']
    const page = join(folder, 'signs.1')
    const text = [request('TH', 'A', '1'), '.SH NAME', 'a \\- b', '.nf', ...lines.map(line), bold('.x'), '.fi', '']
    await writeFile(page, text.join('\n'))
    const shown = (await asShown([page])).split('\n').map((each) => each.trim())
    expect(shown).toEqual(expect.arrayContaining([...lines, '.x']))
  })
})

test.skipIf(NO_MANDOC)(`mandoc finds nothing but that there is no date${NO_MANDOC}`, async () => {
  const { stdout } = spawnSync('mandoc', ['-Tlint', '-Wwarning', ...files], { encoding: 'utf8' })
  expect(stdout.split('\n').filter((each) => each !== '' && !each.includes('missing date'))).toEqual([])
})

test.skipIf(NO_LEXGROG)(`apropos finds every page by its name and what it says${NO_LEXGROG}`, async () => {
  const { stdout } = await runFile('lexgrog', [...files])
  for (const { file } of PAGES) expect(stdout).toContain(`${file}: "${file.replace(/\.1$/, '')} - `)
})

/** The text of pages, without what makes it bold or underlined on a terminal. */
async function asShown(pages: readonly string[]): Promise<string> {
  const { stdout } = await runFile('groff', ['-man', '-Tutf8', '-rLL=200n', '-P-cbou', ...pages])
  return stdout
}
