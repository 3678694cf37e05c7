#!/usr/bin/env node
// Runs fish-cli from the sources of this repository, nothing built: Node 24 leaves the types out by itself.
const { readFileSync } = require('node:fs')
const { registerHooks } = require('node:module')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

const root = join(__dirname, '..', '..')
const { paths } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).compilerOptions

registerHooks({
  resolve(specifier, context, next) {
    const source = paths[specifier]?.[0]
    return source
      ? { url: pathToFileURL(join(root, source)).href, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context)
  },
})

import('../src/runtime/main.ts').then(({ main }) => main())
