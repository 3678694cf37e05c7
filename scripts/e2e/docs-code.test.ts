import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMock } from '@fish-crab/mocks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../test-support/child-process.ts'
import { PROJECT } from '../test-support/language-tools.ts'
import { installPackages } from '../test-support/packed.ts'

const PAGES = globSync(['README.md', '*/README.md', 'docs/*.md'], { cwd: PROJECT }).filter(
  (page) => !page.startsWith('node_modules'),
)

/** Declares `key`, the only value that readers of the documentation fill in themselves. */
const KEY = 'const key: string'

/** Declarations of the names that code blocks use without declaring them, by page. */
const DECLARATIONS: Readonly<Record<string, string>> = {
  'sdk/README.md': `
    const client: import('@fish-crab/sdk').Client
    const entries: import('@fish-crab/sdk').FishInput[]
    const gamemode: import('@fish-crab/sdk').Gamemode
    const signal: AbortSignal
    const [user, id, password]: string[]
    const [timeoutMs, maxWaitMs, maxRetries]: number[]
    let lastEventId: string
    function show(...values: (string | undefined)[]): void`,
  'mocks/README.md': `
    const mock: import('@fish-crab/mocks').Mock
    const { expect }: typeof import('@jest/globals')`,
  'docs/mocks.md': `
    const mock: import('@fish-crab/mocks').Mock
    const { http, passthrough }: typeof import('msw')
    const { setupWorker }: typeof import('msw/browser')`,
  'docs/embed.md': `
    const app: import('@fish-crab/server/app').App
    const secrets: import('@fish-crab/server/app').AppOptions['secrets']
    const { encryption, session }: typeof secrets
    const passwords: import('@fish-crab/server/app').AppOptions['passwords']
    function myDriver(): import('@fish-crab/server/storage').StorageDriver
    const { Hono }: typeof import('hono')
    const { getConnInfo }: typeof import('@hono/node-server/conninfo')
    const express: typeof import('express')
    const { serve }: typeof import('srvx')
    const { NodeRequest, sendNodeResponse }: typeof import('srvx/node')
    type Handler<Other> = (request: Request, other: Other) => Promise<Response>
    const Bun: {
      serve(options: {
        fetch: Handler<{ requestIP(request: Request): { address: string } | null }>
      }): void
    }
    const Deno: { serve(handler: Handler<{ remoteAddr: { hostname: string } }>): void }`,
}

interface Block {
  readonly page: string
  /** The line of the opening fence, from 1. */
  readonly line: number
  readonly code: string
  /** The name of the file with the block, without the extension. */
  readonly name: string
}

const BLOCKS: readonly Block[] = PAGES.flatMap((page) => {
  const text = readFileSync(join(PROJECT, page), 'utf8')
  return Array.from(text.matchAll(/^```(?:ts|tsx|js|mjs)\n(.*?)^```$/gms), ({ index, 1: code = '' }) => {
    const line = text.slice(0, index).split('\n').length
    return { page, line, code, name: `${page.replaceAll(/\W/g, '-')}-${line}` }
  })
})

let root: string

beforeAll(async () => {
  mkdirSync(join(PROJECT, '.tmp'), { recursive: true })
  // The folder is inside the project, so that third-party packages resolve without a download.
  root = mkdtempSync(join(PROJECT, '.tmp', 'code-'))
  await installPackages(['sdk', 'server', 'mocks'], root)
  for (const { code, name } of BLOCKS) writeFileSync(join(root, `${name}.mts`), `${code}\nexport {}\n`)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const STRICT = [
  '--noEmit',
  '--ignoreConfig',
  '--strict',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--target',
  'esnext',
]

/** Compiles blocks together with some declarations. @returns the errors, each with its file */
async function errorsOf(blocks: readonly Block[], declarations: string): Promise<readonly string[]> {
  // The declarations are global, so that a block may declare a name itself.
  writeFileSync(join(root, 'globals.d.mts'), `declare global {\n${declarations}\n}\nexport {}\n`)
  const files = ['globals.d.mts', ...blocks.map(({ name }) => `${name}.mts`)]
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, ...STRICT, '--types', 'node', ...files], {}, root)
  return stdout.split('\n').filter((line) => line !== '')
}

test('every block of TypeScript or JavaScript in the documentation compiles in strict mode with the packed packages', async () => {
  expect(BLOCKS.length).toBeGreaterThan(15)
  const errors: string[] = []
  for (const page of new Set(BLOCKS.map((block) => block.page))) {
    const blocks = BLOCKS.filter((block) => block.page === page)
    errors.push(...(await errorsOf(blocks, `${KEY}\n${DECLARATIONS[page] ?? ''}`)))
  }
  expect(errors).toEqual([])
  process.stdout.write(`${BLOCKS.length} blocks compiled\n`)
})

const VITEST = [join(PROJECT, 'node_modules/vitest/vitest.mjs'), 'run']

test('every block in the documentation that declares all its names except `key` runs as a program', async () => {
  const errors = await errorsOf(BLOCKS, KEY)
  const programs = BLOCKS.filter(({ name }) => !errors.some((error) => error.startsWith(`${name}.mts(`)))
  expect(programs.length).toBeGreaterThan(5)
  const mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
  const { url } = await mock.serve()
  const { user, fernetKey } = mock.client('Alex')
  const client = { FISH_URL: url, FISH_USER: user, FISH_KEY: fernetKey, FISH_GAMEMODE: 'earth' }
  const env = { ...client, XDG_STATE_HOME: join(root, 'state'), NO_COLOR: '1' }
  const failures: unknown[] = []
  for (const { page, line, code, name } of programs) {
    const isSuite = code.includes("'vitest'")
    const file = `${name}.${isSuite ? 'test.ts' : 'run.mts'}`
    // Replaces Jest with the test runner of Node and the package `expect`, which Jest re-exports.
    const runnable = code
      .replace(/https:\/\/fish\.example|http:\/\/127\.0\.0\.1:8787/, url)
      .replace(
        "import { expect, test } from '@jest/globals'",
        "import { test } from 'node:test'\nimport { expect } from 'expect'",
      )
    writeFileSync(join(root, file), `const key = process.env.FISH_KEY ?? ''\n${runnable}`)
    const { status, stdout, stderr } = await run(process.execPath, [...(isSuite ? VITEST : []), file], env, root)
    if (status !== 0) failures.push({ program: `${page}:${line}`, stdout, stderr })
  }
  await mock.close()
  expect(failures).toEqual([])
  process.stdout.write(
    `${programs.length} programs run: ${programs.map(({ page, line }) => `${page}:${line}`).join(' ')}\n`,
  )
})
