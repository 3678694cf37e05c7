import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Collection, FishStorage } from '../../src/storage/index.ts'
import { newCollection, newEntry, newRecord, readAll, readChunks, readNames, recordOf } from './samples.ts'

/** The name of the first entry. */
function nameOf({ entries }: { readonly entries: string }): string {
  return JSON.parse(`[${entries}]`)[0].name
}

/** Appends one record for each count concurrently, and returns the records. */
async function fill(storage: FishStorage, collection: Collection, counts: readonly number[]) {
  const records = counts.map((count, i) => recordOf(...Array.from({ length: count }, () => `${i}`)))
  await Promise.all(records.map((record) => storage.append(collection, record)))
  return records
}

export function describeReads(storage: () => FishStorage): void {
  test('yields nothing for a collection without records', async () => {
    expect(await readChunks(storage(), newCollection())).toEqual([])
  })

  test('stops after the record that reaches the requested number of entries', async () => {
    const collection = newCollection()
    await fill(storage(), collection, [2, 3, 1, 5])
    for (const [entries, counts] of [
      [1, [2]],
      [2, [2]],
      [3, [2, 3]],
      [6, [2, 3, 1]],
      [100, [2, 3, 1, 5]],
    ] as const) {
      expect((await readAll(storage(), collection, { entries })).map(({ count }) => count)).toEqual(counts)
    }
  })

  test('orders the records of all collections of an owner by their sequences', async () => {
    const earth = newCollection()
    const sky = { ...earth, gamemode: 'sky' }
    const stored: string[] = []
    for (const collection of [earth, earth, sky, earth, sky, sky]) {
      const record = newRecord()
      await storage().append(collection, record)
      stored.push(record.id)
    }
    const found = [...(await readAll(storage(), earth)), ...(await readAll(storage(), sky))]
    const inOrder = found.toSorted((one, other) => one.sequence - other.sequence)
    expect(inOrder.map(({ id }) => id)).toEqual(stored)
  })

  test('starts with the record at the given sequence, so that pages have no gaps or repeats', async () => {
    const collection = newCollection()
    await fill(storage(), collection, Array(23).fill(1))
    const seen: string[] = []
    let from = 0
    for (;;) {
      const page = await readAll(storage(), collection, { from, entries: 5 })
      seen.push(...page.map(nameOf))
      const last = page.at(-1)
      if (!last) break
      expect((await readAll(storage(), collection, { from: last.sequence, entries: 1 }))[0]).toEqual(last)
      from = last.sequence + 1
    }
    expect(seen).toEqual(Array.from({ length: 23 }, (_, i) => String(i)))
  })

  test('omits records appended during the read, and repeats no record if other records are removed', async () => {
    const collection = newCollection()
    const records = await fill(storage(), collection, Array(1200).fill(1))
    for await (const chunk of storage().read(collection)) {
      expect(chunk[0] && nameOf(chunk[0])).toBe('0')
      break
    }
    const seen: string[] = []
    for await (const chunk of storage().read(collection)) {
      if (seen.length === 0) {
        const removals = records.slice(100, 200).map(({ id }) => storage().removeRecord(collection, id))
        await Promise.all([...removals, storage().append(collection, recordOf('later'))])
      }
      seen.push(...chunk.map(nameOf))
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeGreaterThanOrEqual(1100)
    expect(seen).not.toContain('later')
    const kept = records.filter((_, i) => i < 100 || i >= 200).map(nameOf)
    expect(seen).toEqual(expect.arrayContaining(kept))
    expect(await readNames(storage(), collection)).toEqual([...kept, 'later'])
  })

  test.each([
    { name: 'small', records: 1200, length: 1, most: 500 },
    { name: 'large', records: 12, length: 100_000, most: 3 },
  ])('yields chunks of at most $most $name records', async ({ records, length, most }) => {
    const collection = newCollection()
    const name = 'x'.repeat(length)
    await Promise.all(Array.from({ length: records }, () => storage().append(collection, recordOf(name))))
    const chunks = await readChunks(storage(), collection)
    expect(chunks.flat()).toHaveLength(records)
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(most)
  })

  test('returns the largest record unchanged: 500 entries with names of 100 four-byte characters', async () => {
    const collection = newCollection()
    const record = newRecord({ entries: Array.from({ length: 500 }, () => newEntry('🦀'.repeat(100))) })
    await storage().append(collection, record)
    expect(await readAll(storage(), collection)).toMatchObject([{ count: 500, entries: record.entries }])
  })

  test('yields no record before all records with lower sequences are visible', async () => {
    const collection = newCollection()
    let isDone = false
    const writing = fill(storage(), collection, Array(200).fill(1)).finally(() => {
      isDone = true
    })
    const seen: number[] = []
    const read = async () => {
      const from = (seen.at(-1) ?? 0) + 1
      seen.push(...(await readAll(storage(), collection, { from })).map(({ sequence }) => sequence))
      await nextTurn()
    }
    while (!isDone) await read()
    await writing
    await read()
    expect(seen).toEqual((await readAll(storage(), collection)).map(({ sequence }) => sequence))
    expect(seen).toHaveLength(200)
  })
}

export function describeVersions(storage: () => FishStorage): void {
  test('returns at most 64 visible ASCII characters without quotation marks, as an ETag requires', async () => {
    const collection = newCollection({ kind: 'ü "🐟"' })
    expect(await storage().version(collection)).toMatch(/^[\x21\x23-\x7e]{1,64}$/)
    await storage().append(collection, newRecord())
    expect(await storage().version(collection)).toMatch(/^[\x21\x23-\x7e]{1,64}$/)
  })

  test('returns a version that never stands for content older than an acknowledged append', async () => {
    const collection = newCollection()
    const underVersion = new Map<string, number>()
    let written = 0
    const write = async () => {
      for (; written < 60; written += 1) {
        await storage().append(collection, newRecord())
        await nextTurn()
      }
    }
    const check = async () => {
      while (written < 60) {
        const acknowledged = written
        const version = await storage().version(collection)
        const entries = (await readNames(storage(), collection)).length
        expect(entries).toBeGreaterThanOrEqual(acknowledged)
        const least = underVersion.get(version)
        // If older content had been read under this version, a cache would serve that content as current.
        if (least !== undefined) expect(Math.min(least, entries)).toBeGreaterThanOrEqual(acknowledged)
        underVersion.set(version, Math.min(least ?? entries, entries))
        await nextTurn()
      }
    }
    await Promise.all([write(), check(), check()])
    expect(underVersion.size).toBeGreaterThan(1)
  })
}
