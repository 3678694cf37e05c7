import { existsSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const packages = '{sdk,server,mocks,cli,examples,scripts}'

/** Published names resolve to the sources: there is nothing to build first. */
const sources = {
  tsconfigPaths: true,
  // Vite asks a package's own `imports` field before tsconfig paths, and that one names built files.
  alias: {
    '#on-demand': source('sdk/src/client/resources/load-on-demand.node.ts'),
    '#platform': source('sdk/src/client/transport/platform.node.ts'),
    '#fernet-key': source('sdk/src/fernet/key.node.ts'),
    '#node-transports': source('mocks/src/mock/node-transports.ts'),
  },
}

/** On a busy machine what a test waits for may be late: a poll ends with the test's own time and shows the last value. */
const waits = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 50_000, interval: 10 } } }

/** Files share the modules, which keep no state: loading them again for each would take longer than most files do. */
const shared = {
  isolate: false,
  // Node strips the types of the storage's writer thread once, not each time that a store is opened.
  env: { NODE_COMPILE_CACHE: source('node_modules/.cache/node') },
}

/** The program as it is shipped, where it was built for these tests: it starts in a quarter of the time. */
const program = source(process.env.TEST_BUILT === 'true' ? 'cli/bin/run.js' : 'cli/bin/dev.js')

/** Tests of processes wait more than they compute. Vitest takes no percentage above 100. */
const workersThatWait = 2 * availableParallelism()

/** Where temporary files cost no disk: unit tests make them durable thousands of times. In a container it may be too small. */
const MEMORY = '/dev/shm'
const hasMemory = existsSync(MEMORY) && statfsSync(MEMORY).bavail * statfsSync(MEMORY).bsize > 2 ** 30

export default defineConfig({
  test: {
    projects: [
      {
        // The inner loop: what runs in one process.
        resolve: sources,
        test: {
          ...waits,
          name: 'unit',
          ...shared,
          env: { ...shared.env, ...(hasMemory ? { TMPDIR: MEMORY } : {}) },
          include: [`${packages}/test/**/*.test.ts`],
          exclude: ['**/*.integration.test.ts'],
          maxWorkers: '100%',
        },
      },
      {
        // Real processes and terminals, Redis servers, disks that fill or stall, kills.
        resolve: sources,
        test: {
          ...waits,
          name: 'integration',
          ...shared,
          provide: { program },
          include: [`${packages}/test/**/*.integration.test.ts`],
          maxWorkers: workersThatWait,
        },
      },
      {
        // What is shipped: the built packages, other languages, a real browser.
        test: {
          ...waits,
          name: 'e2e',
          provide: { program: source('cli/bin/run.js') },
          include: [`${packages}/e2e/**/*.test.ts`],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: workersThatWait,
        },
      },
    ],
  },
})
