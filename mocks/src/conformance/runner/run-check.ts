import type { World } from '../context/context.ts'
import { CheckSkipped, ConformanceFailure } from '../context/expectation.ts'
import type { Redaction } from '../context/redaction.ts'
import type { Check } from './check.ts'
import type { CheckResult } from './results.ts'

/** The run took longer than it may. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
}

/** Makes one check and says how it went. Nothing is thrown. */
export async function runCheck(
  { id, title, section, run }: Check,
  world: World,
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
  if (signal.aborted) return result({ outcome: 'skipped', reason: 'the time for the whole run was over' })
  try {
    await run(world)
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
  if (error instanceof DeadlinePassed) {
    return {
      outcome: 'failed',
      expected: 'the whole run to end by its deadline',
      actual: 'this check was still under way',
      cause: 'the time for the whole run was over',
    }
  }
  // An answer of a form that no check thought of. Its text may be anything.
  const kind = error instanceof Error ? error.name : typeof error
  return {
    outcome: 'failed',
    expected: 'an answer of the documented form',
    actual: `one that led to a ${kind}`,
    cause: `responses of another form, which led to a ${kind}`,
  }
}
