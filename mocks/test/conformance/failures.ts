import type { ConformanceReport } from '@fish-crab/mocks/conformance'

/** The failures in a readable form. */
export function failuresOf({ checks }: ConformanceReport): string[] {
  return checks
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ id, expected, actual }) => `${id}: expected ${expected}, but got ${actual}`)
}
