import { expect, test } from 'vitest'
import { runSmoke } from './runtimes.ts'

// `npm run runtimes` does the same on every runtime; this is the one at hand.
test.each(['ESM', 'CJS'] as const)(
  'the built package does all it promises against a real server, loaded as %s',
  async (program) => {
    const outcomes = await runSmoke({ command: process.execPath, args: [] }, program)
    expect(outcomes.filter(({ outcome }) => outcome !== 'ok')).toEqual([])
    expect(outcomes.length).toBeGreaterThan(10)
  },
)
