import { createWindows } from '@fish-crab/server/storage'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const at = (now: number, limit = 2, durationMs = 1000) => ({ durationMs, limit, now })

function exhaust(windows: ReturnType<typeof createWindows>, key: string, now: number, limit = 2): void {
  for (let i = 0; i < limit; i += 1) windows.count(key, at(now, limit))
}

describe('a flood of new keys', () => {
  test('never evicts an exhausted window, and memory stays bounded', () => {
    const windows = createWindows(100)
    exhaust(windows, 'exhausted', 0)
    for (let i = 0; i < 10_000; i += 1) windows.count(`flood-${i}`, at(1))
    expect(windows.count('exhausted', at(2))).toEqual({ count: 3, resetAt: 1000 })
    expect(windows.size).toBeLessThanOrEqual(100)
  })

  test('evicts expired windows first, then the oldest window that is not exhausted', () => {
    const windows = createWindows(3)
    exhaust(windows, 'over soon', 0)
    windows.count('older', at(500))
    windows.count('newer', at(600))
    windows.count('first newcomer', at(1000))
    expect(windows.peek('older', at(1000)).count).toBe(1)
    windows.count('second newcomer', at(1001))
    expect(windows.peek('older', at(1001)).count).toBe(0)
    expect(windows.peek('newer', at(1001)).count).toBe(1)
  })

  test('is refused while all windows are exhausted, until the first window ends', () => {
    const windows = createWindows(2)
    exhaust(windows, 'a', 0)
    exhaust(windows, 'b', 300)
    expect(windows.count('newcomer', at(400))).toEqual({ count: 3, resetAt: 1000 })
    expect(windows.count('newcomer', at(999))).toEqual({ count: 3, resetAt: 1000 })
    expect(windows.count('newcomer', at(1000))).toEqual({ count: 1, resetAt: 2000 })
    expect(windows.count('b', at(1000))).toEqual({ count: 3, resetAt: 1300 })
  })

  test('is also refused in a peek, which counts nothing', () => {
    const windows = createWindows(2)
    exhaust(windows, 'a', 0)
    exhaust(windows, 'b', 300)
    expect(windows.peek('newcomer', at(400))).toEqual({ count: 3, resetAt: 1000 })
    expect(windows.peek('newcomer', at(1000))).toEqual({ count: 0, resetAt: 2000 })
  })

  test('is accepted as soon as one request of an exhausted window is no longer counted', () => {
    const windows = createWindows(2)
    exhaust(windows, 'a', 0)
    exhaust(windows, 'b', 0)
    windows.count('b', { ...at(1), by: -1 })
    expect(windows.count('newcomer', at(2))).toEqual({ count: 1, resetAt: 1002 })
    expect(windows.peek('a', at(2)).count).toBe(2)
    expect(windows.size).toBe(2)
  })

  test('does not evict windows of a kind other than its own', () => {
    const windows = createWindows(2)
    for (const key of ['public:a', 'public:b']) exhaust(windows, key, 0)
    expect(windows.count('public:c', at(1)).count).toBe(3)
    expect(windows.count('admin:root', at(1))).toEqual({ count: 1, resetAt: 1001 })
    expect(windows.peek('login:a', at(1)).count).toBe(0)
    for (let i = 0; i < 100; i += 1) windows.count(`login:${i}`, at(2))
    expect(windows.size).toBe(5)
  })

  test('that opens short windows does not end long windows early', () => {
    const windows = createWindows(2)
    exhaust(windows, 'long', 0, 1)
    for (let i = 0; i < 50; i += 1) windows.count(`short-${i}`, { durationMs: 10, limit: 1, now: i })
    expect(windows.count('long', at(60, 1))).toEqual({ count: 2, resetAt: 1000 })
  })
})

describe('a clock that is set back', () => {
  test('by less than one duration does not grant a second allowance', () => {
    const windows = createWindows()
    exhaust(windows, 'key', 10_000)
    expect(windows.count('key', at(9_995))).toEqual({ count: 3, resetAt: 11_000 })
    expect(windows.count('key', at(9_000))).toEqual({ count: 3, resetAt: 11_000 })
  })

  test('by more than one duration opens a new window, so that the client is not locked out', () => {
    const windows = createWindows()
    exhaust(windows, 'key', 10_000)
    expect(windows.peek('key', at(8_999))).toMatchObject({ count: 0 })
    expect(windows.count('key', at(8_999))).toEqual({ count: 1, resetAt: 9_999 })
  })

  test('does not block new keys, even if all windows were exhausted', () => {
    const windows = createWindows(2)
    exhaust(windows, 'a', 100_000)
    exhaust(windows, 'b', 100_000)
    expect(windows.count('newcomer', at(5))).toEqual({ count: 1, resetAt: 1005 })
  })
})

test('a limit of 0 allows no requests', () => {
  expect(createWindows().count('key', at(0, 0))).toEqual({ count: 1, resetAt: 1000 })
})

test('after any sequence of counts, an exhausted window stays exhausted until its end', () => {
  const event = fc.record({ key: fc.integer({ min: 0, max: 30 }), later: fc.integer({ min: 0, max: 60 }) })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 300 }), fc.integer({ min: 1, max: 10 }), (events, capacity) => {
      const windows = createWindows(capacity)
      const exhaustedUntil = new Map<number, number>()
      let now = 0
      for (const { key, later } of events) {
        now += later
        const { count, resetAt } = windows.count(String(key), at(now))
        const until = exhaustedUntil.get(key)
        if (until !== undefined && now < until) expect(count).toBe(3)
        if (count === 2) exhaustedUntil.set(key, resetAt)
        expect(resetAt).toBeGreaterThan(now)
        expect(windows.size).toBeLessThanOrEqual(capacity)
      }
    }),
  )
})
