import type { ConformanceReport } from '../runner/results.ts'

/** A report as one JSON document. */
export function jsonReport(report: ConformanceReport): string {
  return JSON.stringify(report, undefined, 2)
}
