import type { CountWindow, WindowCount } from './types.ts'

interface OpenWindow {
  count: number
  readonly resetAt: number
  readonly durationMs: number
}

/** Fixed windows in memory. The text before the first `:` of a key is its kind: never let a client choose it. */
export interface Windows {
  /** Counts an event, or reverts one. Opens a window if none is open; the count stops at `limit + 1`. */
  count(key: string, window: CountWindow): WindowCount
  /** The count before the next event: 0 if that would open a window, `limit + 1` if the capacity is exhausted. */
  peek(key: string, window: CountWindow): WindowCount
  /** Number of windows, never above the capacity for each kind of key. */
  readonly size: number
}

/**
 * A window is over at its end, and also if its end is more than two durations ahead: then the clock was set back so far
 * that the client would be locked out. A smaller step back keeps the window: clocks are corrected by small steps all the
 * time, and none of these may grant a second allowance.
 */
function isOpen({ resetAt, durationMs }: OpenWindow, now: number): boolean {
  return now < resetAt && resetAt - now <= 2 * durationMs
}

function report({ count, resetAt }: OpenWindow, limit: number): WindowCount {
  return { count: Math.min(count, limit + 1), resetAt }
}

/**
 * Counts in fixed windows with bounded memory, in a table for each kind of key. In a full table a new key replaces an expired
 * window, else the oldest one that is not exhausted. Exhausted windows are never evicted: when there are no others, a new key
 * counts as exhausted until the first of them ends.
 *
 * @param capacity limit of windows of one kind @default 100000
 */
export function createWindows(capacity: number = 100_000): Windows {
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
  // Never above the first end of an exhausted window, so that a flood does not search all of them.
  let firstEnd = Number.POSITIVE_INFINITY

  function current(key: string, now: number): OpenWindow | undefined {
    const window = fresh.get(key) ?? exhausted.get(key)
    return window && isOpen(window, now) ? window : undefined
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

  function isFull(now: number): boolean {
    if (hasRoom()) return false
    const oldest = fresh.values().next().value
    if (!oldest || isOpen(oldest, now)) dropExpired(now)
    return fresh.size === 0 && !hasRoom()
  }

  function store(key: string, one: OpenWindow, limit: number): void {
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
    if (window) return report(window, limit)
    return isFull(now) ? { count: limit + 1, resetAt: firstEnd } : { count: 0, resetAt: now + durationMs }
  }

  function takeBack(key: string, options: CountWindow): WindowCount {
    const window = current(key, options.now)
    if (!window) return peek(key, options)
    window.count = Math.min(window.count, options.limit) - 1
    if (window.count > 0) store(key, window, options.limit)
    else {
      fresh.delete(key)
      exhausted.delete(key)
    }
    return report(window, options.limit)
  }

  return {
    peek,
    count(key, options) {
      const { durationMs, limit, now, by } = options
      if (by === -1) return takeBack(key, options)
      let window = current(key, now)
      if (window) {
        // Servers with different limits may share a window: the smaller one does not lower what the larger one counts.
        window.count = Math.max(window.count, Math.min(window.count, limit) + 1)
      } else {
        fresh.delete(key)
        exhausted.delete(key)
        if (isFull(now)) return { count: limit + 1, resetAt: firstEnd }
        if (!hasRoom()) fresh.delete(fresh.keys().next().value as string)
        window = { count: 1, resetAt: now + durationMs, durationMs }
      }
      store(key, window, limit)
      return report(window, limit)
    },
    get size() {
      return fresh.size + exhausted.size
    },
  }
}
