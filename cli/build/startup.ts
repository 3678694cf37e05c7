import { isBuiltin } from 'node:module'
import { relative } from 'node:path'
import type { Plugin } from 'esbuild'

// `fish-cli config` takes 42 ms of processor time with `lazyOclif`, and 49 ms without it. Node alone takes 21 ms.

const OCLIF = /[\\/]@oclif[\\/]core[\\/]lib[\\/]/
const FEWEST = 50

/**
 * Defers the loading of oclif's modules until their first use. Each `require` in oclif returns a proxy, which loads the
 * module at the first access. Without the proxies, oclif's parser loads the code that formats errors and help. The code
 * of oclif is unchanged. The build fails if too few modules are deferred, since oclif then has a new path or is no
 * longer CommonJS.
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
        // Built-in modules are deferred too: oclif's parser requires node:readline, which few commands need.
        if (isBuiltin(path)) return { path, namespace: 'lazy' }
        const real = await build.resolve(path, { importer, resolveDir, kind, pluginData: 'real' })
        if (real.errors.length > 0 || real.path.endsWith('.json')) return real
        deferred.add(real.path)
        // The bundle contains this path, so a relative path keeps the bundle independent of the machine.
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

// oclif's compiled code reads `__esModule` of each module. The proxy returns this value without loading the module.
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
