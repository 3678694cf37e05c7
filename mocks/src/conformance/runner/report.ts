import { type CheckInfo, SECTIONS, type Section } from '../checks/check.ts'

/** The result of a check. */
export interface CheckResult extends CheckInfo {
  /** Skipped checks have a `reason`, failed checks `expected` and `actual`. */
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** The reason why the check was skipped. */
  readonly reason?: string
  /** The requirement of the contract, for a failed check. */
  readonly expected?: string
  /** The actual behaviour of the service, for a failed check. */
  readonly actual?: string
  /** The probable cause of the failure, which several checks may have in common. */
  readonly cause?: string
  /** The id of the request in the log of the implementation. */
  readonly requestId?: string
  /** Milliseconds, including waits for the rate limit. */
  readonly durationMs: number
}

/** Failed checks with the same probable cause. */
export interface FailureCause {
  /** @example 'POST /post/fish responds 500 storage_error' */
  readonly cause: string
  /** The ids of the checks. */
  readonly checks: readonly string[]
}

/** The result of a run. */
export interface ConformanceReport {
  /** The results in the order of the sections. */
  readonly checks: readonly CheckResult[]
  /** Number of passed checks. */
  readonly passed: number
  /** Number of failed checks. */
  readonly failed: number
  /** Number of skipped checks. */
  readonly skipped: number
  /** Failures grouped by probable cause, most frequent first. */
  readonly causes: readonly FailureCause[]
  /** Whether the run stopped early because the service no longer responded. The remaining checks are skipped. */
  readonly stoppedEarly: boolean
  /**
   * Data that the run created and could not remove: the names of users and administrators, and the number of records
   * that remain in the collections of the given `user`.
   */
  readonly notRemoved: readonly string[]
}

const MARKS = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' } as const

/** A report for people: the checks by section, with expected and actual values of failures, and the counts. */
export function tableReport(report: ConformanceReport): string {
  const { checks, passed, failed, skipped, causes, stoppedEarly, notRemoved } = report
  const sections = Object.keys(SECTIONS) as Section[]
  const blocks = sections.flatMap((section) => {
    const own = checks.filter((check) => check.section === section)
    return own.length === 0 ? [] : [[SECTIONS[section], ...own.flatMap(rowsOf)].join('\n')]
  })
  const grouped = causes.map(
    (one) => `  ${String(one.checks.length).padStart(3)}  ${oneLine(one.cause)}: ${one.checks.join(', ')}`,
  )
  const reasons = grouped.length === 0 ? [] : [['Failures by probable cause', ...grouped].join('\n')]
  const end = stoppedEarly ? ['Stopped: the service no longer responds.'] : []
  const remains = notRemoved.length === 0 ? [] : [`Could not be removed: ${notRemoved.map(oneLine).join(', ')}`]
  return [...blocks, ...reasons, `${passed} passed, ${failed} failed, ${skipped} skipped`, ...end, ...remains].join(
    '\n\n',
  )
}

function rowsOf({ id, title, outcome, reason, expected, actual, requestId }: CheckResult): string[] {
  const row = `  ${MARKS[outcome].padEnd(7)}  ${id.padEnd(42)}  ${oneLine(title)}`
  const more = (label: string, text: string | undefined) =>
    text === undefined ? [] : [`  ${' '.repeat(9)}${label}: ${oneLine(text)}`]
  return [
    row,
    ...more('because', reason),
    ...more('expected', expected),
    ...more('but got', actual),
    ...more('request', requestId),
  ]
}

/** A report in the Test Anything Protocol, version 14 (https://testanything.org/tap-version-14-specification.html). */
export function tapReport({ checks, causes, stoppedEarly, notRemoved }: ConformanceReport): string {
  const lines = checks.flatMap((check, index) => tapLines(check, index + 1))
  const grouped = causes.map((one) => `# ${one.checks.length} failed: ${oneLine(one.cause)}`)
  const end = stoppedEarly ? ['# stopped: the service no longer responds'] : []
  const remains = notRemoved.map((name) => `# could not be removed: ${oneLine(name)}`)
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

/** A report as one JSON document. */
export function jsonReport(report: ConformanceReport): string {
  return JSON.stringify(report, undefined, 2)
}

/** Removes line breaks and control characters, so that text from the service cannot affect the terminal. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '\u{fffd}')
}
