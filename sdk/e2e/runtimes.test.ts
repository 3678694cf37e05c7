import { expect, test } from 'vitest'
import { runSmoke } from './runtimes.ts'

// This test runs on the current runtime only; `npm run runtimes` runs the same checks on every runtime.
test.each(['ESM', 'CJS'] as const)(
  'the built package passes all smoke checks against a real server, loaded as %s',
  async (program) => {
    const outcomes = await runSmoke({ command: process.execPath, args: [] }, program)
    expect(outcomes.filter(({ outcome }) => outcome !== 'ok')).toEqual([])
    expect(outcomes.length).toBeGreaterThan(10)
  },
)
