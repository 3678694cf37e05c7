#!/usr/bin/env node
// Runs fish-cli from the sources of this repository, nothing built: Node 24 leaves the types out by itself.
import('../../scripts/from-sources.ts').then(() => import('../src/runtime/main.ts')).then(({ main }) => main())
