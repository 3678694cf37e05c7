import { type CountWindow, WINDOWS_PER_KIND, type WindowCount } from './types.ts'

interface OpenWindow {
  count: number
  readonly resetAt: number
  readonly durationMs: number
}

/** Fixed windows in memory. The text before the first `:` of a key is its kind: never let a client choose it. */
export interface Windows {
  /** Counts an event, or reverts an event. Opens a window if none is open; the count stops at `limit + 1`. */
  count(key: string, window: CountWindow): WindowCount
  /**
   * The count before the next event: 0 if the next event would open a window, `limit + 1` if the capacity is exhausted.
   */
  peek(key: string, window: CountWindow): WindowCount
  /** Number of windows, never above the capacity for each kind of key. */
  readonly size: number
}

/**
 * A window also counts as ended if its end is more than two durations ahead: the clock was set back so far that the
 * window would lock the client out. After a smaller step back, the window stays open: clocks are often corrected by
 * small steps, and a small step must not grant a second allowance.
 */
function isOpen({ resetAt, durationMs }: OpenWindow, now: number): boolean {
  return now < resetAt && resetAt - now <= 2 * durationMs
}

/**
 * Counts in fixed windows with bounded memory, in a table for each kind of key. In a full table, a new key replaces an
 * expired window, or else the oldest window that is not exhausted. Exhausted windows are never evicted: if all windows
 * are exhausted, a new key counts as exhausted until the first window ends.
 *
 * @param capacity limit of windows of one kind @default {@link WINDOWS_PER_KIND}
 */
export function createWindows(capacity: number = WINDOWS_PER_KIND): Windows {
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
  // Maps keep the order of insertion, so the first window in `fresh` is the oldest.
  const fresh = new Map<string, OpenWindow>()
  const exhausted = new Map<string, OpenWindow>()
  // A lower bound of the ends of exhausted windows: before this time, a flood of new keys does not search all exhausted
  // windows.
  let firstEnd = Number.POSITIVE_INFINITY

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

  function isFull(now: number): boolean {
    if (hasRoom()) return false
    const oldest = fresh.values().next().value
    if (!oldest || isOpen(oldest, now)) dropExpired(now)
    return fresh.size === 0 && !hasRoom()
  }

  function remove(key: string): void {
    fresh.delete(key)
    exhausted.delete(key)
  }

  function change(key: string, { durationMs, limit, now }: CountWindow, by: 1 | 0 | -1): WindowCount {
    const stored = fresh.get(key) ?? exhausted.get(key)
    let window = stored && isOpen(stored, now) ? stored : undefined
    if (!window) {
      if (by === 1) remove(key)
      if (isFull(now)) return { count: limit + 1, resetAt: firstEnd }
      const resetAt = now + durationMs
      if (by !== 1) return { count: 0, resetAt }
      window = { count: 0, resetAt, durationMs }
      if (!hasRoom()) fresh.delete(fresh.keys().next().value as string)
    }
    if (by !== 0) {
      const within = Math.min(window.count, limit)
      // Servers with different limits may share a window: a smaller limit must not lower the count.
      window.count = by === 1 ? Math.max(window.count, within + 1) : within - 1
      const [table, other] = window.count < limit ? [fresh, exhausted] : [exhausted, fresh]
      other.delete(key)
      if (window.count > 0) table.set(key, window)
      else remove(key)
      if (table === exhausted) firstEnd = Math.min(firstEnd, window.resetAt)
    }
    return { count: Math.min(window.count, limit + 1), resetAt: window.resetAt }
  }

  return {
    count: (key, window) => change(key, window, window.by ?? 1),
    peek: (key, window) => change(key, window, 0),
    get size() {
      return fresh.size + exhausted.size
    },
  }
}
