import { describeFailure } from '../runtime/describe-failure.ts'

/** How a thing stands. */
export type Health = 'ok' | 'warn' | 'fail'

/** One thing that was looked at. */
export interface Finding {
  readonly check: string
  readonly status: Health
  /** What was found, a sentence. */
  readonly found: string
  /** What to do about it. */
  readonly mend: string | null
}

/** All is well. */
export function ok(check: string, found: string): Finding {
  return { check, status: 'ok', found, mend: null }
}

/** It works, and could be better. */
export function warn(check: string, found: string, mend: string): Finding {
  return { check, status: 'warn', found, mend }
}

/** It does not work. */
export function fail(check: string, found: string, mend: string | null): Finding {
  return { check, status: 'fail', found, mend }
}

/** A check that threw, told as the failure of a command would be. */
export function threw(check: string, error: unknown): Finding {
  const { message, hint } = describeFailure(error)
  return fail(check, message, hint)
}
