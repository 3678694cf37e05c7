import { type CountWindow, type StorageDriver, WINDOWS_PER_KIND, type WindowCount } from '../core/types.ts'
import type { Connection } from './connection.ts'
import { BUCKETS, windowKeys } from './keys.ts'

/**
 * How long Redis stores windows after the end of the last window, in milliseconds. Redis uses its own clock. If the
 * clocks differ by less than this time, every process finds the windows that are open by its own clock.
 */
const SLACK_MS = 60_000
/**
 * Fixed windows that all processes share, with the rules of windows in memory (`../core/windows.ts`). At full capacity,
 * Redis looks for a window to replace in a random sample, so it may replace a window that is not the oldest.
 */
export function createRedisWindows({ call }: Connection) {
  async function count(key: string, { durationMs, limit, now }: CountWindow, by: 1 | 0 | -1): Promise<WindowCount> {
    const { windows, field } = windowKeys(key)
    const ttlMs = Math.ceil(durationMs) + SLACK_MS
    const limitPerBucket = Math.ceil(WINDOWS_PER_KIND / BUCKETS)
    const args = [field, now, durationMs, limit, now + durationMs, ttlMs, limitPerBucket, by]
    const [counted, resetAt] = (await call('fishCount', [windows], args)) as [number, string]
    return { count: counted, resetAt: Number(resetAt) }
  }

  return {
    countInWindow: (key, window) => count(key, window, window.by ?? 1),
    peekWindow: (key, window) => count(key, window, 0),
  } satisfies Partial<StorageDriver>
}
