import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { seededNumbers } from '../../../sdk/src/internal/seeded-numbers.ts'
import type { Collection, FishStorage } from '../storage/index.ts'
import {
  caughtRecord,
  dumpOf,
  newCollection,
  newRecord,
  readAll,
  readEntries,
  speciesOf,
  talliesOf,
} from './samples.ts'

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

export function describeRecords(storage: () => FishStorage): void {
  test('stores a token once and returns its first id on every repeat', async () => {
    const collection = newCollection()
    const first = newRecord({ dedupeKey: 'token' })
    expect(await storage().append(collection, first)).toEqual({ outcome: 'stored', id: first.id })
    for (const _ of times(3, String)) {
      const repeat = newRecord({ dedupeKey: 'token' })
      expect(await storage().append(collection, repeat)).toEqual({ outcome: 'replayed', id: first.id })
    }
    expect(await readEntries(storage(), collection)).toEqual([first.entries])
  })

  test('stores a token once across kinds and gamemodes of its owner, but anew for another owner', async () => {
    const collection = newCollection()
    const first = newRecord({ dedupeKey: 'token' })
    await storage().append(collection, first)
    for (const part of [{ kind: 'crab' }, { gamemode: 'sky' }, { kind: 'crab', gamemode: 'sky' }]) {
      const other = { ...collection, ...part }
      const result = await storage().append(other, newRecord({ dedupeKey: 'token' }))
      expect(result).toEqual({ outcome: 'replayed', id: first.id })
      expect(await readEntries(storage(), other)).toEqual([])
    }
    const stranger = await storage().append(newCollection(), newRecord({ dedupeKey: 'token' }))
    expect(stranger.outcome).toBe('stored')
  })

  test('stores one record for 64 concurrent repeats of one token', async () => {
    const collection = newCollection()
    const results = await Promise.all(times(64, () => storage().append(collection, newRecord({ dedupeKey: 'token' }))))
    expect(results.filter((result) => result.outcome === 'stored')).toHaveLength(1)
    expect(new Set(results.map((result) => 'id' in result && result.id)).size).toBe(1)
    expect(await readEntries(storage(), collection)).toHaveLength(1)
  })

  test('stores every write that has no token', async () => {
    const collection = newCollection()
    const record = newRecord({ dedupeKey: null })
    await storage().append(collection, record)
    await storage().append(collection, { ...record, id: randomUUID() })
    expect(await readEntries(storage(), collection)).toHaveLength(2)
  })

  test('finds the record of a token, and none for a token or owner it does not know', async () => {
    const collection = newCollection()
    const record = newRecord({ dedupeKey: 'token' })
    await storage().append(collection, record)
    expect(await storage().findRecord(collection.owner, 'token')).toBe(record.id)
    expect(await storage().findRecord(collection.owner, 'other')).toBeUndefined()
    expect(await storage().findRecord(randomUUID(), 'token')).toBeUndefined()
  })

  test('preserves the order in which appends were made, concurrent ones included', async () => {
    const collection = newCollection()
    await Promise.all(times(200, (i) => storage().append(collection, newRecord({ entries: String(i) }))))
    expect(await readEntries(storage(), collection)).toEqual(times(200, String))
  })

  test('loses nothing of concurrent writers on the same and on different collections', async () => {
    const collections = times(8, () => newCollection())
    const writes = collections.flatMap((collection, c) =>
      times(25, (i) => ({ collection, entries: `${c}-${i}`, dedupeKey: `${i}` })),
    )
    await Promise.all(writes.map(({ collection, ...part }) => storage().append(collection, newRecord(part))))
    for (const [c, collection] of collections.entries()) {
      expect(await readEntries(storage(), collection)).toEqual(times(25, (i) => `${c}-${i}`))
    }
  })

  test('keeps collections of one owner apart, whatever characters their names hold', async () => {
    const owner = randomUUID()
    const names = ['a', 'A', 'a?x', 'a:b', 'a/b', 'a\\b', 'a"', 'a,b', '["a"]', 'å', 'a\u0000b', '*', '%', '']
    const collections = names.flatMap((kind) => names.map((gamemode) => ({ owner, kind, gamemode })))
    await Promise.all(
      collections.map((one) => storage().append(one, newRecord({ entries: JSON.stringify([one.kind, one.gamemode]) }))),
    )
    for (const one of collections) {
      expect(await readEntries(storage(), one)).toEqual([JSON.stringify([one.kind, one.gamemode])])
    }
  })

  test('keeps owners and tokens apart that differ only by case, an ending or a separator', async () => {
    const base = randomUUID()
    const names = ['alice', 'Alice', 'alice?x', 'alice:x', 'alice/x', 'alice ', 'älice', 'a'.repeat(300)]
    for (const owner of names.map((name) => base + name)) {
      for (const dedupeKey of names) {
        const result = await storage().append(newCollection({ owner }), newRecord({ dedupeKey }))
        expect(result.outcome).toBe('stored')
      }
    }
  })

  test('removes all data and tokens of an owner for good, and nothing of others', async () => {
    const [removed, other] = [newCollection(), newCollection()]
    const record = newRecord({ dedupeKey: 'token' })
    await storage().append(removed, newRecord({ dedupeKey: 'token' }))
    await storage().append({ ...removed, kind: 'crab' }, newRecord())
    await storage().append(other, record)
    await storage().removeOwner(removed.owner)

    expect(await readEntries(storage(), removed)).toEqual([])
    expect(await readEntries(storage(), { ...removed, kind: 'crab' })).toEqual([])
    expect(await storage().findRecord(removed.owner, 'token')).toBeUndefined()
    for (const dedupeKey of ['token', 'new', null]) {
      expect(await storage().append(removed, newRecord({ dedupeKey }))).toEqual({ outcome: 'owner_removed' })
    }
    expect(await readEntries(storage(), removed)).toEqual([])
    expect(await readEntries(storage(), other)).toEqual([record.entries])
    expect(await storage().findRecord(other.owner, 'token')).toBe(record.id)
    await storage().removeOwner(removed.owner)
  })

  test('dumps what an owner has, with the tokens of stored, moved and removed records', async () => {
    const collection = newCollection()
    const crabs = { ...collection, kind: 'crab' }
    const record = (dedupeKey: string | null) =>
      newRecord({ dedupeKey, count: 2, labels: { Gold: 1, 'a b:c': 2 }, entries: '{"name":"Koi"},{"name":"🐟"}' })
    const [first, second, moved, removed] = [record('token'), record(null), record('töken ?:/'), record('removed')]
    for (const one of [first, moved, removed, second]) await storage().append(collection, one)
    const many = Array.from({ length: 1200 }, () => newRecord())
    await Promise.all(many.map((one) => storage().append(crabs, one)))
    await storage().append(newCollection(), newRecord())
    await storage().moveRecord(collection, moved.id, 'sky')
    await storage().removeRecord(collection, removed.id)

    const dumped = await dumpOf(storage(), collection.owner)
    const recordsIn = ({ kind, gamemode }: Collection) =>
      dumped.flatMap((one) =>
        'record' in one && one.collection.kind === kind && one.collection.gamemode === gamemode ? [one.record] : [],
      )
    expect(recordsIn(collection)).toEqual([first, second])
    expect(recordsIn({ ...collection, gamemode: 'sky' })).toEqual([moved])
    expect(new Set(recordsIn(crabs))).toEqual(new Set(many))
    expect(recordsIn(crabs).map(({ entries }) => entries)).toEqual(await readEntries(storage(), crabs))
    expect(dumped.filter((one) => 'token' in one)).toEqual([{ token: { dedupeKey: 'removed', id: removed.id } }])
    expect(dumped.length).toBe(1204)

    await storage().removeOwner(collection.owner)
    expect(await dumpOf(storage(), collection.owner)).toEqual([])
  })

  test('refuses a record that could not be read back, and stores nothing of it', async () => {
    const collection = newCollection()
    const bad = [{ count: 0 }, { count: 1.5 }, { count: Number.NaN }, { entries: '\ud800' }, { entries: 'x\udfff' }]
    for (const part of bad) {
      await expect(storage().append(collection, newRecord({ ...part, dedupeKey: 'token' }))).rejects.toMatchObject({
        name: 'StorageError',
        code: 'invalid_value',
      })
    }
    expect(await readEntries(storage(), collection)).toEqual([])
    expect(await storage().findRecord(collection.owner, 'token')).toBeUndefined()
  })
}

