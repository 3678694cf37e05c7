import type { Section } from './sections.ts'

/** What a check is called, without how it is made. */
export interface CheckInfo {
  /** Stable, in kebab case. */
  readonly id: string
  /** A sentence about behaviour. */
  readonly title: string
  readonly section: Section
}

/** How a check went. */
export interface CheckResult extends CheckInfo {
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped. */
  readonly reason?: string
  /** What the contract says, of a check that failed. */
  readonly expected?: string
  /** What was there instead. */
  readonly actual?: string
  /** The probable cause of the failure, which other checks may share. */
  readonly cause?: string
  /** Names the request in the log of the implementation. */
  readonly requestId?: string
  readonly durationMs: number
}

/** Checks that failed, probably for one reason. */
export interface FailureCause {
  /** @example 'POST /post/fish responds 500 storage_error' */
  readonly cause: string
  /** Their ids. */
  readonly checks: readonly string[]
}

/** How a run went. */
export interface ConformanceReport {
  readonly checks: readonly CheckResult[]
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** What failed, grouped by its probable cause, most checks first. */
  readonly causes: readonly FailureCause[]
  /** Whether it stopped early, because the service no longer responded; all further checks are skipped. */
  readonly stopped: boolean
  /**
   * What the run made and could not remove: names of users and administrators, and how many records the given `user`
   * keeps. Empty when all went well.
   */
  readonly left: readonly string[]
}
