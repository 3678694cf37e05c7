import { describeError } from '../../core/describe-error.ts'

export type CheckStatus = 'ok' | 'warn' | 'fail'

export interface CheckResult {
  readonly check: string
  readonly status: CheckStatus
  readonly result: string
  readonly fix: string | null
}

export type Outcome = Omit<CheckResult, 'check'>

export const ok = (result: string): Outcome => ({ status: 'ok', result, fix: null })
export const warn = (result: string, fix: string): Outcome => ({ status: 'warn', result, fix })
export const fail = (result: string, fix: string): Outcome => ({ status: 'fail', result, fix })

/** Runs a check. An error counts as a failed check, except after Ctrl-C. */
export async function runCheck(
  check: string,
  work: () => Outcome | Promise<Outcome>,
  signal?: AbortSignal,
): Promise<CheckResult> {
  try {
    return { check, ...(await work()) }
  } catch (error) {
    signal?.throwIfAborted()
    const { message, hint } = describeError(error)
    return { check, status: 'fail', result: message, fix: hint }
  }
}
