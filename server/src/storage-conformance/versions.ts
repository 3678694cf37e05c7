import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FishStorage } from '../storage/index.ts'
import { newCollection, newRecord, readEntries } from './samples.ts'

/** The texts that say whether a collection changed. */
export function describeVersions(storage: () => FishStorage): void {
  test('changes with every append and removal and never comes again, the last removal included', async () => {
    const collection = newCollection()
    const seen: string[] = []
    const look = async () => {
      const version = await storage().version(collection)
      expect(await storage().version(collection)).toBe(version)
      expect(seen).not.toContain(version)
      seen.push(version)
    }
    await look()
    for (let round = 0; round < 3; round += 1) {
      const [one, other] = [newRecord(), newRecord()]
      await storage().append(collection, one)
      await look()
      await storage().append(collection, other)
      await look()
      await storage().removeRecord(collection, one.id)
      await look()
      await storage().removeRecord(collection, other.id)
      await look()
    }
    await storage().append(collection, newRecord())
    await look()
    await storage().removeOwner(collection.owner)
    await look()
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
    const look = async () => {
      while (written < 60) {
        const acknowledged = written
        const version = await storage().version(collection)
        const entries = (await readEntries(storage(), collection)).length
        expect(entries).toBeGreaterThanOrEqual(acknowledged)
        const least = underVersion.get(version)
        // A cache that had kept this under the version would be served from now.
        if (least !== undefined) expect(Math.min(least, entries)).toBeGreaterThanOrEqual(acknowledged)
        underVersion.set(version, Math.min(least ?? entries, entries))
        await nextTurn()
      }
    }
    await Promise.all([write(), look(), look()])
    expect(underVersion.size).toBeGreaterThan(1)
  })
}
