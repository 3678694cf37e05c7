import { expect, test } from 'vitest'
import type { FishStorage } from '../storage/index.ts'
import { caughtRecord, collectionTalliesOf, newCollection, newRecord } from './samples.ts'

const DAY_MS = 86_400_000

/**
 * Tests the species and days of a collection. The tests with random operations also compare these tallies with a count
 * of the records.
 */
export function describeCollectionTallies(storage: () => FishStorage): void {
  test('counts entries by exact name and day, even if names and times are unusual', async () => {
    const names = ['a', 'A', 'a:b', 'a b', '"', '\\', '\u0001', 'ü', '🐟', '__proto__', '["a",null]']
    const times = [Date.UTC(0, 0), -1, 0, Date.UTC(9999, 11, 31, 23, 59, 59, 999)]
    const collection = newCollection()
    const record = caughtRecord(...names.flatMap((name) => times.map((at) => [{ name }, at] as const)))
    await storage().append(collection, record)
    await storage().append(collection, newRecord({ count: record.count, entries: record.entries }))

    const { species, days } = await collectionTalliesOf(storage(), collection)
    expect(days).toEqual([
      { day: '1900-01-01', count: 22 },
      { day: '1969-12-31', count: 22 },
      { day: '1970-01-01', count: 22 },
      { day: '9999-12-31', count: 22 },
    ])
    expect(new Set(species?.map(({ name }) => name))).toEqual(new Set(names))
    for (const { count, first, last } of species ?? []) {
      expect({ count, first, last }).toEqual({ count: 8, first: Math.min(...times), last: Math.max(...times) })
    }
  })

  test('counts an entry on its UTC day, from the first millisecond to the last', async () => {
    const collection = newCollection()
    const caughtAt = ['2026-01-31T00:00:00.000Z', '2026-01-31T23:59:59.999Z', '2026-02-01T01:00:00+02:00', '2026-02-01']
    for (const at of caughtAt) {
      await storage().append(collection, newRecord({ entries: JSON.stringify({ name: 'Koi', caughtAt: at }) }))
    }
    expect((await collectionTalliesOf(storage(), collection)).days).toEqual([
      { day: '2026-01-31', count: 3 },
      { day: '2026-02-01', count: 1 },
    ])
  })

  test.each([
    { of: 'species', other: 'days', entryOf: (number: number) => [{ name: `Fish ${number}` }, 0] as const },
    { of: 'days', other: 'species', entryOf: (number: number) => [{ name: 'Koi' }, number * DAY_MS] as const },
  ] as const)(
    'returns up to 10,000 $of, and null above 10,000 until a removal reduces the number',
    async ({ of, other, entryOf }) => {
      const collection = newCollection()
      const append = async (from: number, to: number) => {
        const record = caughtRecord(...Array.from({ length: to - from }, (_, index) => entryOf(from + index)))
        await storage().append(collection, record)
        return record.id
      }
      const tallies = () => storage().collectionTallies(collection)
      const counted = async () => new Set((await tallies())[of]?.map((tally) => JSON.stringify(tally))).size
      const ids: string[] = []
      for (let at = 0; at < 10_000; at += 500) ids.push(await append(at, at + 500))
      expect(await counted()).toBe(10_000)
      await append(10_000, 10_003)
      expect(await tallies()).toMatchObject({ [of]: null, [other]: [{ count: 10_003 }] })
      await append(10_003, 11_004)
      expect(await tallies()).toMatchObject({ [of]: null, [other]: [{ count: 11_004 }] })
      const lastId = await append(11_004, 11_005)
      await storage().removeRecord(collection, lastId)
      // The recount after the removal also finds more than 10,000 rows.
      expect(await tallies()).toMatchObject({ [of]: null, [other]: [{ count: 11_004 }] })
      await append(11_004, 11_005)
      expect(await tallies()).toMatchObject({ [of]: null, [other]: [{ count: 11_005 }] })
      for (const id of ids.slice(1, 4)) await storage().removeRecord(collection, id)
      await storage().removeRecord(collection, ids[0] as string)
      expect(await counted()).toBe(9005)
    },
  )

  test('counts the records again if a record is removed while a count is being stored', async () => {
    const kept = {
      species: [{ name: 'Koi', label: null, count: 1, first: 0, last: 0 }],
      days: [{ day: '1970-01-01', count: 1 }],
    }
    const rounds = Array.from({ length: 40 }, async (_, turns) => {
      const collection = newCollection()
      const [first, second] = [caughtRecord([{ name: 'Ant' }, 0]), caughtRecord([{ name: 'Cod' }, 0])]
      for (const record of [first, second, caughtRecord([{ name: 'Koi' }, 0])])
        await storage().append(collection, record)
      await storage().removeRecord(collection, first.id)
      await storage().collectionTallies(collection)
      for (let turn = 0; turn < turns % 8; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      await storage().removeRecord(collection, second.id)
      expect(await collectionTalliesOf(storage(), collection)).toEqual(kept)
      // The ping waits until the running count is stored. The next read must not return an outdated count.
      await storage().ping()
      expect(await collectionTalliesOf(storage(), collection)).toEqual(kept)
    })
    await Promise.all(rounds)
  })

  test('ignores entries without a valid name or time', async () => {
    const collection = newCollection()
    for (const entries of ['{"name":"Koi"}', '{"name":1,"caughtAt":"2026-01-31T12:00:00Z"}', '7,null,"a"', 'no JSON']) {
      await storage().append(collection, newRecord({ entries }))
    }
    expect(await storage().collectionTallies(collection)).toEqual({ species: [], days: [] })
  })
}
