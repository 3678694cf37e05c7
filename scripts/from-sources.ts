// Scripts import this module first to run the packages from their sources. Package names resolve to the paths in
// tsconfig.json.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const ROOT = new URL('../', import.meta.url)
const { paths } = JSON.parse(readFileSync(new URL('tsconfig.json', ROOT), 'utf8')).compilerOptions as {
  readonly paths: Readonly<Record<string, readonly [string]>>
}

registerHooks({
  resolve(specifier, context, next) {
    const source = paths[specifier]?.[0]
    return source
      ? { url: new URL(source, ROOT).href, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context)
  },
})
