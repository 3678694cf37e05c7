import type { CheckResult, ConformanceReport } from '../runner/results.ts'
import { SECTIONS, type Section } from '../runner/sections.ts'
import { oneLine } from './one-line.ts'

const MARKS = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' } as const

/** A report for people: by section, what failed with both sides, and the counts. */
export function tableReport(report: ConformanceReport): string {
  const { checks, passed, failed, skipped, causes, stopped, left } = report
  const sections = Object.keys(SECTIONS) as Section[]
  const blocks = sections.flatMap((section) => {
    const own = checks.filter((check) => check.section === section)
    return own.length === 0 ? [] : [[SECTIONS[section], ...own.flatMap(rowsOf)].join('\n')]
  })
  const grouped = causes.map(
    (one) => `  ${String(one.checks.length).padStart(3)}  ${oneLine(one.cause)}: ${one.checks.join(', ')}`,
  )
  const reasons = grouped.length === 0 ? [] : [['Failures by probable cause', ...grouped].join('\n')]
  const end = stopped ? ['Stopped: the service no longer responds.'] : []
  const remains = left.length === 0 ? [] : [`Could not be removed: ${left.map(oneLine).join(', ')}`]
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
