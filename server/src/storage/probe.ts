/** How long the outcome of a probe stands, in milliseconds. */
const STANDS_MS = 1000

/**
 * Tries something at most once a second, however often it is asked for; in between the last outcome is the answer.
 * So whoever asks all the time, and may ask without a limit, makes no more than one write a second of it.
 */
export function createProbe(attempt: () => Promise<void>): () => Promise<void> {
  let startedAt = Number.NEGATIVE_INFINITY
  let outcome = Promise.resolve()
  return () => {
    const now = performance.now()
    if (now - startedAt >= STANDS_MS) {
      startedAt = now
      outcome = attempt()
      // Whoever asks is told; that nobody does is no error.
      outcome.catch(() => {})
    }
    return outcome
  }
}
