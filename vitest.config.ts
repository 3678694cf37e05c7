import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ['{sdk,server,mocks,cli,scripts}/test/**/*.test.ts'],
    pool: 'threads',
    sequence: { concurrent: false },
  },
})
