import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../test-support/child-process.ts'
import { PROJECT } from '../test-support/language-tools.ts'

const AUTHOR = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
}
const PATH = `${join(PROJECT, 'node_modules/.bin')}:${process.env.PATH}`
/** A release takes ten seconds, or several minutes while other tests keep the machine busy. */
const MAX_MS = 300_000
const REPORT = 'sdk/api/fernet.api.md'

let folder: string
let clone: string

/** Clones the committed files, with a separate remote to which releases are pushed. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fish-crab-release-'))
  clone = join(folder, 'fish-crab')
  const origin = join(folder, 'origin.git')
  await succeeds('git', ['clone', '--quiet', '--bare', PROJECT, origin], PROJECT)
  await succeeds('git', ['update-ref', 'refs/heads/main', 'HEAD'], origin)
  await succeeds('git', ['clone', '--quiet', '--branch', 'main', origin, clone], PROJECT)
  for (const tag of (await git('tag')).split('\n').filter(Boolean)) await git('tag', '--delete', tag)
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\ndist\n')
  symlinkSync(join(PROJECT, 'node_modules'), join(clone, 'node_modules'))
  for (const name of ['sdk', 'server', 'mocks', 'cli'])
    symlinkSync(join(PROJECT, name, 'dist'), join(clone, name, 'dist'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function succeeds(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { status, stdout, stderr } = await run(command, args, { ...AUTHOR, PATH }, cwd)
  expect({ status, ...(status === 0 ? {} : { stdout, stderr }) }).toEqual({ status: 0 })
  return stdout
}

const git = (...args: readonly string[]) => succeeds('git', args, clone)
const release = (...args: readonly string[]) =>
  run(
    'release-it',
    ['--config', 'scripts/release/release-it.json', ...args, '--ci'],
    { ...AUTHOR, PATH, NO_COLOR: '1' },
    clone,
    { maxMs: MAX_MS },
  )
const manifestOf = (name: string) => JSON.parse(readFileSync(join(clone, name, 'package.json'), 'utf8'))

test('a dry run shows what a release would do, and changes nothing', { timeout: MAX_MS }, async () => {
  const before = await git('rev-parse', 'HEAD')
  const { status, stdout, stderr } = await release('minor', '--dry-run')
  expect({ status, stderr }).toMatchObject({ status: 0 })
  expect(`${stdout}${stderr}`).toContain('git tag --annotate')
  expect(await git('rev-parse', 'HEAD')).toBe(before)
  expect(await git('status', '--porcelain')).toBe('')
  expect(await git('tag')).toBe('')
})

test('a release updates the versions and the changelog, stores data for the tests of later releases, and is tagged and pushed', {
  timeout: MAX_MS,
}, async () => {
  const { version } = manifestOf('.')
  writeFileSync(join(clone, 'stray.txt'), 'not a part of any release')
  expect(await release(version)).toMatchObject({ status: 0 })
  expect(await git('status', '--porcelain')).toBe('?? stray.txt\n')
  rmSync(join(clone, 'stray.txt'))
  for (const name of ['.', 'sdk', 'server', 'mocks', 'cli', 'examples']) {
    const { dependencies, devDependencies, ...manifest } = manifestOf(name)
    expect(manifest.version).toBe(version)
    const own = Object.entries({ ...devDependencies, ...dependencies }).filter(([each]) =>
      each.startsWith('@fish-crab/'),
    )
    const isPublished = manifest.private !== true
    const expected = own.map(([each]) => (isPublished && each in (dependencies ?? {}) ? `^${version}` : version))
    expect(own.map(([, range]) => range)).toEqual(expected)
  }
  const { packages } = JSON.parse(readFileSync(join(clone, 'package-lock.json'), 'utf8'))
  expect([packages[''].version, packages.sdk.version]).toEqual([version, version])
  expect(readFileSync(join(clone, 'sdk/src/client/core/options.ts'), 'utf8')).toContain(`fish-crab-sdk/${version}`)
  expect(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8')).toMatch(
    new RegExp(`^## \\[Unreleased\\]\n\n## \\[${version}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm'),
  )
  expect(existsSync(join(clone, `scripts/e2e/releases/${version}.tar.gz`))).toBe(true)
  expect(await git('status', '--porcelain')).toBe('')
  const pushed = await git('ls-remote', 'origin', `refs/tags/v${version}^{}`, 'refs/heads/main')
  const head = (await git('rev-parse', 'HEAD')).trim()
  expect(pushed.match(new RegExp(head, 'g'))).toHaveLength(2)
})

test('a release that breaks public types fails before it changes a file, unless its version is a breaking one', {
  timeout: MAX_MS,
}, async () => {
  const [major, minor] = manifestOf('.').version.split('.').map(Number)
  const report = readFileSync(join(clone, REPORT), 'utf8')
  writeFileSync(join(clone, REPORT), report.replace('    readonly ttlSeconds?: number;\n', ''))
  const entry = '## [Unreleased]\n\n### Removed\n\n- `ttlSeconds`.\n'
  const changelog = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8').replace('## [Unreleased]\n', entry)
  writeFileSync(join(clone, 'CHANGELOG.md'), changelog)
  await git('commit', '--quiet', '--all', '--message', 'Remove an option')

  const refused = await release('patch')
  expect(refused.status).toBe(1)
  expect(refused.stderr + refused.stdout).toContain(
    `${REPORT}: - export interface DecryptOptions { readonly ttlSeconds?`,
  )
  expect(await git('status', '--porcelain')).toBe('')

  const breaking = major === 0 ? `0.${minor + 1}.0` : `${major + 1}.0.0`
  await succeeds('node', ['scripts/release/check-api.ts', breaking], clone)
})
