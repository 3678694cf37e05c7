import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))
/** What a test waits for may come late on a busy machine: only the end of its own time gives it up, with what is shown then. */
const GIVEN_UP_AFTER_MS = 50_000
const packages = '{sdk,server,mocks,cli,examples,scripts}'

export default defineConfig({
  test: {
    projects: [
      {
        // The inner loop: sources, in parallel, nothing to build or install first.
        resolve: {
          tsconfigPaths: true,
          // Vite asks a package's own `imports` field before tsconfig paths, and that one names built files.
          alias: {
            '#dispatcher': source('sdk/src/client/transport/dispatcher.node.ts'),
            '#fernet-key': source('sdk/src/fernet/key.node.ts'),
            '#node-transports': source('mocks/src/mock/node-transports.ts'),
          },
        },
        test: {
          name: 'unit',
          include: [`${packages}/test/**/*.test.ts`],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: GIVEN_UP_AFTER_MS } },
          maxWorkers: '100%',
        },
      },
      {
        // What is shipped: the built packages, real processes, other languages, a real browser.
        test: {
          name: 'e2e',
          include: [`${packages}/e2e/**/*.test.ts`],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: GIVEN_UP_AFTER_MS } },
          maxWorkers: 2,
        },
      },
    ],
  },
})
