import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { FishStorage } from '../storage/index.ts'
import { newCollection, newRecord, readAll, readEntries, talliesOf } from './samples.ts'

/** Removing single records. */
export function describeRemoval(storage: () => FishStorage): void {
  test('removes one record by its id and keeps the order of the others', async () => {
    const collection = newCollection()
    const records = ['a', 'b', 'c', 'd'].map((plain) => newRecord({ plain }))
    for (const record of records) await storage().append(collection, record)
    expect(await storage().removeRecord(collection, records[1]?.id ?? '')).toBe(true)
    expect(await readEntries(storage(), collection)).toEqual(['a', 'c', 'd'])
    expect(await storage().removeRecord(collection, records[3]?.id ?? '')).toBe(true)
    await storage().append(collection, newRecord({ plain: 'e' }))
    expect(await readEntries(storage(), collection)).toEqual(['a', 'c', 'e'])
  })

  test('finds nothing under an unknown id, in another collection, or a second time', async () => {
    const collection = newCollection()
    const record = newRecord()
    await storage().append(collection, record)
    const elsewhere = [{ owner: randomUUID() }, { kind: 'crab' }, { gamemode: 'sky' }]
    for (const part of elsewhere) {
      expect(await storage().removeRecord({ ...collection, ...part }, record.id)).toBe(false)
    }
    expect(await storage().removeRecord(collection, randomUUID())).toBe(false)
    expect(await readEntries(storage(), collection)).toHaveLength(1)
    expect(await storage().removeRecord(collection, record.id)).toBe(true)
    expect(await storage().removeRecord(collection, record.id)).toBe(false)
  })

  test('removes once for 32 concurrent removals, and takes the tallies away once', async () => {
    const collection = newCollection({ kind: randomUUID() })
    const [record, kept] = [newRecord({ count: 7, labels: { Gold: 3 } }), newRecord({ count: 2, labels: { Gold: 1 } })]
    await storage().append(collection, record)
    await storage().append(collection, kept)
    const removals = Array.from({ length: 32 }, () => storage().removeRecord(collection, record.id))
    expect((await Promise.all(removals)).filter(Boolean)).toHaveLength(1)

    const { owner, kind, gamemode } = collection
    expect(await talliesOf(storage(), kind)).toEqual([
      { kind, gamemode, label: null, count: 2 },
      { kind, gamemode, label: 'Gold', count: 1 },
    ])
    expect(await storage().leaders({ kind, limit: 9 })).toEqual([{ owner, count: 2 }])
    await storage().removeRecord(collection, kept.id)
    expect(await talliesOf(storage(), kind)).toEqual([])
    expect(await storage().leaders({ kind, limit: 9 })).toEqual([])
    expect(await storage().leaders({ kind, gamemode, limit: 9 })).toEqual([])
  })

  test('leaves the token used: sent again it is answered with its id and stores nothing', async () => {
    const collection = newCollection()
    const record = newRecord({ dedupeKey: 'token' })
    await storage().append(collection, record)
    await storage().removeRecord(collection, record.id)
    expect(await storage().findRecord(collection.owner, 'token')).toBe(record.id)
    const again = await storage().append(collection, newRecord({ dedupeKey: 'token' }))
    expect(again).toEqual({ outcome: 'replayed', id: record.id })
    expect(await readEntries(storage(), collection)).toEqual([])
  })

  test('gives no sequence twice, so that a cursor stays right when the newest records go', async () => {
    const collection = newCollection()
    const seen = new Set<number>()
    for (let round = 0; round < 4; round += 1) {
      const record = newRecord()
      await storage().append(collection, record)
      for (const { sequence } of await readAll(storage(), collection)) {
        expect(seen.has(sequence)).toBe(false)
        seen.add(sequence)
      }
      await storage().removeRecord(collection, record.id)
    }
    expect(seen.size).toBe(4)
  })

  test('removes a record that is appended in the same moment, or not, but nothing in between', async () => {
    const collection = newCollection({ kind: randomUUID() })
    const records = Array.from({ length: 40 }, () => newRecord({ labels: { Gold: 1 } }))
    const removed = await Promise.all(
      records.map(async (record) => {
        const [, found] = await Promise.all([
          storage().append(collection, record),
          storage().removeRecord(collection, record.id),
        ])
        return found
      }),
    )
    const left = removed.filter((found) => !found).length
    expect(await readEntries(storage(), collection)).toHaveLength(left)
    const counts = (await talliesOf(storage(), collection.kind)).map(({ count }) => count)
    expect(counts).toEqual(left ? [left, left] : [])
  })

  test('yields no record twice to a read during which others are removed', async () => {
    const collection = newCollection()
    const records = Array.from({ length: 1200 }, (_, i) => newRecord({ plain: String(i) }))
    await Promise.all(records.map((record) => storage().append(collection, record)))
    const seen: string[] = []
    for await (const chunk of storage().read(collection, 'plain')) {
      if (seen.length === 0) {
        await Promise.all(records.slice(100, 200).map((record) => storage().removeRecord(collection, record.id)))
      }
      seen.push(...chunk.map((record) => record.entries))
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeGreaterThanOrEqual(1100)
    expect(await readEntries(storage(), collection)).toHaveLength(1100)
  })
}
