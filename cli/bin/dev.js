#!/usr/bin/env node
// Runs fish-cli from the sources of this repository, nothing built: Node 24 leaves the types out by itself.
const { join } = require('node:path')

// NO_COLOR overrides FORCE_COLOR. Node warns if both are set, as soon as a module of its own looks at colours.
delete process.env[process.env.NO_COLOR ? 'FORCE_COLOR' : 'NO_COLOR']
// What is left without the types is kept, compiled: the next start takes less than half the time.
require('node:module').enableCompileCache(join(__dirname, '..', '..', 'node_modules', '.cache', 'fish-cli'))
import('../../scripts/from-sources.ts').then(() => import('../src/program/main.ts')).then(({ main }) => main())
