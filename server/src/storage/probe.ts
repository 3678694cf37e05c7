import { withDeadline } from './deadline.ts'

export interface ProbeOptions {
  /** How long the outcome of an attempt is reused, in milliseconds. @default 1000 */
  readonly standsMs?: number
  /** How long an attempt may take before it counts as failed. @default any time */
  readonly deadline?: { readonly ms: number; readonly late: () => Error }
}

const STANDS_MS = 1000

/**
 * Tries something at most once a second, however often it is called; in between it returns the last outcome. So a client that
 * polls readiness without a limit causes one write a second. A late attempt continues, and no other one starts before it
 * ends.
 */
export function createProbe(
  attempt: () => Promise<void>,
  { standsMs = STANDS_MS, deadline }: ProbeOptions = {},
): () => Promise<void> {
  let startedAt = Number.NEGATIVE_INFINITY
  let isRunning = false
  let outcome = Promise.resolve()
  return () => {
    const now = performance.now()
    if (!isRunning && now - startedAt >= standsMs) {
      startedAt = now
      isRunning = true
      const work = attempt().finally(() => {
        isRunning = false
      })
      outcome = deadline ? withDeadline(work, deadline.ms, deadline.late) : work
      // Callers receive the rejection. Without a caller it is no error.
      outcome.catch(() => {})
    }
    return outcome
  }
}
