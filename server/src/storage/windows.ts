import type { CountWindow, WindowCount } from './types.ts'

/** Windows kept at once when nothing else is said. */
const DEFAULT_WINDOW_CAPACITY = 100_000

interface OpenWindow {
  count: number
  readonly resetAt: number
  readonly durationMs: number
}

/** Fixed windows in memory. */
export interface Windows {
  /** Counts once. Opens a window when none is open; the count stays at `limit + 1` once it is there. */
  count(key: string, window: CountWindow): WindowCount
  /** The count so far; 0, and the end of a window that would open now, when none is open. */
  peek(key: string, window: CountWindow): WindowCount
  /** How many windows are kept, never above the capacity. */
  readonly size: number
}

/**
 * A window is over at its end. It is also over when its end lies more than two durations ahead: then the clock
 * was set back so far that waiting would lock the client out. A smaller step back keeps the window, because
 * clocks are corrected by small steps all the time and none of them may hand out a second allowance.
 */
function isOpen({ resetAt, durationMs }: OpenWindow, now: number): boolean {
  return now < resetAt && resetAt - now <= 2 * durationMs
}

function report({ count, resetAt }: OpenWindow): WindowCount {
  return { count, resetAt }
}

/**
 * Counts in fixed windows with a bound on memory. When all places are taken a new key gets that of an expired window,
 * else that of the oldest window that still has something left. An exhausted window is never given up: when
 * there are no others the newcomer is answered as exhausted, until the first of them ends.
 *
 * @param capacity windows kept at once @default 100000
 */
export function createWindows(capacity: number = DEFAULT_WINDOW_CAPACITY): Windows {
  // Maps keep the order of insertion, so the first of `fresh` is the oldest.
  const fresh = new Map<string, OpenWindow>()
  const exhausted = new Map<string, OpenWindow>()
  // Never above the end of the exhausted window that ends first, so that a flood does not look through all.
  let firstEnd = Number.POSITIVE_INFINITY

  function current(key: string, now: number): OpenWindow | undefined {
    const found = fresh.get(key) ?? exhausted.get(key)
    return found && isOpen(found, now) ? found : undefined
  }

  function dropExpired(now: number): void {
    firstEnd = Number.POSITIVE_INFINITY
    for (const [key, one] of exhausted) {
      if (isOpen(one, now)) firstEnd = Math.min(firstEnd, one.resetAt)
      else exhausted.delete(key)
    }
  }

  function makeRoom(now: number): boolean {
    const hasRoom = () => fresh.size + exhausted.size < capacity
    if (hasRoom()) return true
    const oldest = fresh.entries().next().value
    if (oldest && !isOpen(oldest[1], now)) return fresh.delete(oldest[0])
    const sample = exhausted.values().next().value
    if (now >= firstEnd || (sample && !isOpen(sample, now))) dropExpired(now)
    if (hasRoom()) return true
    return oldest !== undefined && fresh.delete(oldest[0])
  }

  function keep(key: string, one: OpenWindow, limit: number): void {
    if (one.count < limit) {
      fresh.set(key, one)
      return
    }
    fresh.delete(key)
    exhausted.set(key, one)
    firstEnd = Math.min(firstEnd, one.resetAt)
  }

  return {
    count(key, { durationMs, limit, now }) {
      let window = current(key, now)
      if (window) {
        window.count = Math.min(window.count + 1, limit + 1)
      } else {
        fresh.delete(key)
        exhausted.delete(key)
        if (!makeRoom(now)) return { count: limit + 1, resetAt: firstEnd }
        window = { count: 1, resetAt: now + durationMs, durationMs }
      }
      keep(key, window, limit)
      return report(window)
    },
    peek(key, { durationMs, now }) {
      return report(current(key, now) ?? { count: 0, resetAt: now + durationMs, durationMs })
    },
    get size() {
      return fresh.size + exhausted.size
    },
  }
}
