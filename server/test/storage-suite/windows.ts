import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { FishStorage } from '../../src/storage/index.ts'

const START = 1_700_000_000_000
const at = (later: number, limit = 3) => ({ durationMs: 1000, limit, now: START + later })

export function describeWindows(storage: () => FishStorage): void {
  test('opens a window at the first count, and the next window only when the first window ends', async () => {
    const key = randomUUID()
    for (const count of [1, 2, 3, 4, 4]) {
      expect(await storage().countInWindow(key, at(count))).toEqual({ count, resetAt: START + 1001 })
    }
    expect(await storage().countInWindow(key, at(1000))).toEqual({ count: 4, resetAt: START + 1001 })
    expect(await storage().countInWindow(key, at(1001))).toEqual({ count: 1, resetAt: START + 2001 })
  })

  test('does not lower the count for a caller with a smaller limit', async () => {
    const key = randomUUID()
    for (let i = 0; i < 5; i += 1) await storage().countInWindow(key, at(0, 6))
    expect((await storage().countInWindow(key, at(0, 2))).count).toBe(3)
    expect((await storage().peekWindow(key, at(0, 2))).count).toBe(3)
    expect((await storage().countInWindow(key, at(0, 6))).count).toBe(6)
    expect((await storage().countInWindow(key, at(0, 6))).count).toBe(7)
  })

  test('allows exactly as many concurrent calls as the limit', async () => {
    const key = randomUUID()
    const results = await Promise.all(Array.from({ length: 64 }, () => storage().countInWindow(key, at(0, 25))))
    expect(results.filter((result) => result.count <= 25)).toHaveLength(25)
    expect(results.map((result) => result.resetAt)).toEqual(Array(64).fill(START + 1000))
  })

  test('returns the current count without counting an event or opening a window', async () => {
    const key = randomUUID()
    expect(await storage().peekWindow(key, at(0))).toMatchObject({ count: 0 })
    await storage().countInWindow(key, at(500))
    for (const later of [500, 600, 1499]) {
      expect(await storage().peekWindow(key, at(later))).toEqual({ count: 1, resetAt: START + 1500 })
    }
    expect(await storage().peekWindow(key, at(1500))).toMatchObject({ count: 0 })
  })

  test('reverts a counted event, also in an exhausted window, but not an event above the limit', async () => {
    const key = randomUUID()
    for (let i = 0; i < 5; i += 1) await storage().countInWindow(key, at(0))
    expect(await storage().countInWindow(key, { ...at(100), by: -1 })).toEqual({ count: 2, resetAt: START + 1000 })
    expect(await storage().peekWindow(key, at(100))).toEqual({ count: 2, resetAt: START + 1000 })
    expect(await storage().countInWindow(key, at(200))).toEqual({ count: 3, resetAt: START + 1000 })
    expect(await storage().countInWindow(key, at(200))).toEqual({ count: 4, resetAt: START + 1000 })
  })

  test('ignores a revert if no event is counted, and opens no window', async () => {
    const key = randomUUID()
    expect(await storage().countInWindow(key, { ...at(0), by: -1 })).toMatchObject({ count: 0 })
    await storage().countInWindow(key, at(100))
    expect(await storage().countInWindow(key, { ...at(200), by: -1 })).toMatchObject({ count: 0 })
    expect(await storage().countInWindow(key, { ...at(300), by: -1 })).toMatchObject({ count: 0 })
    expect(await storage().countInWindow(key, at(400))).toEqual({ count: 1, resetAt: START + 1400 })
  })

  test('allows no more failures than the limit, even if other concurrent callers revert their events', async () => {
    const key = randomUUID()
    const attempt = async (isFailure: boolean) => {
      const { count } = await storage().countInWindow(key, at(0, 10))
      if (count > 10) return false
      if (!isFailure) await storage().countInWindow(key, { ...at(0, 10), by: -1 })
      return isFailure
    }
    const failures = await Promise.all(Array.from({ length: 64 }, (_, index) => attempt(index % 2 === 0)))
    expect(failures.filter(Boolean).length).toBeLessThanOrEqual(10)
    expect((await storage().peekWindow(key, at(0, 10))).count).toBeGreaterThanOrEqual(failures.filter(Boolean).length)
  })

  test('counts different keys in separate windows', async () => {
    const key = randomUUID()
    await storage().countInWindow(key, at(0))
    expect(await storage().countInWindow(`${key}?x`, at(0))).toMatchObject({ count: 1 })
    expect(await storage().countInWindow(key.toUpperCase(), at(0))).toMatchObject({ count: 1 })
  })
}
