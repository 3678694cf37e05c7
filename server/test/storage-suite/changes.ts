import { expect, onTestFinished, test } from 'vitest'
import type { Change, Collection, FishStorage } from '../../src/storage/index.ts'
import { newCollection, newRecord, readAll } from './samples.ts'

/** Collects the changes of one owner: other tests use the same storage and cause other changes. */
async function watch(storage: FishStorage, collection: Collection): Promise<Change[]> {
  const changes: Change[] = []
  let isReady = false
  const stop = storage.onChange((change) => {
    if (!change) isReady = true
    else if (change.owner === collection.owner) changes.push(change)
  })
  onTestFinished(stop)
  // A driver may have to connect first. Appends to a probe collection show when the driver is connected.
  const probe = newCollection({ owner: collection.owner, kind: 'probe' })
  await expect
    .poll(async () => {
      await storage.append(probe, newRecord())
      return isReady || changes.length > 0
    })
    .toBe(true)
  return changes
}

const of = (changes: readonly Change[], { kind, gamemode }: Collection) =>
  changes.filter((change) => change.kind === kind && change.gamemode === gamemode)

export function describeChanges(storage: () => FishStorage): void {
  test('calls the listener after an append, a move, a removal of a record and a removal of an owner', async () => {
    const collection = newCollection()
    const changes = await watch(storage(), collection)
    const record = newRecord()
    await storage().append(collection, record)
    await expect.poll(() => of(changes, collection).length).toBeGreaterThan(0)
    expect(of(changes, collection)[0]).toEqual(collection)
    const sky = { ...collection, gamemode: 'sky' }
    await storage().moveRecord(collection, record.id, 'sky')
    await expect.poll(() => of(changes, collection)).toContainEqual({ ...collection, removed: record.id })
    await expect.poll(() => of(changes, sky)).toContainEqual(sky)
    await storage().removeRecord(sky, record.id)
    await expect.poll(() => of(changes, sky)).toContainEqual({ ...sky, removed: record.id })
    await storage().removeOwner(collection.owner)
    await expect.poll(() => changes).toContainEqual({ owner: collection.owner })
  })

  test('calls the listener once a read returns the new record', async () => {
    const collection = newCollection({ kind: 'ü "🐟"', gamemode: 'a b' })
    await watch(storage(), collection)
    const seen = new Set<string>()
    const stop = storage().onChange((change) => {
      if (change?.owner !== collection.owner) return
      void readAll(storage(), collection).then((records) => {
        for (const { entries } of records) seen.add(entries)
      })
    })
    onTestFinished(stop)
    for (let count = 1; count <= 5; count += 1) {
      await storage().append(collection, newRecord())
      await expect.poll(() => seen.size).toBe(count)
    }
  })

  test('calls a listener that was passed twice at least twice per change, and never after both stop functions are called', async () => {
    const collection = newCollection()
    const changes = await watch(storage(), collection)
    let calls = 0
    const count = (change?: Change) => {
      if (change?.kind === collection.kind && change.owner === collection.owner) calls += 1
    }
    const stops = [storage().onChange(count), storage().onChange(count)]
    await storage().append(collection, newRecord())
    await expect.poll(() => calls).toBeGreaterThanOrEqual(2)
    for (const stop of stops) stop()
    stops[0]?.()
    await expect.poll(() => of(changes, collection).length).toBeGreaterThan(0)
    const [before, signals] = [calls, of(changes, collection).length]
    await storage().append(collection, newRecord())
    await expect.poll(() => of(changes, collection).length).toBeGreaterThan(signals)
    expect(calls).toBe(before)
  })
}
