import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'

interface Types {
  readonly types: string
}
interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | Types | { readonly import: Types; readonly require: Types }>>
}

const NODE10: ts.CompilerOptions = { module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 }

const ENTRIES = ['sdk', 'mocks'].flatMap((folder) => {
  const text = readFileSync(new URL(`../../../${folder}/package.json`, import.meta.url), 'utf8')
  const { name, exports } = JSON.parse(text) as Manifest
  return Object.entries(exports).flatMap(([entry, targets]) => {
    if (typeof targets === 'string') return []
    const { types } = 'require' in targets ? targets.require : (targets as Types)
    return [{ specifier: entry.replace('.', name), root: `/node_modules/${name}/`, types: types.slice(2), text }]
  })
})

test.each(ENTRIES)(
  'TypeScript finds the types of $specifier with the resolution node10, as in ts-jest',
  ({ specifier, root, types, text }) => {
    const files = new Map([
      [`${root}package.json`, text],
      [`${root}${types}`, ''],
    ])
    const host = { fileExists: (file: string) => files.has(file), readFile: (file: string) => files.get(file) }
    const { resolvedModule } = ts.resolveModuleName(specifier, '/program.ts', NODE10, host)
    expect(resolvedModule?.resolvedFileName).toBe(`${root}${types}`)
  },
)
