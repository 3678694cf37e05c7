import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'

const INSIDE = /[\\/]@oclif[\\/]core[\\/]lib[\\/]/
const FEWEST = 50
const PARTS = fileURLToPath(new URL('oclif-parts.ts', import.meta.url))

/**
 * Loads the parts of oclif when they are first used, not when the program starts: each `require` in it answers a
 * stand-in that loads the module behind it at the first touch, and its index is left out. Its code is bundled as it is,
 * nothing in it is changed. Were oclif to stop being CommonJS, or to move, there would be little to stand in for, and
 * the build fails. The functions of modules of Node that most commands never call are stood in for in the same way.
 */
export function lazyRequires(): Plugin {
  return {
    name: 'lazy-requires',
    setup(build) {
      const seen = new Set<string>()
      const seenOfNode = new Set<string>()
      build.onResolve({ filter: /^@oclif\/core$/ }, ({ kind }) =>
        kind === 'import-statement' ? { path: PARTS } : undefined,
      )
      build.onResolve({ filter: /.*/ }, async ({ path, kind, namespace, importer, resolveDir, pluginData }) => {
        if (kind !== 'require-call' || namespace !== 'file' || pluginData === 'real' || !INSIDE.test(importer)) return
        if (path === 'typescript') return { path, external: true }
        if (isBuiltin(path)) {
          seenOfNode.add(path)
          return { path, namespace: 'lazy', pluginData: { resolveDir, isOclif: false } }
        }
        const real = await build.resolve(path, { importer, resolveDir, kind, pluginData: 'real' })
        if (real.errors.length > 0 || real.path.endsWith('.json')) return real
        seen.add(real.path)
        return { path: real.path, namespace: 'lazy', pluginData: { resolveDir, isOclif: INSIDE.test(real.path) } }
      })
      build.onResolve(
        { filter: /^node:(fs\/promises|os|readline|timers\/promises)$/ },
        ({ kind, namespace, importer, path }) => {
          const isOwn = namespace === 'file' && !importer.includes('node_modules')
          return kind === 'import-statement' && isOwn ? { path, namespace: 'lazy-functions' } : undefined
        },
      )
      build.onLoad({ filter: /.*/, namespace: 'lazy-functions' }, async ({ path }) => ({
        loader: 'js',
        contents: functions(path, await import(path)),
      }))
      build.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path, pluginData: { resolveDir, isOclif } }) => ({
        resolveDir,
        loader: 'js',
        contents: standIn(path, isOclif),
      }))
      build.onEnd(() => {
        if (seen.size >= FEWEST && seenOfNode.size > 0) return
        const text = `Only ${seen.size} modules of oclif, and ${seenOfNode.size} of Node that it uses, are loaded lazily; look at ${import.meta.url}.`
        return { errors: [{ text }] }
      })
    },
  }
}

// These bring half of Node along, and most commands never call them.
function functions(path: string, module: object): string {
  const names = Object.entries(module).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))
  return names
    .map((name) => `export const ${name} = (...args) => require(${JSON.stringify(path)}).${name}(...args)`)
    .join('\n')
}

// The compiler that made oclif's files asks every module whether it was an ES module: answered without loading it.
function standIn(path: string, isOclif: boolean): string {
  return `let real
const load = () => (real ??= require(${JSON.stringify(path)}))
module.exports = new Proxy(function () {}, {
  get: (_, key) => (key === '__esModule' ? ${isOclif} : load()[key]),
  has: (_, key) => key in load(),
  apply: (_, self, args) => Reflect.apply(load(), self, args),
  construct: (_, args) => Reflect.construct(load(), args),
})
`
}
