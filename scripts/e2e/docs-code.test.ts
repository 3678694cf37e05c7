import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createMock } from '@fish-crab/mocks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../test-support/child-process.ts'
import { PROJECT } from '../test-support/language-tools.ts'
import { installPackages } from '../test-support/packed.ts'

interface Block {
  readonly page: string
  /** Line of the fence, from 1. */
  readonly line: number
  readonly code: string
  /** The file that the code is compiled as. */
  readonly file: string
}

const PAGES = globSync(['*.md', '*/README.md', 'docs/*.md'], { cwd: PROJECT }).filter(
  (page) => !page.startsWith('node_modules') && page !== 'CHANGELOG.md',
)

/** What fragments use and do not declare, by page. A block that declares or imports a name needs no declaration of it. */
const DECLARED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': { key: 'declare const key: string' },
  'sdk/README.md': {
    key: 'declare const key: string',
    client: "declare const client: import('@fish-crab/sdk').Client",
    entries: "declare const entries: import('@fish-crab/sdk').FishInput[]",
    user: 'declare const user: string',
    gamemode: "declare const gamemode: import('@fish-crab/sdk').Gamemode",
    signal: 'declare const signal: AbortSignal',
    timeoutMs: 'declare const timeoutMs: number',
    deadlineMs: 'declare const deadlineMs: number',
    maxWaitMs: 'declare const maxWaitMs: number',
    maxRetries: 'declare const maxRetries: number',
    show: 'declare function show(...values: (string | undefined)[]): void',
    id: 'declare const id: string',
    password: 'declare const password: string',
    lastEventId: 'declare let lastEventId: string',
  },
  'mocks/README.md': {
    mock: "declare const mock: import('@fish-crab/mocks').Mock",
    http: "import { http, passthrough } from 'msw'",
    setupWorker: "import { setupWorker } from 'msw/browser'",
  },
  'server/README.md': {
    encryption: "declare const encryption: import('@fish-crab/server/app').AppOptions['secrets']['encryption']",
    session: "declare const session: import('@fish-crab/server/app').AppOptions['secrets']['session']",
    passwords: "declare const passwords: import('@fish-crab/server/app').AppOptions['passwords']",
    'app.fetch': "declare const app: import('@fish-crab/server/app').App",
  },
}

let root: string
const mock = await createMock({ seed: { users: [{ name: 'Alex' }] }, limits: { requests: 1000 } })

beforeAll(async () => {
  mkdirSync(join(PROJECT, '.tmp'), { recursive: true })
  // Inside of the project, so that third-party packages are found further up, and nothing has to be downloaded.
  root = mkdtempSync(join(PROJECT, '.tmp', 'code-'))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  await installPackages(['sdk', 'server', 'mocks'], root)
})
afterAll(async () => {
  await mock.close()
  rmSync(root, { recursive: true, force: true })
})

const blocks: readonly Block[] = PAGES.flatMap((page) => {
  const text = readFileSync(join(PROJECT, page), 'utf8')
  return Array.from(text.matchAll(/^```(?:ts|tsx|js|mjs)\n(.*?)^```$/gms), ({ index, 1: code = '' }) => {
    const line = text.slice(0, index).split('\n').length
    return { page, line, code, file: `${page.replaceAll(/\W/g, '-')}-${line}.mts` }
  })
})
const compile = (files: readonly string[]) =>
  run(
    process.execPath,
    [
      join(PROJECT, 'node_modules/typescript/bin/tsc'),
      ...['--noEmit', '--ignoreConfig', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext'],
      ...['--lib', 'esnext,dom,dom.asynciterable', '--types', 'node', ...files],
    ],
    {},
    root,
  )

test('every block of TypeScript or JavaScript compiles strictly, and programs run', async () => {
  const programs: Block[] = []
  for (const block of blocks) {
    const { page, code, file } = block
    const given = Object.entries(DECLARED[page] ?? {}).filter(
      ([name]) => new RegExp(`(?<![.\\w'])${name}\\b(?!:)`).test(code) && !new RegExp(`(const|let) .*\\b${name}\\b.* = |import .*\\b${name}\\b`).test(code),
    )
    const preamble = given.map(([, declaration]) => declaration)
    writeFileSync(join(root, file), `${[...preamble, code].join('\n')}\nexport {}\n`)
    if (/^import .*'@fish-crab/m.test(code) && given.every(([name]) => name === 'key')) programs.push(block)
  }
  const compiled = await compile(blocks.map(({ file }) => file))
  expect(compiled.stdout).toBe('')
  console.log(`${blocks.length} blocks compiled, ${programs.length} programs run: ${programs.map(({ page, line }) => `${basename(page)} ${page}:${line}`).join(', ')}`)
})
