import type { StorageDriver } from '../types.ts'
import type { Connection } from './connection.ts'
import { windowKey } from './keys.ts'

/**
 * How long Redis keeps a window behind its end, in milliseconds. Redis goes by its own clock: as long as those of the
 * processes differ from one another by less than this, none of them finds a window gone that it takes for open.
 */
const SLACK_MS = 60_000

/** Fixed windows that all processes share. They follow the same rules as those in memory. */
export function createRedisWindows({
  client,
  call,
  run,
}: Connection): Pick<StorageDriver, 'countInWindow' | 'peekWindow'> {
  return {
    async countInWindow(key, { durationMs, limit, now, by = 1 }) {
      const kept = Math.ceil(durationMs) + SLACK_MS
      const answer = await call('fishCount', [windowKey(key)], [now, durationMs, limit, now + durationMs, kept, by])
      const [count, resetAt] = answer as [number, string]
      return { count, resetAt: Number(resetAt) }
    },

    async peekWindow(key, { durationMs, now }) {
      const kept = await run(() => client.hmget(windowKey(key), 'count', 'resetAt', 'durationMs'))
      const [count = 0, resetAt = 0, duration = 0] = kept.map(Number)
      const isOpen = now < resetAt && resetAt - now <= 2 * duration
      return isOpen ? { count, resetAt } : { count: 0, resetAt: now + durationMs }
    },
  }
}
