import { withDeadline } from './deadline.ts'
import type { StorageDriver } from './types.ts'

export interface ProbeOptions {
  /** Milliseconds to reuse an outcome. @default 1000 */
  readonly ttlMs?: number
  /** @default any time */
  readonly deadline?: { readonly ms: number; readonly late: () => Error }
}

/**
 * Runs an attempt at most once a second, and returns the last outcome in between: a client that polls readiness without a
 * limit causes one write per second. A late attempt continues, and no other one starts before it ends.
 */
export function createProbe(
  attempt: () => Promise<void>,
  { ttlMs = 1000, deadline }: ProbeOptions = {},
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
      // Callers receive the rejection. Without a caller, it is not an unhandled rejection.
      outcome.catch(() => {})
    }
    return outcome
  }
}

/** How long a refused record is reported unless a later one is stored, in milliseconds. */
const REFUSAL_TTL_MS = 5000

/** Remembers a refused record: the small write of a ping may still succeed, for example under a quota. */
export function trackRefusals(
  append: StorageDriver['append'],
  counts: (error: unknown) => boolean = () => true,
): { readonly append: StorageDriver['append']; readonly checkRefusal: () => void } {
  let refusal: { readonly error: unknown; readonly at: number } | undefined
  return {
    async append(collection, record) {
      try {
        const result = await append(collection, record)
        refusal = undefined
        return result
      } catch (error) {
        if (counts(error)) refusal = { error, at: performance.now() }
        throw error
      }
    },
    checkRefusal() {
      if (refusal && performance.now() - refusal.at < REFUSAL_TTL_MS) throw refusal.error
    },
  }
}
