import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Collection, FishStorage, NewRecord } from '../../src/storage/index.ts'
import {
  dumpOf,
  newCollection,
  newEntry,
  newRecord,
  readAll,
  readEntries,
  readNames,
  recordOf,
  recordOfSize,
  talliesOf,
} from './samples.ts'

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
      times(25, (i) => ({ collection, entries: [newEntry(`${c}-${i}`)], dedupeKey: `${i}` })),
    )
    await Promise.all(writes.map(({ collection, ...part }) => storage().append(collection, newRecord(part))))
    for (const [c, collection] of collections.entries()) {
      expect(await readNames(storage(), collection)).toEqual(times(25, (i) => `${c}-${i}`))
    }
  })

  test('separates the collections of an owner, whatever characters the kinds and gamemodes contain', async () => {
    const owner = randomUUID()
    const names = ['a', 'A', 'a?x', 'a:b', 'a/b', 'a\\b', 'a"', 'a,b', '["a"]', 'å', 'a\u0000b', '*', '%', '']
    const collections = names.flatMap((kind) => names.map((gamemode) => ({ owner, kind, gamemode })))
    const nameOf = ({ kind, gamemode }: Collection) => JSON.stringify([kind, gamemode])
    await Promise.all(collections.map((one) => storage().append(one, recordOf(nameOf(one)))))
    for (const one of collections) expect(await readNames(storage(), one)).toEqual([nameOf(one)])
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
    for (const { id, entries } of records) {
      expect(await storage().removeRecord(collection, id)).toMatchObject({ id, count: 1, entries })
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
      newRecord({ dedupeKey, entries: [newEntry('Koi', { rarity: 'a b:c' }), newEntry('🐟', { at: 1 })] })
    const [first, second, moved, removed] = [record('token'), record(null), record('töken ?:/'), record('removed')]
    const reduced = record('reduced')
    for (const one of [first, moved, removed, second, reduced]) await storage().append(collection, one)
    const many = times(600, () => newRecord())
    await Promise.all(many.map((one) => storage().append(crabs, one)))
    await storage().append(newCollection(), newRecord())
    await storage().moveRecord(collection, moved.id, 'sky')
    await storage().removeRecord(collection, removed.id)
    await storage().removeEntry(collection, reduced.id, 0)

    const dumped = await dumpOf(storage(), collection.owner)
    const recordsIn = ({ kind, gamemode }: Collection) =>
      dumped.flatMap((one) =>
        'record' in one && one.collection.kind === kind && one.collection.gamemode === gamemode ? [one.record] : [],
      )
    const [, , rest] = recordsIn(collection)
    expect(recordsIn(collection)).toEqual([first, second, rest])
    const { id, dedupeKey } = reduced
    expect(rest).toMatchObject({
      id,
      dedupeKey,
      tally: { count: 1, species: [{ name: '🐟', count: 1, first: 1, last: 1 }] },
    })
    expect(recordsIn({ ...collection, gamemode: 'sky' })).toEqual([moved])
    const byId = (list: readonly NewRecord[]) => new Map(list.map((one) => [one.id, one]))
    expect(byId(recordsIn(crabs))).toEqual(byId(many))
    expect(recordsIn(crabs).map(({ entries }) => entries)).toEqual(await readEntries(storage(), crabs))
    expect(dumped.filter((one) => 'token' in one)).toEqual([{ token: { dedupeKey: 'removed', id: removed.id } }])
    expect(dumped.length).toBe(605)

    await storage().removeOwner(collection.owner)
    expect(await dumpOf(storage(), collection.owner)).toEqual([])
  })

  test('a used token rejects its catch as a replay, and the owner of no record has nothing else', async () => {
    const collection = newCollection({ kind: randomUUID() })
    await storage().useToken(collection.owner, { dedupeKey: 'used', id: 'first' })
    await storage().useToken(collection.owner, { dedupeKey: 'used', id: 'second' })
    const result = await storage().append(collection, newRecord({ dedupeKey: 'used' }))
    expect(result).toEqual({ outcome: 'replayed', id: 'first' })
    expect(await talliesOf(storage(), collection.kind)).toEqual([])
    await storage().removeOwner(collection.owner)
    await storage().useToken(collection.owner, { dedupeKey: 'used', id: 'third' })
    expect(await storage().findRecord(collection.owner, 'used')).toBeUndefined()
  })

  test('removes single entries of a record, which keeps its position, its id and the indexes of its other entries', async () => {
    const collection = newCollection({ kind: randomUUID() })
    const { owner, kind, gamemode } = collection
    const names = ['a', 'b "c": \u0001 🐟', '{"removed":true}', 'd']
    const record = newRecord({
      entries: names.map((name) => newEntry(name, { rarity: name === 'd' ? 'Gold' : undefined })),
    })
    const others = [recordOf('before'), recordOf('behind')]
    for (const one of [others[0], record, others[1]]) await storage().append(collection, one as NewRecord)
    const version = await storage().version(collection)
    const stored = await storage().findById(collection, record.id)
    expect(stored).toMatchObject({ id: record.id, count: 4, entries: record.entries })
    const remove = (index: number) => storage().removeEntry(collection, record.id, index)

    expect(await remove(1)).toEqual({ outcome: 'removed', entry: newEntry(names[1] as string) })
    for (const index of [1, 4, -1, 0.5, Number.NaN]) expect(await remove(index)).toEqual({ outcome: 'entry_not_found' })
    expect(await storage().version(collection)).not.toBe(version)
    expect(await readNames(storage(), collection)).toEqual(['before', 'a', '{"removed":true}', 'd', 'behind'])
    const reduced = await storage().findById(collection, record.id)
    expect(reduced).toMatchObject({ sequence: stored?.sequence, id: record.id, count: 3 })
    for (const from of [0, stored?.sequence]) {
      expect(
        (await readAll(storage(), collection, { from: from as number })).filter(({ id }) => id === record.id),
      ).toEqual([reduced])
    }
    expect((await storage().latest(collection, 2)).map(({ id }) => id)).toEqual([others[1]?.id, record.id])
    expect(await storage().append(collection, record)).toEqual({ outcome: 'replayed', id: record.id })

    expect(await remove(3)).toMatchObject({ outcome: 'removed', entry: { name: 'd' } })
    expect(await talliesOf(storage(), kind)).toEqual([{ kind, gamemode, label: null, count: 4 }])
    expect(await storage().leaders({ kind, limit: 1 })).toEqual([{ owner, count: 4 }])
    expect(await storage().moveRecord(collection, record.id, 'sky')).toBe(2)
    const sky = { ...collection, gamemode: 'sky' }
    expect(await readNames(storage(), sky)).toEqual(['a', '{"removed":true}'])
    expect(await storage().removeEntry(sky, record.id, 0)).toMatchObject({ outcome: 'removed' })
    expect(await storage().removeEntry(sky, record.id, 2)).toMatchObject({ outcome: 'removed' })
    expect(await storage().removeEntry(sky, record.id, 2)).toEqual({ outcome: 'record_not_found' })
    expect(await readAll(storage(), sky)).toEqual([])
    expect(await storage().append(collection, record)).toEqual({ outcome: 'replayed', id: record.id })
  })

  test('removes each entry once if several removals of one record run concurrently', async () => {
    const collection = newCollection({ kind: randomUUID() })
    const records = times(10, () => recordOfSize(6))
    for (const record of records) await storage().append(collection, record)
    const outcomes = await Promise.all(
      records.flatMap(({ id }) =>
        [0, 1, 2, 1, 5].map(async (index) => (await storage().removeEntry(collection, id, index)).outcome),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'removed')).toHaveLength(40)
    expect(outcomes.filter((outcome) => outcome === 'entry_not_found')).toHaveLength(10)
    expect(await readNames(storage(), collection)).toEqual(records.flatMap(() => ['Fish 3', 'Fish 4']))
    const { kind, gamemode } = collection
    expect(await talliesOf(storage(), kind)).toEqual([{ kind, gamemode, label: null, count: 20 }])
  })

  test('applies either the move or the removal of a record if both run concurrently, and keeps the tallies consistent', async () => {
    const collection = newCollection({ kind: randomUUID() })
    const target = { ...collection, gamemode: 'sky' }
    const records = times(30, () => newRecord({ entries: [newEntry('Koi', { rarity: 'Gold' }), newEntry('Cod')] }))
    for (const record of records) await storage().append(collection, record)
    const outcomes = await Promise.all(
      records.map(async ({ id }, i) => {
        const move = () => storage().moveRecord(collection, id, 'sky')
        const remove = async () => (await storage().removeRecord(collection, id))?.count ?? 0
        const [one, other] = i % 2 ? [move, remove] : [remove, move]
        const append = () =>
          storage().append(target, newRecord({ entries: [newEntry('Koi', { rarity: 'Gold' }), newEntry('Cod')] }))
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
      storage().append({ owner: `${kind}-${name}`, kind, gamemode }, recordOfSize(count))
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
    const labels = new Map(names.map((name, index) => [name, index + 1]))
    const labelled = [...labels].flatMap(([rarity, count]) => times(count, () => newEntry('Koi', { rarity })))
    await storage().append(newCollection({ kind }), newRecord({ entries: [...labelled, newEntry('Koi')] }))
    for (const part of [{ gamemode: '' }, { gamemode: 'a:b' }, { kind: `${kind}:earth` }]) {
      await storage().append(newCollection({ kind, ...part }), newRecord())
    }
    const tallies = await talliesOf(storage(), kind)
    const ofEarth = tallies.filter(({ gamemode, label }) => gamemode === 'earth' && label !== null)
    expect(new Map(ofEarth.map(({ label, count }) => [label, count]))).toEqual(labels)
    const sums = tallies.filter(({ label }) => label === null).map(({ gamemode, count }) => [gamemode, count])
    expect(sums).toEqual([
      ['', 1],
      ['a:b', 1],
      ['earth', 92],
    ])
  })
}
