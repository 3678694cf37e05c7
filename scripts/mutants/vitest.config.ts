import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import all from '../../vitest.config.ts'

/** Runs only the unit tests of the mutated package, in one process, so that testing a mutant takes half a second. */
const packages = process.env.MUTANTS_PACKAGE ?? '*'
const [unit] = all.test?.projects ?? []
if (typeof unit !== 'object' || !('test' in unit)) throw new Error('vitest.config.ts begins with the unit tests.')

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: unit.resolve ?? {},
  test: {
    ...unit.test,
    testTimeout: 5000,
    include: [`${packages}/test/**/*.test.ts`, 'mocks/test/conformance/direct.test.ts'],
  },
})
