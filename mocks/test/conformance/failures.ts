import type { ConformanceReport } from '@fish-crab/mocks/conformance'

/** What failed, in a form that is good to read when it is not empty. */
export function failuresOf({ checks }: ConformanceReport): string[] {
  return checks
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ id, expected, actual }) => `${id}: expected ${expected}, but got ${actual}`)
}
