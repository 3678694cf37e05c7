import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Collection, FishStorage, NewRecord } from '../storage/index.ts'
import { dumpOf, newCollection, newRecord, readAll, readEntries, talliesOf } from './samples.ts'

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** The random operations cover each operation. These tests cover other common mistakes in drivers. */
export function describeRecords(storage: () => FishStorage): void {
  test('stores one record for 64 concurrent appends with one token, across collections of an owner', async () => {
    const collection = newCollection()
    const places = ['fish', 'crab'].flatMap((kind) =>
      ['earth', 'sky'].map((gamemode) => ({ ...collection, kind, gamemode })),
    )
    const results = await Promise.all(
      times(64, (i) => storage().append(places[i % 4] as Collection, newRecord({ dedupeKey: 'token' }))),
    )
    expect(results.filter(({ outcome }) => outcome === 'stored')).toHaveLength(1)
    expect(new Set(results.map((result) => 'id' in result && result.id)).size).toBe(1)
    expect((await Promise.all(places.map((place) => readEntries(storage(), place)))).flat()).toHaveLength(1)
    const stranger = await storage().append(newCollection(), newRecord({ dedupeKey: 'token' }))
    expect(stranger.outcome).toBe('stored')
  })

  test('stores all records of concurrent writers, in the order of the calls within each collection', async () => {
    const collections = times(8, () => newCollection())
    const writes = collections.flatMap((collection, c) =>
      times(25, (i) => ({ collection, entries: `${c}-${i}`, dedupeKey: `${i}` })),
    )
    await Promise.all(writes.map(({ collection, ...part }) => storage().append(collection, newRecord(part))))
    for (const [c, collection] of collections.entries()) {
      expect(await readEntries(storage(), collection)).toEqual(times(25, (i) => `${c}-${i}`))
    }
  })

  test('separates the collections of an owner, whatever characters the kinds and gamemodes contain', async () => {
    const owner = randomUUID()
    const names = ['a', 'A', 'a?x', 'a:b', 'a/b', 'a\\b', 'a"', 'a,b', '["a"]', 'å', 'a\u0000b', '*', '%', '']
    const collections = names.flatMap((kind) => names.map((gamemode) => ({ owner, kind, gamemode })))
    const entriesOf = ({ kind, gamemode }: Collection) => JSON.stringify([kind, gamemode])
    await Promise.all(collections.map((one) => storage().append(one, newRecord({ entries: entriesOf(one) }))))
    for (const one of collections) expect(await readEntries(storage(), one)).toEqual([entriesOf(one)])
  })

  test('distinguishes owners and tokens that differ only in case, ending or separator', async () => {
    const base = randomUUID()
    const names = ['alice', 'Alice', 'alice?x', 'alice:x', 'alice/x', 'alice ', 'älice', 'a'.repeat(300)]
    for (const owner of names.map((name) => base + name)) {
      for (const dedupeKey of names) {
        const result = await storage().append(newCollection({ owner }), newRecord({ dedupeKey }))
        expect(result.outcome).toBe('stored')
      }
    }
  })

  test('returns ids and tokens unchanged, and distinguishes values that differ only in format', async () => {
    const collection = newCollection()
    const uuid = randomUUID()
    const digits = uuid.replaceAll('-', '')
    const forms = [uuid, uuid.toUpperCase(), digits, digits.toUpperCase(), `${uuid} `, digits.slice(1), '1', '01']
    const records = forms.map((id) => newRecord({ id, dedupeKey: id }))
    for (const record of records) {
      expect(await storage().append(collection, record)).toEqual({ outcome: 'stored', id: record.id })
    }
    for (const { id } of records) {
      const repeated = newRecord({ dedupeKey: id })
      expect(await storage().append(collection, repeated)).toEqual({ outcome: 'replayed', id })
      expect(await storage().findRecord(collection.owner, id)).toBe(id)
    }
    expect((await readAll(storage(), collection)).map(({ id }) => id)).toEqual(forms)
    expect(await dumpOf(storage(), collection.owner)).toEqual(records.map((record) => ({ collection, record })))
    for (const { id, count, entries } of records) {
      expect(await storage().removeRecord(collection, id)).toEqual({ count, entries })
      expect(await storage().removeRecord(collection, id)).toBeUndefined()
    }
    expect(await readAll(storage(), collection)).toEqual([])
  })

  test('removes all data and tokens of an owner permanently, and no data of other owners', async () => {
    const [removed, other] = [newCollection(), newCollection()]
    for (const place of [removed, { ...removed, kind: 'crab' }, other]) {
      await storage().append(place, newRecord({ dedupeKey: place.kind }))
    }
    await storage().removeOwner(removed.owner)
    await storage().removeOwner(removed.owner)

    for (const dedupeKey of ['fish', 'new', null]) {
      expect(await storage().append(removed, newRecord({ dedupeKey }))).toEqual({ outcome: 'owner_removed' })
    }
    for (const kind of ['fish', 'crab']) expect(await readEntries(storage(), { ...removed, kind })).toEqual([])
    expect(await storage().findRecord(removed.owner, 'fish')).toBeUndefined()
    expect(await readEntries(storage(), other)).toHaveLength(1)
    expect(await storage().findRecord(other.owner, 'fish')).toBeDefined()
  })

  test('dumps the writes of an owner, with the tokens of stored, moved and removed records', async () => {
    const collection = newCollection()
    const crabs = { ...collection, kind: 'crab' }
    const record = (dedupeKey: string | null) =>
      newRecord({ dedupeKey, count: 2, labels: { Gold: 1, 'a b:c': 2 }, entries: '{"name":"Koi"},{"name":"🐟"}' })
    const [first, second, moved, removed] = [record('token'), record(null), record('töken ?:/'), record('removed')]
    for (const one of [first, moved, removed, second]) await storage().append(collection, one)
    const many = times(600, () => newRecord())
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
    const byId = (list: readonly NewRecord[]) => new Map(list.map((one) => [one.id, one]))
    expect(byId(recordsIn(crabs))).toEqual(byId(many))
    expect(recordsIn(crabs).map(({ entries }) => entries)).toEqual(await readEntries(storage(), crabs))
    expect(dumped.filter((one) => 'token' in one)).toEqual([{ token: { dedupeKey: 'removed', id: removed.id } }])
    expect(dumped.length).toBe(604)

    await storage().removeOwner(collection.owner)
    expect(await dumpOf(storage(), collection.owner)).toEqual([])
  })

  test('applies either the move or the removal of a record if both run concurrently, and keeps the tallies consistent', async () => {
    const collection = newCollection({ kind: randomUUID() })
    const target = { ...collection, gamemode: 'sky' }
    const records = times(30, () => newRecord({ count: 2, labels: { Gold: 1 } }))
    for (const record of records) await storage().append(collection, record)
    const outcomes = await Promise.all(
      records.map(async ({ id }, i) => {
        const move = () => storage().moveRecord(collection, id, 'sky')
        const remove = async () => (await storage().removeRecord(collection, id))?.count ?? 0
        const [one, other] = i % 2 ? [move, remove] : [remove, move]
        const append = () => storage().append(target, newRecord({ count: 2, labels: { Gold: 1 } }))
        const [first, second, third, fourth] = await Promise.all([one(), other(), one(), other(), append()])
        const [moves, removals] =
          i % 2
            ? [
                [first, third],
                [second, fourth],
              ]
            : [
                [second, fourth],
                [first, third],
              ]
        expect(moves[0]).toBe(moves[1])
        expect(removals.filter(Boolean)).toEqual(moves[0] ? [] : [2])
        return moves[0]
      }),
    )
    const left = 30 + outcomes.filter(Boolean).length
    expect(await readEntries(storage(), collection)).toEqual([])
    expect(await readEntries(storage(), target)).toHaveLength(left)
    const { owner, kind } = collection
    expect(await talliesOf(storage(), kind)).toEqual([
      { kind, gamemode: 'sky', label: null, count: 2 * left },
      { kind, gamemode: 'sky', label: 'Gold', count: left },
    ])
    expect(await storage().leaders({ kind, limit: 9 })).toEqual([{ owner, count: 2 * left }])
    expect(await storage().leaders({ kind, gamemode: collection.gamemode, limit: 9 })).toEqual([])
  })

  test('ranks owners by number of entries, then by id, in one gamemode or in all gamemodes', async () => {
    const kind = randomUUID()
    const add = (name: string, gamemode: string, count: number) =>
      storage().append({ owner: `${kind}-${name}`, kind, gamemode }, newRecord({ count }))
    await Promise.all([add('c', 'earth', 3), add('a', 'earth', 1), add('a', 'sky', 2), add('b', 'earth', 10)])
    const ranked = async (limit: number, gamemode?: string) =>
      (await storage().leaders({ kind, gamemode, limit })).map(({ owner, count }) => `${owner.slice(-1)} ${count}`)
    expect(await ranked(9)).toEqual(['b 10', 'a 3', 'c 3'])
    expect(await ranked(2)).toEqual(['b 10', 'a 3'])
    expect(await ranked(9, 'earth')).toEqual(['b 10', 'c 3', 'a 1'])
    expect(await ranked(9, 'nether')).toEqual([])
  })

  test('counts labels, kinds and gamemodes separately, whatever characters they contain', async () => {
    const kind = randomUUID()
    const names = ['a', 'A', 'a"b', "a'b", 'a.b', 'a:b', 'a b', '[0]', '$', 'ü', '🐟', '__proto__', 'Unknown/Other']
    const labels = Object.fromEntries(names.map((name, index) => [name, index + 1]))
    await storage().append(newCollection({ kind }), newRecord({ count: 99, labels }))
    for (const part of [{ gamemode: '' }, { gamemode: 'a:b' }, { kind: `${kind}:earth` }]) {
      await storage().append(newCollection({ kind, ...part }), newRecord())
    }
    const tallies = await talliesOf(storage(), kind)
    const ofEarth = tallies.filter(({ gamemode, label }) => gamemode === 'earth' && label !== null)
    expect(new Map(ofEarth.map(({ label, count }) => [label, count]))).toEqual(new Map(Object.entries(labels)))
    const sums = tallies.filter(({ label }) => label === null).map(({ gamemode, count }) => [gamemode, count])
    expect(sums).toEqual([
      ['', 1],
      ['a:b', 1],
      ['earth', 99],
    ])
  })
}
