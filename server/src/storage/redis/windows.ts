import type { CountWindow, StorageDriver, WindowCount } from '../types.ts'
import type { Connection } from './connection.ts'
import { WINDOW_BUCKETS, windowKeys } from './keys.ts'

/**
 * How long Redis keeps windows behind the end of the last, in milliseconds. Redis goes by its own clock: as long as
 * those of the processes differ from one another by less than this, none of them finds a window gone that it takes for
 * open.
 */
const SLACK_MS = 60_000
/** Most windows of one kind that are kept, as in memory: what a flood of new clients can take of Redis. */
const CAPACITY = 100_000

/** Fixed windows that all processes share. They follow the same rules as those in memory. */
export function createRedisWindows({
  call,
}: Pick<Connection, 'call'>): Pick<StorageDriver, 'countInWindow' | 'peekWindow'> {
  async function count(key: string, { durationMs, limit, now }: CountWindow, by: 1 | 0 | -1): Promise<WindowCount> {
    const { windows, field } = windowKeys(key)
    const kept = Math.ceil(durationMs) + SLACK_MS
    const most = Math.ceil(CAPACITY / WINDOW_BUCKETS)
    const args = [field, now, durationMs, limit, now + durationMs, kept, most, by]
    const [counted, resetAt] = (await call('fishCount', [windows], args)) as [number, string]
    return { count: counted, resetAt: Number(resetAt) }
  }

  return {
    countInWindow: (key, window) => count(key, window, window.by ?? 1),
    peekWindow: (key, window) => count(key, window, 0),
  }
}
