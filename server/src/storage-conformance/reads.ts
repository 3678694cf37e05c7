import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Collection, FishStorage } from '../storage/index.ts'
import { newCollection, newRecord, readAll, readChunks, readEntries } from './samples.ts'

async function fill(storage: FishStorage, collection: Collection, counts: readonly number[]): Promise<void> {
  await Promise.all(counts.map((count, i) => storage.append(collection, newRecord({ count, entries: `${i}` }))))
}

export function describeReads(storage: () => FishStorage): void {
  test('yields nothing for a collection that has no records', async () => {
    expect(await readChunks(storage(), newCollection())).toEqual([])
  })

  test('returns entries as they were stored, with their count', async () => {
    const collection = newCollection()
    await storage().append(collection, newRecord({ count: 3, entries: 'a,b,c' }))
    expect(await readAll(storage(), collection)).toMatchObject([{ count: 3, entries: 'a,b,c' }])
  })

  test('gives records growing sequences, also with other collections written in between', async () => {
    const collection = newCollection()
    for (let i = 0; i < 5; i += 1) {
      await storage().append(collection, newRecord())
      await storage().append(newCollection(), newRecord())
    }
    const sequences = (await readAll(storage(), collection)).map((record) => record.sequence)
    expect(new Set(sequences).size).toBe(5)
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b))
    expect(sequences[0]).toBeGreaterThan(0)
  })

  test('stops once it has the requested number of entries', async () => {
    const collection = newCollection()
    await fill(storage(), collection, [2, 3, 1, 5])
    const readFirst = async (entries: number) =>
      (await readAll(storage(), collection, { entries })).map((record) => record.entries)
    expect(await readFirst(1)).toEqual(['0'])
    expect(await readFirst(2)).toEqual(['0'])
    expect(await readFirst(3)).toEqual(['0', '1'])
    expect(await readFirst(6)).toEqual(['0', '1', '2'])
    expect(await readFirst(100)).toEqual(['0', '1', '2', '3'])
  })

  test('begins at a sequence, that one included, so that pages join without gap or repeat', async () => {
    const collection = newCollection()
    await fill(storage(), collection, Array(23).fill(1))
    const seen: string[] = []
    let from = 0
    for (;;) {
      const page = await readAll(storage(), collection, { from, entries: 5 })
      seen.push(...page.map((record) => record.entries))
      const last = page.at(-1)
      if (!last) break
      expect((await readAll(storage(), collection, { from: last.sequence, entries: 1 }))[0]).toEqual(last)
      from = last.sequence + 1
    }
    expect(seen).toEqual(Array.from({ length: 23 }, (_, i) => String(i)))
  })

  test('reads what was there when it began, and leaves out what comes meanwhile', async () => {
    const collection = newCollection()
    await fill(storage(), collection, Array(1200).fill(1))
    let seen = 0
    for await (const chunk of storage().read(collection)) {
      if (seen === 0) await fill(storage(), collection, [1, 1, 1])
      seen += chunk.length
    }
    expect(seen).toBe(1200)
    expect(await readEntries(storage(), collection)).toHaveLength(1203)
  })

  test('can be stopped half-way and run twice at once', async () => {
    const collection = newCollection()
    await fill(storage(), collection, Array(1100).fill(1))
    for await (const chunk of storage().read(collection)) {
      expect(chunk[0]?.entries).toBe('0')
      break
    }
    const [first, second] = await Promise.all([readAll(storage(), collection), readAll(storage(), collection)])
    expect(first).toHaveLength(1100)
    expect(second).toEqual(first)
  })

  test('yields chunks of bounded size', async () => {
    const [many, large] = [newCollection(), newCollection()]
    await fill(storage(), many, Array(1200).fill(1))
    const entries = 'x'.repeat(100_000)
    await Promise.all(Array.from({ length: 12 }, () => storage().append(large, newRecord({ entries }))))

    const chunks = await readChunks(storage(), many)
    expect(chunks.flat()).toHaveLength(1200)
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(500)
    const largeChunks = await readChunks(storage(), large)
    expect(largeChunks.flat()).toHaveLength(12)
    expect(Math.max(...largeChunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(3)
  })

  test('stores the largest record: 500 entries with names of 100 four-byte characters', async () => {
    const collection = newCollection()
    const entries = Array.from({ length: 500 }, () => JSON.stringify({ name: '🦀'.repeat(100) })).join(',')
    const record = newRecord({ count: 500, entries })
    await storage().append(collection, record)
    expect(await readEntries(storage(), collection)).toEqual([record.entries])
  })
}

export function describeVersions(storage: () => FishStorage): void {
  test('changes with every append and removal and never comes again, the last removal included', async () => {
    const collection = newCollection()
    const seen: string[] = []
    const check = async () => {
      const version = await storage().version(collection)
      expect(await storage().version(collection)).toBe(version)
      expect(seen).not.toContain(version)
      seen.push(version)
    }
    await check()
    for (let round = 0; round < 3; round += 1) {
      const [one, other] = [newRecord(), newRecord()]
      await storage().append(collection, one)
      await check()
      await storage().append(collection, other)
      await check()
      await storage().removeRecord(collection, one.id)
      await check()
      await storage().removeRecord(collection, other.id)
      await check()
    }
    await storage().append(collection, newRecord())
    await check()
    await storage().removeOwner(collection.owner)
    await check()
  })

  test('stays when nothing changes: on a replay, a refused append, a removal of nothing, reads, or other collections', async () => {
    const collection = newCollection()
    await storage().append(collection, newRecord({ dedupeKey: 'token' }))
    const version = await storage().version(collection)
    await storage().append(collection, newRecord({ dedupeKey: 'token' }))
    await storage().removeRecord(collection, randomUUID())
    await readEntries(storage(), collection)
    for (const part of [{ owner: randomUUID() }, { kind: 'crab' }, { gamemode: 'sky' }]) {
      await storage().append({ ...collection, ...part }, newRecord())
    }
    await expect(storage().append(collection, newRecord({ count: 0 }))).rejects.toThrow()
    expect(await storage().version(collection)).toBe(version)
  })

  test('differs between collections that hold the same', async () => {
    const [one, other] = [newCollection(), newCollection()]
    const record = newRecord()
    await storage().append(one, record)
    await storage().append(other, record)
    expect(await storage().version(one)).not.toBe(await storage().version(other))
  })

  test('is short visible ASCII without quotation marks, as an ETag needs it', async () => {
    const collection = newCollection({ kind: 'ü "🐟"' })
    expect(await storage().version(collection)).toMatch(/^[\x21\x23-\x7e]{1,64}$/)
    await storage().append(collection, newRecord())
    expect(await storage().version(collection)).toMatch(/^[\x21\x23-\x7e]{1,64}$/)
  })

  test('is new once an append is acknowledged, so that what was read under it is never older', async () => {
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
        const entries = (await readEntries(storage(), collection)).length
        expect(entries).toBeGreaterThanOrEqual(acknowledged)
        const least = underVersion.get(version)
        // A cache that had stored this under the version would serve it from now on.
        if (least !== undefined) expect(Math.min(least, entries)).toBeGreaterThanOrEqual(acknowledged)
        underVersion.set(version, Math.min(least ?? entries, entries))
        await nextTurn()
      }
    }
    await Promise.all([write(), check(), check()])
    expect(underVersion.size).toBeGreaterThan(1)
  })
}
