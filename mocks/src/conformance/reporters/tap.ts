import type { CheckResult, ConformanceReport } from '../runner/results.ts'
import { oneLine } from './one-line.ts'

/** A report in the Test Anything Protocol, version 14 (https://testanything.org/tap-version-14-specification.html). */
export function tapReport({ checks, causes, stopped, left }: ConformanceReport): string {
  const lines = checks.flatMap((check, index) => tapLines(check, index + 1))
  const grouped = causes.map((one) => `# ${one.checks.length} failed: ${oneLine(one.cause)}`)
  const end = stopped ? ['# stopped: the service no longer responds'] : []
  const remains = left.map((name) => `# could not be removed: ${oneLine(name)}`)
  return ['TAP version 14', `1..${checks.length}`, ...lines, ...grouped, ...end, ...remains].join('\n')
}

function tapLines(check: CheckResult, number: number): string[] {
  const { id, title, outcome, reason } = check
  const status = outcome === 'failed' ? 'not ok' : 'ok'
  const skip = outcome === 'skipped' ? ` # SKIP ${oneLine(reason ?? '')}` : ''
  const line = `${status} ${number} - ${escaped(`${id}: ${title}`)}${skip}`
  return outcome === 'failed' ? [line, ...diagnostics(check)] : [line]
}

function diagnostics({ section, expected, actual, requestId }: CheckResult): string[] {
  const fields = Object.entries({ section, expected, actual, requestId })
  const yaml = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name}: ${JSON.stringify(oneLine(value))}`],
  )
  return ['  ---', ...yaml, '  ...']
}

/** `#` begins a directive, and `\` escapes. */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\#]/g, '\\$&')
}
