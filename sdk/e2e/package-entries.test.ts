import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { readDeclarations } from './package-declarations.ts'

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Readonly<Record<string, string>>
}

const require = createRequire(import.meta.url)
const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as Manifest
const ENTRIES = Object.keys(manifest.exports).filter((entry) => entry !== './package.json')
const fileOf = (entry: string) => (entry === '.' ? 'index' : entry.slice(2))

const declarations = readDeclarations(ENTRIES.flatMap((entry) => [`${fileOf(entry)}.d.ts`, `${fileOf(entry)}.d.cts`]))

test.each(ENTRIES)(
  'the ES module, the CommonJS module and both declarations of %s export identical names',
  async (entry) => {
    const [esm, cjs] = [`${fileOf(entry)}.d.ts`, `${fileOf(entry)}.d.cts`]
    const specifier = entry.replace('.', '@fish-crab/sdk')
    const values = Object.keys((await import(/* @vite-ignore */ specifier)) as object).sort()
    expect(values.length).toBeGreaterThan(0)
    expect(Object.keys(require(specifier) as object).sort()).toEqual(values)
    expect(declarations.of(esm).values).toEqual(values)
    expect(declarations.of(cjs)).toEqual(declarations.of(esm))
  },
)

test('the declarations compile without errors, even in a project that lacks the types for Node', () => {
  expect(declarations.errors()).toEqual([])
})

test('the package has at most two dependencies', () => {
  expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(2)
})
