import { expect } from 'vitest'
import { z } from 'zod'
import { ERROR_SCHEMA } from '../../src/core/errors.ts'
import type { Row } from './row.ts'
import type { CellResult } from './run-cell.ts'

/** A failure as it should be. */
export interface ExpectedFailure {
  readonly exit: number
  readonly code: RegExp
}

const schema = z.fromJSONSchema(ERROR_SCHEMA as unknown as Parameters<typeof z.fromJSONSchema>[0])

// A failure for people ends stderr: what happened, the next step, and the request.
const ERROR_TEXT =
  /(?:^|\n)fish-cli(?: serve)?: (.+)\n(?: {2}(?!\(request)(.+(?:\n {6}.+)?)\n)?(?: {2}\(request (\S+)\)\n)?$/

interface ErrorDocument {
  readonly code: string
  readonly message: string
  readonly hint: string | null
  readonly exit: number
  readonly requestId: string | null
  readonly retryAt: string | null
}

/** No secret is where it must not be. */
export function expectNoTraces({ traces }: CellResult): void {
  expect(traces).toEqual([])
}

/** The run printed what the command is there to print. */
export function expectResult(row: Row, text: CellResult, json: CellResult, exit = 0): void {
  expect({ status: text.status, isEmpty: text.stdout === '' }, text.stderr).toEqual({ status: exit, isEmpty: false })
  expect(json.status, json.stdout + json.stderr).toBe(exit)
  if (!row.runsOn) expect(json.stderr).toBe('')
  for (const document of documentsOf(row, json.stdout)) {
    expect(document).toEqual(expect.any(Object))
    expect(document).not.toHaveProperty('error')
  }
}

/** The run failed as documented, with the same report in both formats. */
export function expectFailure(row: Row, text: CellResult, json: CellResult, { exit, code }: ExpectedFailure): void {
  const report = expectFailureJson(row, json, { exit, code })
  expect(text.status, text.stderr).toBe(exit)
  if (row.prints !== 'lines') expect(text.stdout).toBe('')
  const [, message, hint = null, requestId = null] = ERROR_TEXT.exec(text.stderr) ?? []
  const isOneLine = row.hasNoHint !== undefined && /^fish-cli serve: /m.test(text.stderr)
  const nextStep = isOneLine ? null : report.hint
  expect({ message: undated(message), hint: undated(hint?.replace('\n  ', '\n')) }, text.stderr).toEqual({
    message: undated(report.message),
    hint: undated(nextStep),
  })
  expect(requestId === null).toBe(report.requestId === null)
}

/** There is one document on stdout and nothing on stderr. */
export function expectFailureJson(row: Row, json: CellResult, { exit, code }: ExpectedFailure): ErrorDocument {
  expect(json.status, json.stdout + json.stderr).toBe(exit)
  if (!row.runsOn) expect(json.stderr).toBe('')
  const { error } = schema.parse(documentsOf(row, json.stdout).at(-1)) as { readonly error: ErrorDocument }
  expect(error.code).toMatch(code)
  expect(error.exit).toBe(exit)
  expect(error.hint, error.message).toEqual(expect.stringMatching(/^\S.*\S$/s))
  if (error.code === 'rate_limited') expect(Date.parse(error.retryAt ?? '')).toBeGreaterThan(Date.now())
  else expect(error.retryAt).toBeNull()
  return error
}

function documentsOf({ prints }: Row, stdout: string): readonly unknown[] {
  if (prints !== 'lines') return [JSON.parse(stdout)]
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Two runs happen at two moments, at two addresses, in two folders. */
function undated(text: string | null | undefined): string | undefined {
  return text
    ?.replace(/\d{4}-\d\d-\d\d [\d:]{8} \(local time\)/g, 'TIME')
    .replace(/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replace(/fish-cli-matrix-\w+/g, 'FOLDER')
    .replace(/\b\d{5}\b/g, 'PORT')
}
