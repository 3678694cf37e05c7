import { defineConfig } from 'vitest/config'

const packages = '{sdk,server,mocks,cli,examples,scripts}'

export default defineConfig({
  test: {
    projects: [
      {
        // The inner loop: sources, in parallel, nothing to build or install first.
        resolve: { tsconfigPaths: true },
        test: { name: 'unit', include: [`${packages}/test/**/*.test.ts`], testTimeout: 20_000 },
      },
      {
        // What is shipped: the built packages, real processes, other languages, a real browser.
        test: {
          name: 'e2e',
          include: [`${packages}/e2e/**/*.test.ts`],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
    ],
  },
})
