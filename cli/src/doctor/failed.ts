import { describeFailure } from '../failure.ts'
import { type Finding, fail } from './finding.ts'

/** A check that threw, told as the failure of a command would be. */
export function failed(check: string, error: unknown): Finding {
  const { message, hint } = describeFailure(error)
  return fail(check, message, hint)
}
