import { expect } from 'vitest'
import { z } from 'zod'
import { ERROR_SCHEMA, type ErrorReport } from '../../src/core/errors.ts'
import { type RunOptions, type RunResult, run } from '../harness.ts'

const schema = z.fromJSONSchema(ERROR_SCHEMA as unknown as Parameters<typeof z.fromJSONSchema>[0])

/** Parses the error document on stdout, which is in the last line if `lines` is set. */
export function expectErrorDocument({ status, stdout }: RunResult, lines = false): ErrorReport {
  const text = lines ? (stdout.trimEnd().split('\n').at(-1) ?? '') : stdout
  const { error } = schema.parse(JSON.parse(text)) as { readonly error: ErrorReport }
  expect(error.exit, error.message).toBe(status)
  return error
}

/**
 * Runs a command line with and without `--json`. Expects the same error in both runs, and expects the text form of the
 * error only on stderr.
 */
export async function expectError(
  argv: readonly string[],
  options: RunOptions,
  expected: { readonly [Field in keyof ErrorReport]?: unknown },
): Promise<ErrorReport> {
  const json = await run([...argv, '--json'], options)
  const error = expectErrorDocument(json)
  expect(json.stderr).toBe('')
  expect(error).toMatchObject(expected)
  const { message, hint, requestId, exit } = error
  const lines = [message, ...(hint === null ? [] : [hint]), ...(requestId === null ? [] : [`(request ${requestId})`])]
  const text = await run(argv, options)
  expect(text).toEqual({ status: exit, stdout: '', stderr: `fish-cli: ${lines.join('\n  ')}\n` })
  return error
}
