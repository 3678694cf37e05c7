import { expect, test } from 'vitest'
import type { FishStorage } from '../../src/storage/index.ts'
import { collectionTalliesOf, newCollection, newEntry, newRecord, recordOf } from './samples.ts'

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
    const entries = names.flatMap((name) => times.map((at) => newEntry(name, { at })))
    for (let count = 0; count < 2; count += 1) await storage().append(collection, newRecord({ entries }))

    const { species, days } = await collectionTalliesOf(storage(), collection)
    expect(days).toEqual([
      { day: '1900-01-01', label: null, count: 22 },
      { day: '1969-12-31', label: null, count: 22 },
      { day: '1970-01-01', label: null, count: 22 },
      { day: '9999-12-31', label: null, count: 22 },
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
      await storage().append(collection, newRecord({ entries: [{ name: 'Koi', caughtAt: at }] }))
    }
    expect((await collectionTalliesOf(storage(), collection)).days).toEqual([
      { day: '2026-01-31', label: null, count: 3 },
      { day: '2026-02-01', label: null, count: 1 },
    ])
  })

  test('counts the entries of a day separately by label', async () => {
    const collection = newCollection()
    for (const rarity of ['Gold', 'a b:c', undefined, 'Gold']) {
      await storage().append(collection, newRecord({ entries: [newEntry('Koi', { rarity })] }))
    }
    expect((await collectionTalliesOf(storage(), collection)).days).toEqual([
      { day: '1970-01-01', label: 'Gold', count: 2 },
      { day: '1970-01-01', label: 'a b:c', count: 1 },
      { day: '1970-01-01', label: null, count: 1 },
    ])
  })

  test.each([
    { of: 'species', other: 'days', entryOf: (number: number) => newEntry(`Fish ${number}`) },
    { of: 'days', other: 'species', entryOf: (number: number) => newEntry('Koi', { at: number * DAY_MS }) },
  ] as const)(
    'returns up to 10,000 $of, and null above 10,000 until removals reduce the number',
    async ({ of, other, entryOf }) => {
      const collection = newCollection()
      const append = async (from: number, to: number) => {
        const record = newRecord({ entries: Array.from({ length: to - from }, (_, index) => entryOf(from + index)) })
        await storage().append(collection, record)
        return record.id
      }
      const tallies = () => storage().collectionTallies(collection)
      const counted = async () => new Set((await tallies())[of]?.map((tally) => JSON.stringify(tally))).size
      const ids: string[] = []
      for (let at = 0; at < 10_000; at += 500) ids.push(await append(at, at + 500))
      expect(await counted()).toBe(10_000)
      const last = await append(10_000, 10_003)
      expect(await tallies()).toMatchObject({ count: 10_003, [of]: null, [other]: [{ count: 10_003 }] })
      await storage().removeRecord(collection, last)
      expect(await counted()).toBe(10_000)
      await append(10_000, 11_004)
      expect(await tallies()).toMatchObject({ count: 11_004, [of]: null, [other]: [{ count: 11_004 }] })
      for (const id of ids.slice(0, 4)) await storage().removeRecord(collection, id)
      expect(await counted()).toBe(9004)
    },
  )

  test('finds the first and last time of a species again after each removal of its first or last entry', async () => {
    const collection = newCollection()
    const at = (...times: number[]) => newRecord({ entries: times.map((time) => newEntry('Koi', { at: time })) })
    const records = [at(5, 1), at(2), at(9, 4), at(3)]
    const koi = async () => (await storage().collectionTallies(collection)).species?.[0]
    for (const record of records) await storage().append(collection, record)
    expect(await koi()).toMatchObject({ count: 6, first: 1, last: 9 })
    await storage().removeEntry(collection, records[0]?.id as string, 1)
    expect(await koi()).toMatchObject({ count: 5, first: 2, last: 9 })
    await storage().removeRecord(collection, records[2]?.id as string)
    await storage().append(collection, at(4))
    expect(await koi()).toMatchObject({ count: 4, first: 2, last: 5 })
    await storage().removeRecord(collection, records[1]?.id as string)
    await storage().append(collection, at(7))
    expect(await koi()).toMatchObject({ count: 4, first: 3, last: 7 })
    // These times are stored now.
    expect(await koi()).toMatchObject({ count: 4, first: 3, last: 7 })
  })

  test('counts correctly if a record is removed while the times of a species are being found', async () => {
    const expected = {
      count: 1,
      species: [{ name: 'Koi', label: null, count: 1, first: 0, last: 0 }],
      days: [{ day: '1970-01-01', label: null, count: 1 }],
    }
    const rounds = Array.from({ length: 40 }, async (_, turns) => {
      const collection = newCollection()
      const early = (name: string, at: number) => newRecord({ entries: [name, newEntry('Koi', { at })] })
      const [first, second] = [early('Ant', -2), early('Cod', -1)]
      for (const record of [first, second, recordOf('Koi')]) await storage().append(collection, record)
      await storage().removeRecord(collection, first.id)
      const reading = storage().collectionTallies(collection)
      for (let turn = 0; turn < turns % 8; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      await storage().removeRecord(collection, second.id)
      await reading
      expect(await collectionTalliesOf(storage(), collection)).toEqual(expected)
      // The ping waits until the found times are stored. The next read must not return outdated times.
      await storage().ping()
      expect(await collectionTalliesOf(storage(), collection)).toEqual(expected)
    })
    await Promise.all(rounds)
  })
}
