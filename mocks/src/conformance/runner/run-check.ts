import type { Check } from '../checks/check.ts'
import type { TestContext } from '../context/context.ts'
import { CheckSkipped, ConformanceFailure } from '../context/expect.ts'
import type { CheckResult } from './report.ts'

/** The run exceeded its deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
}

/** Runs a check. Never rejects. */
export async function runCheck(
  { id, title, section, run }: Check,
  context: TestContext,
  signal: AbortSignal,
  redaction: Redaction,
): Promise<CheckResult> {
  const startedAt = performance.now()
  const result = (outcome: Outcome): CheckResult => ({
    id,
    title,
    section,
    ...outcome,
    durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
  })
  if (signal.aborted) return result({ outcome: 'skipped', reason: 'the deadline of the run was exceeded' })
  try {
    await run(context)
    return result({ outcome: 'passed' })
  } catch (error) {
    return result(outcomeOf(error, redaction))
  }
}

type Outcome = Omit<CheckResult, 'id' | 'title' | 'section' | 'durationMs'>

function outcomeOf(error: unknown, { clean }: Redaction): Outcome {
  if (error instanceof CheckSkipped) return { outcome: 'skipped', reason: clean(error.message) }
  if (error instanceof ConformanceFailure) {
    const { expected, actual, requestId, probableCause } = error
    return {
      outcome: 'failed',
      expected: clean(expected),
      actual: clean(actual),
      cause: clean(probableCause),
      ...(requestId === undefined ? {} : { requestId }),
    }
  }
  if (error instanceof DeadlineExceeded) {
    return {
      outcome: 'failed',
      expected: 'the whole run to end by its deadline',
      actual: 'this check was still running',
      cause: 'the deadline of the run was exceeded',
    }
  }
  // A response of an unexpected form. The message is left out, since it may contain secrets.
  const kind = error instanceof Error ? error.name : typeof error
  return {
    outcome: 'failed',
    expected: 'a response of the documented form',
    actual: `one that caused a ${kind}`,
    cause: `responses of another form, which caused a ${kind}`,
  }
}

/** Removes the secrets of a run from its messages. */
type Redaction = ReturnType<typeof createRedactor>

/** Shorter texts are not redacted, since they match unrelated words. */
const MIN_LENGTH = 6

export function createRedactor() {
  const secrets = new Set<string>()
  return {
    add(...added: readonly string[]): void {
      for (const secret of added) if (secret.length >= MIN_LENGTH) secrets.add(secret)
    },
    clean(text: string): string {
      let cleaned = text
      for (const secret of secrets) cleaned = cleaned.replaceAll(secret, '[secret]')
      return cleaned
    },
  }
}
