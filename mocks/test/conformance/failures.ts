import type { ConformanceReport } from '@fish-crab/mocks/conformance'

/** Describes each failed check in one line. */
export function failuresOf({ checks }: ConformanceReport): string[] {
  return checks
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ id, expected, actual }) => `${id}: expected ${expected}, but got ${actual}`)
}
