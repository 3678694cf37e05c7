// Imported first by scripts that run the packages from their sources: published names resolve as in tsconfig.json.
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
