import type { CountWindow, WindowCount } from './types.ts'

/** Windows of one kind that are kept at once when nothing else is said. */
const DEFAULT_WINDOW_CAPACITY = 100_000

interface OpenWindow {
  count: number
  readonly resetAt: number
  readonly durationMs: number
}

/** Fixed windows in memory. What stands before the first `:` of a key is its kind: never let a client choose it. */
export interface Windows {
  /** Counts once, or takes one back. Opens a window when none is open; the count stays at `limit + 1` once it is there. */
  count(key: string, window: CountWindow): WindowCount
  /** What {@link Windows.count} would go on from: 0 when a window would be opened, `limit + 1` when none could be. */
  peek(key: string, window: CountWindow): WindowCount
  /** How many windows are kept, never above the capacity for each kind of key. */
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
 * Counts in fixed windows with a bound on memory, in a table of its own for each kind of key. When all places of a table
 * are taken a new key gets that of an expired window, else that of the oldest window that still has something left. An
 * exhausted window is never given up: when there are no others the newcomer is answered as exhausted, until the first
 * of them ends.
 *
 * @param capacity windows of one kind kept at once @default 100000
 */
export function createWindows(capacity: number = DEFAULT_WINDOW_CAPACITY): Windows {
  const tables = new Map<string, Windows>()

  function tableOf(key: string): Windows {
    const kind = key.slice(0, key.indexOf(':') + 1)
    const table = tables.get(kind) ?? createTable(capacity)
    tables.set(kind, table)
    return table
  }

  return {
    count: (key, window) => tableOf(key).count(key, window),
    peek: (key, window) => tableOf(key).peek(key, window),
    get size() {
      return [...tables.values()].reduce((sum, { size }) => sum + size, 0)
    },
  }
}

function createTable(capacity: number): Windows {
  // Maps keep the order of insertion, so the first of `fresh` is the oldest.
  const fresh = new Map<string, OpenWindow>()
  const exhausted = new Map<string, OpenWindow>()
  // Never above the end of the exhausted window that ends first, so that a flood does not look through all.
  let firstEnd = Number.POSITIVE_INFINITY

  function current(key: string, now: number): OpenWindow | undefined {
    const found = fresh.get(key) ?? exhausted.get(key)
    return found && isOpen(found, now) ? found : undefined
  }

  const hasRoom = () => fresh.size + exhausted.size < capacity

  function dropExpired(now: number): void {
    const sample = exhausted.values().next().value
    if (now < firstEnd && (!sample || isOpen(sample, now))) return
    firstEnd = Number.POSITIVE_INFINITY
    for (const [key, one] of exhausted) {
      if (isOpen(one, now)) firstEnd = Math.min(firstEnd, one.resetAt)
      else exhausted.delete(key)
    }
  }

  /** Whether nothing but exhausted windows is kept, and no more than these can be. */
  function isFull(now: number): boolean {
    if (hasRoom()) return false
    const oldest = fresh.values().next().value
    if (!oldest || isOpen(oldest, now)) dropExpired(now)
    return fresh.size === 0 && !hasRoom()
  }

  function keep(key: string, one: OpenWindow, limit: number): void {
    if (one.count < limit) {
      exhausted.delete(key)
      fresh.set(key, one)
      return
    }
    fresh.delete(key)
    exhausted.set(key, one)
    firstEnd = Math.min(firstEnd, one.resetAt)
  }

  function peek(key: string, { durationMs, limit, now }: CountWindow): WindowCount {
    const window = current(key, now)
    if (window) return report(window)
    return isFull(now) ? { count: limit + 1, resetAt: firstEnd } : { count: 0, resetAt: now + durationMs }
  }

  function takeBack(key: string, asked: CountWindow): WindowCount {
    const window = current(key, asked.now)
    if (!window) return peek(key, asked)
    window.count = Math.min(window.count, asked.limit) - 1
    if (window.count > 0) keep(key, window, asked.limit)
    else {
      fresh.delete(key)
      exhausted.delete(key)
    }
    return report(window)
  }

  return {
    peek,
    count(key, asked) {
      const { durationMs, limit, now, by } = asked
      if (by === -1) return takeBack(key, asked)
      let window = current(key, now)
      if (window) {
        window.count = Math.min(window.count + 1, limit + 1)
      } else {
        fresh.delete(key)
        exhausted.delete(key)
        if (isFull(now)) return { count: limit + 1, resetAt: firstEnd }
        if (!hasRoom()) fresh.delete(fresh.keys().next().value as string)
        window = { count: 1, resetAt: now + durationMs, durationMs }
      }
      keep(key, window, limit)
      return report(window)
    },
    get size() {
      return fresh.size + exhausted.size
    },
  }
}
