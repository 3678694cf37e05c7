import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FishStorage } from '../../src/storage/index.ts'
import { describeChanges } from './changes.ts'
import { describeCollectionTallies } from './collection-tallies.ts'
import { describeItems } from './items.ts'
import { describeModel } from './model.ts'
import { describeReads, describeVersions } from './reads.ts'
import { describeRecords } from './records.ts'
import {
  collectionTalliesOf,
  newCollection,
  newEntry,
  newRecord,
  operationsOf,
  readEntries,
  recordOf,
  talliesOf,
} from './samples.ts'
import { describeWindows } from './windows.ts'

/** A storage under test. */
export interface OpenedStorage {
  /** An open, empty storage. */
  readonly storage: FishStorage
  /** Closes the storage and opens its data again. Omit this function for a driver that does not persist data. */
  readonly reopen?: () => Promise<FishStorage>
}

function describeLifecycle(open: () => Promise<OpenedStorage>): void {
  test('describes its durability, and responds to concurrent pings without a visible change of its data', async () => {
    const { storage } = await open()
    expect(storage.durability).toMatch(/^[A-Z].+\.$/)
    const all = () => Promise.all([storage.items.getKeys(), storage.tallies(), storage.countItems('setting:')])
    const before = await all()
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => storage.ping()))
    }
    expect(await all()).toEqual(before)
    await storage.dispose()
  })

  test('finishes pending writes when it is disposed, and can be disposed twice', async () => {
    const { storage } = await open()
    const collection = newCollection()
    const appends = Array.from({ length: 20 }, () => storage.append(collection, newRecord()))
    await Promise.all([storage.dispose(), storage.dispose()])
    await storage.dispose()
    expect((await Promise.all(appends)).map((result) => result.outcome)).toEqual(Array(20).fill('stored'))
  })

  test('rejects every operation after it was disposed', async () => {
    const { storage } = await open()
    await storage.dispose()
    for (const run of [() => storage.ping(), ...operationsOf(storage)]) {
      await expect(run(), String(run)).rejects.toMatchObject({ name: 'StorageError', code: 'closed' })
    }
  })

  test('still has all data after it is reopened, if the driver persists data', async ({ skip }) => {
    const { storage, reopen } = await open()
    if (!reopen) {
      await storage.dispose()
      skip('this driver stores nothing')
      return
    }
    const [collection, removed] = [newCollection({ kind: randomUUID() }), newCollection()]
    const record = newRecord({ dedupeKey: 'token', entries: [newEntry('Koi', { rarity: 'Gold' })] })
    await storage.append(collection, record)
    await storage.append(removed, newRecord())
    await storage.removeOwner(removed.owner)
    await storage.items.setItem('setting:one', 'value')
    const version = await storage.version(collection)

    const again = await reopen()
    expect(await readEntries(again, collection)).toEqual([record.entries])
    expect(await again.append(collection, newRecord({ dedupeKey: 'token' }))).toEqual({
      outcome: 'replayed',
      id: record.id,
    })
    expect(await again.append(removed, newRecord())).toEqual({ outcome: 'owner_removed' })
    expect(await again.items.getItem('setting:one')).toBe('value')
    expect(await again.version(collection)).toBe(version)
    const { owner, kind, gamemode } = collection
    expect(await talliesOf(again, kind)).toEqual([
      { kind, gamemode, label: null, count: 1 },
      { kind, gamemode, label: 'Gold', count: 1 },
    ])
    expect(await collectionTalliesOf(again, collection)).toEqual({
      count: 1,
      species: [{ name: 'Koi', label: 'Gold', count: 1, first: 0, last: 0 }],
      days: [{ day: '1970-01-01', label: 'Gold', count: 1 }],
    })
    expect(await again.leaders({ kind, limit: 9 })).toEqual([{ owner, count: 1 }])
    expect(await again.countItems('setting:')).toBe(1)
    const later = recordOf('later')
    await again.append(collection, later)
    expect(await readEntries(again, collection)).toEqual([record.entries, later.entries])
    await again.dispose()
  })
}

/** Defines the Vitest suite that every storage driver must pass. Each call of `open` must open a new, empty storage. */
export function describeStorage(name: string, open: () => Promise<OpenedStorage>): void {
  describe(`${name} storage`, () => {
    let shared: FishStorage
    // Each test uses its own owners and keys, so the tests share one storage.
    const storage = () => shared
    beforeAll(async () => {
      shared = (await open()).storage
    })
    afterAll(() => shared.dispose())

    describe('records', () => describeRecords(storage))
    describe('read()', () => describeReads(storage))
    describe('collectionTallies()', () => describeCollectionTallies(storage))
    describe('version()', () => describeVersions(storage))
    describe('onChange()', () => describeChanges(storage))
    describe('items', () => describeItems(storage))
    describe('windows', () => describeWindows(storage))
    describe('random operations', () => describeModel(storage))
    describe('lifecycle', () => describeLifecycle(open))
  })
}
