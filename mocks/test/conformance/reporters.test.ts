import { type ConformanceReport, jsonReport, tableReport, tapReport } from '@fish-crab/mocks/conformance'
import { describe, expect, it } from 'vitest'

const REPORT: ConformanceReport = {
  checks: [
    { id: 'one', title: 'One is #1.', section: 'responses', outcome: 'passed', durationMs: 1 },
    {
      id: 'two',
      title: 'Two holds.',
      section: 'responses',
      outcome: 'failed',
      expected: '200 "a"',
      actual: 'a\u001b[31m\nline',
      cause: 'GET /status responds 500',
      requestId: 'abc',
      durationMs: 2,
    },
    { id: 'three', title: 'Three holds.', section: 'key', outcome: 'skipped', reason: 'no key', durationMs: 0 },
  ],
  passed: 1,
  failed: 1,
  skipped: 1,
  causes: [{ cause: 'GET /status responds 500', checks: ['two'] }],
  stoppedEarly: true,
  notRemoved: ['Conformance-1'],
}

describe('a conformance report', () => {
  it('is formatted as TAP version 14 with a plan, directives and diagnostics, and with escaped titles', () => {
    expect(tapReport(REPORT).split('\n')).toEqual([
      'TAP version 14',
      '1..3',
      'ok 1 - one: One is \\#1.',
      'not ok 2 - two: Two holds.',
      '  ---',
      '  section: "responses"',
      '  expected: "200 \\"a\\""',
      '  actual: "a\u{fffd}[31m line"',
      '  requestId: "abc"',
      '  ...',
      'ok 3 - three: Three holds. # SKIP no key',
      '# 1 failed: GET /status responds 500',
      '# stopped: the service no longer responds',
      '# could not be removed: Conformance-1',
    ])
  })

  it('stays unchanged if the report is serialized to JSON and parsed', () => {
    expect(JSON.parse(jsonReport(REPORT))).toEqual(REPORT)
  })

  it('is formatted as a table with the sections, the expected and actual values of failures, and the counts', () => {
    const text = tableReport(REPORT)
    expect(text).toContain('Responses in general\n  ok       one ')
    expect(text).toMatch(
      /FAILED {3}two +Two holds\.\n +expected: 200 "a"\n +but got: a\u{fffd}\[31m line\n +request: abc/u,
    )
    expect(text).toMatch(/skipped {2}three +Three holds\.\n +because: no key/)
    expect(text).toContain(
      'Failures by probable cause\n    1  GET /status responds 500: two\n\n1 passed, 1 failed, 1 skipped\n\n' +
        'Stopped: the service no longer responds.\n\nCould not be removed: Conformance-1',
    )
    expect(text).not.toContain('\u001b')
  })
})
