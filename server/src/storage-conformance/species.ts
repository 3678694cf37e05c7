import { expect, test } from 'vitest'
import type { FishStorage } from '../storage/index.ts'
import { caughtRecord, newCollection, newRecord, speciesOf } from './samples.ts'

/** The species of a collection. Random operations compare them with a count of the records, too. */
export function describeSpecies(storage: () => FishStorage): void {
  test('keeps names and times apart, whatever they are', async () => {
    const names = ['a', 'A', 'a:b', 'a b', '"', '\\', '\u0001', 'ü', '🐟', '__proto__', '["a",null]']
    const times = [Date.UTC(0, 0), -1, 0, Date.UTC(9999, 11, 31, 23, 59, 59, 999)]
    const collection = newCollection()
    const record = caughtRecord(...names.flatMap((name) => times.map((at) => [{ name }, at] as const)))
    await storage().append(collection, record)
    await storage().append(collection, newRecord({ count: record.count, entries: record.entries }))

    const species = await speciesOf(storage(), collection)
    expect(new Set(species.map(({ name }) => name))).toEqual(new Set(names))
    for (const { count, first, last } of species) {
      expect({ count, first, last }).toEqual({ count: 8, first: Math.min(...times), last: Math.max(...times) })
    }
  })

  test('has all of thousands, each once, and none of more than 10,000, until some are removed', async () => {
    const collection = newCollection()
    const append = async (from: number, to: number) => {
      const names = Array.from({ length: to - from }, (_, index) => `Fish ${from + index}`)
      const record = caughtRecord(...names.map((name) => [{ name }, 0] as const))
      await storage().append(collection, record)
      return record.id
    }
    const counted = async () => new Set((await storage().species(collection))?.map(({ name }) => name)).size
    const ids: string[] = []
    for (let at = 0; at < 10_000; at += 500) ids.push(await append(at, at + 500))
    expect(await counted()).toBe(10_000)
    await append(10_000, 10_003)
    expect(await storage().species(collection)).toBeNull()
    await append(10_003, 10_004)
    expect(await storage().species(collection)).toBeNull()
    await storage().removeRecord(collection, ids[0] as string)
    expect(await counted()).toBe(9504)
  })

  test('counts again after a removal at the moment when a count is stored', async () => {
    const kept = { name: 'Koi', label: null, count: 1, first: 0, last: 0 }
    const rounds = Array.from({ length: 40 }, async (_, turns) => {
      const collection = newCollection()
      const [first, second] = [caughtRecord([{ name: 'Ant' }, 0]), caughtRecord([{ name: 'Cod' }, 0])]
      for (const record of [first, second, caughtRecord([{ name: 'Koi' }, 0])])
        await storage().append(collection, record)
      await storage().removeRecord(collection, first.id)
      await storage().species(collection)
      for (let turn = 0; turn < turns % 8; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      await storage().removeRecord(collection, second.id)
      expect(await speciesOf(storage(), collection)).toEqual([kept])
      // Once more: the count that was on its way is stored by now.
      await storage().ping()
      expect(await speciesOf(storage(), collection)).toEqual([kept])
    })
    await Promise.all(rounds)
  })

  test('leaves out entries without a name or a time', async () => {
    const collection = newCollection()
    for (const entries of ['{"name":"Koi"}', '{"name":1,"caughtAt":"2026-01-31T12:00:00Z"}', '7,null,"a"', 'no JSON']) {
      await storage().append(collection, newRecord({ entries }))
    }
    expect(await speciesOf(storage(), collection)).toEqual([])
  })
}
