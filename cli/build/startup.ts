import { isBuiltin } from 'node:module'
import { relative } from 'node:path'
import type { Plugin } from 'esbuild'

// Build steps for a quick start. Measured in processor time of `fish-cli config`, against
// 21 ms of bare Node: 41 ms with all of it, 48 ms without `lazyOclif`, 42 ms without `toAscii`.

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

/**
 * Escapes what is beyond ASCII in a bundle. One such character makes Node keep all of it in two bytes a character. The
 * bundler has escaped strings and names; what is left stands in regular expressions, where an escape means the same.
 * @example toAscii('/é/u') // '/\\u00e9/u'
 */
export function toAscii(bundle: string): string {
  // A tagged template sees the escape itself.
  if (/\braw`[^`]*[^\0-\x7f]/.test(bundle)) throw new Error('The bundle has a raw template beyond ASCII.')
  // A backslash belongs to the next character: it is dropped before one beyond ASCII, where it means nothing.
  return bundle.replace(/\\[\0-\x7f]|\\?([^\0-\x7f])/g, (whole, beyond?: string) =>
    beyond === undefined ? whole : `\\u${beyond.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
