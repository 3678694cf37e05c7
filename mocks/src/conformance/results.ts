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
  /** Names the request in the log of the implementation. */
  readonly requestId?: string
  readonly durationMs: number
}

/** How a run went. */
export interface ConformanceReport {
  readonly checks: readonly CheckResult[]
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Names of users and administrators of the run's own that could not be removed. Empty when all went well. */
  readonly left: readonly string[]
}