/** What a storage should count, by reading all that it holds. */
async function recount(storage: FishStorage, collections: readonly Collection[]) {
  const tallies = new Map<string, number>()
  const species = new Map<string, { count: number; first: number; last: number }>()
  const leaders = new Map<string, number>()
  const count = (map: Map<string, number>, key: unknown) => {
    map.set(JSON.stringify(key), (map.get(JSON.stringify(key)) ?? 0) + 1)
  }
  for (const { owner, kind, gamemode } of collections) {
    for (const entries of await readEntries(storage, { owner, kind, gamemode })) {
      for (const { name, rarity, caughtAt } of JSON.parse(`[${entries}]`)) {
        count(tallies, [gamemode, null])
        count(tallies, [gamemode, rarity])
        count(leaders, owner)
        const key = JSON.stringify([owner, gamemode, name, rarity])
        const at = Date.parse(caughtAt)
        const before = species.get(key) ?? { count: 0, first: at, last: at }
        const { first, last } = before
        species.set(key, { count: before.count + 1, first: Math.min(first, at), last: Math.max(last, at) })
      }
    }
  }
  return { tallies, species, leaders }
}

export function describeRemoval(storage: () => FishStorage): void {
  test('removes one record by its id and keeps the order of the others', async () => {
    const collection = newCollection()
    const records = ['a', 'b', 'c', 'd'].map((entries) => newRecord({ entries }))
    for (const record of records) await storage().append(collection, record)
    expect(await storage().removeRecord(collection, records[1]?.id ?? '')).toBe(true)
    expect(await readEntries(storage(), collection)).toEqual(['a', 'c', 'd'])
    expect(await storage().removeRecord(collection, records[3]?.id ?? '')).toBe(true)
    await storage().append(collection, newRecord({ entries: 'e' }))
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

  test('counts what a recount does after additions, moves, removals and summaries at once', async () => {
    const kind = randomUUID()
    const owners = [randomUUID(), randomUUID()]
    const collections = owners.flatMap((owner) => ['earth', 'sky'].map((gamemode) => ({ owner, kind, gamemode })))
    const known: { readonly id: string; readonly owner: string }[] = []
    const rarities = ['Gold', 'Silver']
    async function work(random: () => number) {
      const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
      for (let step = 0; step < 50; step += 1) {
        const chance = random()
        const place = pick(collections)
        const one = known.length > 0 ? pick(known) : undefined
        if (chance < 0.45 || !one) {
          const entries = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
            name: pick(['Cod', 'Koi', 'Eel']),
            rarity: pick(rarities),
          }))
          const labels = Object.fromEntries(
            rarities
              .map((rarity) => [rarity, entries.filter((entry) => entry.rarity === rarity).length] as const)
              .filter(([, number]) => number > 0),
          )
          const times = entries.map((entry) => [entry, Math.floor(random() * 1e12)] as const)
          const record = { ...caughtRecord(...times), labels }
          expect(await storage().append(place, record)).toMatchObject({ outcome: 'stored' })
          known.push({ id: record.id, owner: place.owner })
        } else if (chance < 0.75) {
          const from = pick(['earth', 'sky'])
          await storage().moveRecord(
            { owner: one.owner, kind, gamemode: from },
            one.id,
            from === 'sky' ? 'earth' : 'sky',
          )
        } else if (chance < 0.9) {
          await storage().removeRecord({ owner: one.owner, kind, gamemode: pick(['earth', 'sky']) }, one.id)
        } else await storage().species(place)
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, seed) => work(seededNumbers(seed))))

    const { tallies, species, leaders } = await recount(storage(), collections)
    const counted = (await talliesOf(storage(), kind)).map(({ gamemode, label, count }) => [
      JSON.stringify([gamemode, label]),
      count,
    ])
    expect(new Map(counted as [string, number][])).toEqual(tallies)
    const summaries = await Promise.all(
      collections.map(async (place) =>
        (await speciesOf(storage(), place)).map(({ name, label, ...rest }) => {
          return [JSON.stringify([place.owner, place.gamemode, name, label]), rest] as const
        }),
      ),
    )
    expect(new Map(summaries.flat())).toEqual(species)
    const ranked = (await storage().leaders({ kind, limit: 9 })).map(({ owner, count }) => [
      JSON.stringify(owner),
      count,
    ])
    expect(new Map(ranked as [string, number][])).toEqual(leaders)
    // No record is in two collections.
    const all = (await Promise.all(collections.map((place) => readEntries(storage(), place)))).flat()
    expect(new Set(all).size).toBe(all.length)
  })

  test('leaves the token used: sent again, it returns its id and stores nothing', async () => {
    const collection = newCollection()
    const record = newRecord({ dedupeKey: 'token' })
    await storage().append(collection, record)
    await storage().removeRecord(collection, record.id)
    expect(await storage().findRecord(collection.owner, 'token')).toBe(record.id)
    const again = await storage().append(collection, newRecord({ dedupeKey: 'token' }))
    expect(again).toEqual({ outcome: 'replayed', id: record.id })
    expect(await readEntries(storage(), collection)).toEqual([])
  })

  test('moves one record behind the newest of another gamemode, with its id, entries and used token', async () => {
    const [collection, sky] = [newCollection(), 'sky']
    const target = { ...collection, gamemode: sky }
    const records = ['a', 'b', 'c'].map((entries) => newRecord({ entries, dedupeKey: entries }))
    for (const record of records) await storage().append(collection, record)
    await storage().append(target, newRecord({ entries: 'before' }))
    const id = records[1]?.id ?? ''
    expect(await storage().moveRecord(collection, id, sky)).toBe(true)
    const version = await storage().version(target)
    expect(await storage().moveRecord(collection, id, sky)).toBe(true)
    expect(await storage().version(target)).toBe(version)
    expect(await storage().moveRecord(collection, randomUUID(), sky)).toBe(false)
    expect(await storage().moveRecord({ ...collection, kind: 'crab' }, id, sky)).toBe(false)
    expect(await storage().moveRecord({ ...collection, owner: randomUUID() }, id, sky)).toBe(false)
    await storage().append(target, newRecord({ entries: 'after' }))
    expect(await readEntries(storage(), collection)).toEqual(['a', 'c'])
    expect(await readEntries(storage(), target)).toEqual(['before', 'b', 'after'])
    const again = await storage().append(collection, newRecord({ dedupeKey: 'b' }))
    expect(again).toEqual({ outcome: 'replayed', id })
    expect(await storage().moveRecord(target, id, collection.gamemode)).toBe(true)
    expect(await readEntries(storage(), collection)).toEqual(['a', 'c', 'b'])
    expect(await storage().removeRecord(collection, id)).toBe(true)
    await expect(storage().moveRecord(collection, id, collection.gamemode)).rejects.toMatchObject({
      code: 'invalid_value',
    })
  })

  test('moves or removes a record once, whatever is done to it and beside it at the same time', async () => {
    const collection = newCollection({ kind: randomUUID() })
    const target = { ...collection, gamemode: 'sky' }
    const records = Array.from({ length: 30 }, () => newRecord({ labels: { Gold: 1 } }))
    for (const record of records) await storage().append(collection, record)
    const outcomes = await Promise.all(
      records.map(async ({ id }) => {
        const [first, isRemoved, second] = await Promise.all([
          storage().moveRecord(collection, id, 'sky'),
          storage().removeRecord(collection, id),
          storage().moveRecord(collection, id, 'sky'),
          storage().append(target, newRecord({ labels: { Gold: 1 } })),
        ])
        expect([first, second]).toEqual([!isRemoved, !isRemoved])
        return first
      }),
    )
    const moved = outcomes.filter((isMoved) => isMoved).length
    expect(await readEntries(storage(), collection)).toEqual([])
    expect(await readEntries(storage(), target)).toHaveLength(30 + moved)
    const { kind } = collection
    const count = 30 + moved
    expect(await talliesOf(storage(), kind)).toEqual([
      { kind, gamemode: 'sky', label: null, count },
      { kind, gamemode: 'sky', label: 'Gold', count },
    ])
    expect(await storage().leaders({ kind, limit: 9 })).toEqual([{ owner: collection.owner, count }])
    expect(await storage().leaders({ kind, gamemode: collection.gamemode, limit: 9 })).toEqual([])
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
    const records = Array.from({ length: 1200 }, (_, i) => newRecord({ entries: String(i) }))
    await Promise.all(records.map((record) => storage().append(collection, record)))
    const seen: string[] = []
    for await (const chunk of storage().read(collection)) {
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
