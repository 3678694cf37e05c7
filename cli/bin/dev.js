#!/usr/bin/env node
// Runs fish-cli from the sources of this repository, nothing built: Node 24 leaves the types out by itself.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const root = new URL('../../', import.meta.url)
const { paths } = JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8')).compilerOptions

registerHooks({
  resolve(specifier, context, next) {
    const source = paths[specifier]?.[0]
    return source
      ? { url: new URL(source, root).href, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context)
  },
})

const { main } = await import('../src/main.ts')
await main()
