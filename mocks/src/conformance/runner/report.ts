import type { CheckInfo } from '../checks/check.ts'

/** The result of a check. */
export interface CheckResult extends CheckInfo {
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped. */
  readonly reason?: string
  /** What the contract requires, for a failed check. */
  readonly expected?: string
  /** What the service did instead. */
  readonly actual?: string
  /** The probable cause of the failure, which several checks may have in common. */
  readonly cause?: string
  /** The id of the request in the log of the implementation. */
  readonly requestId?: string
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
  readonly checks: readonly CheckResult[]
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Failures grouped by probable cause, most frequent first. */
  readonly causes: readonly FailureCause[]
  /** Whether the run stopped early because the service no longer responded. The remaining checks are skipped. */
  readonly stoppedEarly: boolean
  /**
   * What the run created and could not remove: names of users and administrators, and the number of records that stay
   * with the given `user`.
   */
  readonly notRemoved: readonly string[]
}
