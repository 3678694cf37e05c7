import { isBuiltin } from 'node:module'
import { relative } from 'node:path'
import type { Plugin } from 'esbuild'

// Measured in processor time of `fish-cli config`, against 21 ms of bare Node: 42 ms with `lazyOclif`, 7 ms more without.

const OCLIF = /[\\/]@oclif[\\/]core[\\/]lib[\\/]/
const FEWEST = 50

/**
 * Defers the modules of oclif until their first use: each `require` in it returns a proxy that loads the module when it
 * is touched. Its parser would otherwise load what formats errors and help. The code itself is not changed. The build
 * fails when hardly any module is deferred: oclif has stopped being CommonJS, or has moved.
 */
export function lazyOclif(): Plugin {
  return {
    name: 'lazy-oclif',
    setup(build) {
      const deferred = new Set<string>()
      build.onResolve({ filter: /.*/ }, async ({ path, kind, namespace, importer, resolveDir, pluginData }) => {
        const isRequire = kind === 'require-call' && namespace === 'file' && pluginData !== 'real'
        if (!isRequire || !OCLIF.test(importer)) return
        if (path === 'typescript') return { path, external: true }
        // Parts of Node too: the parser names node:readline, which hardly any command needs.
        if (isBuiltin(path)) return { path, namespace: 'lazy' }
        const real = await build.resolve(path, { importer, resolveDir, kind, pluginData: 'real' })
        if (real.errors.length > 0 || real.path.endsWith('.json')) return real
        deferred.add(real.path)
        // The bundle names it: not where this machine has it.
        return { path: relative('', real.path), namespace: 'lazy', pluginData: { resolveDir, file: real.path } }
      })
      build.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path, pluginData }) => {
        const { resolveDir, file = path } = pluginData ?? {}
        return { resolveDir, loader: 'js', contents: proxyOf(file) }
      })
      build.onEnd(() => {
        if (deferred.size >= FEWEST) return
        return {
          errors: [{ text: `Only ${deferred.size} modules of oclif are deferred; check ${import.meta.url}.` }],
        }
      })
    },
  }
}

// oclif's compiler asks each module whether it was an ES module: answered without loading it.
function proxyOf(path: string): string {
  return `let real
const load = () => (real ??= require(${JSON.stringify(path)}))
module.exports = new Proxy(function () {}, {
  get: (_, key) => (key === '__esModule' ? ${OCLIF.test(path)} : load()[key]),
  has: (_, key) => key in load(),
  apply: (_, self, args) => Reflect.apply(load(), self, args),
  construct: (_, args) => Reflect.construct(load(), args),
})
`
}
