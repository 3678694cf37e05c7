import { withDeadline } from './deadline.ts'

/**
 * Runs an attempt at most once a second, and returns the last outcome in between. Otherwise a client that polls
 * readiness could cause any number of writes. A late attempt continues, and the next attempt starts only after the late
 * attempt has ended.
 */
export function createProbe(
  attempt: () => Promise<void>,
  { ttlMs = 1000, deadline }: { ttlMs?: number; deadline?: { readonly ms: number; readonly late: () => Error } } = {},
): () => Promise<void> {
  let startedAt = Number.NEGATIVE_INFINITY
  let isRunning = false
  let outcome = Promise.resolve()
  return () => {
    const now = performance.now()
    if (!isRunning && now - startedAt >= ttlMs) {
      startedAt = now
      isRunning = true
      const work = attempt().finally(() => {
        isRunning = false
      })
      outcome = deadline ? withDeadline(work, deadline.ms, deadline.late) : work
      // Callers receive the rejection. Without a caller, this handler prevents an unhandled rejection.
      outcome.catch(() => {})
    }
    return outcome
  }
}
