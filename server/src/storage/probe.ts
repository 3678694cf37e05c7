import { withDeadline } from './deadline.ts'

/** What {@link createProbe} takes. */
export interface ProbeOptions {
  /** How long the outcome of an attempt stands, in milliseconds. @default 1000 */
  readonly standsMs?: number
  /** How long an attempt may take before it counts as failed. @default any time */
  readonly deadline?: { readonly ms: number; readonly late: () => Error }
}

const STANDS_MS = 1000

/**
 * Tries something at most once a second, however often it is asked for; in between the last outcome is the answer.
 * So whoever asks all the time, and may ask without a limit, makes no more than one write a second of it. An attempt
 * that is late goes on, and no other one begins before it ends: what does not respond is not asked ever more.
 */
export function createProbe(
  attempt: () => Promise<void>,
  { standsMs = STANDS_MS, deadline }: ProbeOptions = {},
): () => Promise<void> {
  let startedAt = Number.NEGATIVE_INFINITY
  let isUnderWay = false
  let outcome = Promise.resolve()
  return () => {
    const now = performance.now()
    if (!isUnderWay && now - startedAt >= standsMs) {
      startedAt = now
      isUnderWay = true
      const work = attempt().finally(() => {
        isUnderWay = false
      })
      outcome = deadline ? withDeadline(work, deadline.ms, deadline.late) : work
      // Callers receive the rejection. Without a caller it is no error.
      outcome.catch(() => {})
    }
    return outcome
  }
}
