import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { FishStorage } from '../storage/index.ts'
import { newCollection, newRecord, talliesOf } from './samples.ts'

/** Sums over all owners, and leaderboards. Kinds are each test's own, because sums reach over the whole storage. */
export function describeTallies(storage: () => FishStorage): void {
  test('tallies entries by kind, gamemode and label, over all owners', async () => {
    const kind = randomUUID()
    const add = (gamemode: string, count: number, labels: Record<string, number>) =>
      storage().append(newCollection({ kind, gamemode }), newRecord({ count, labels }))
    await add('earth', 3, { Gold: 2, Silver: 1 })
    await add('earth', 2, { Gold: 1 })
    await add('sky', 500, {})

    expect(await talliesOf(storage(), kind)).toEqual([
      { kind, gamemode: 'earth', label: null, count: 5 },
      { kind, gamemode: 'earth', label: 'Gold', count: 3 },
      { kind, gamemode: 'earth', label: 'Silver', count: 1 },
      { kind, gamemode: 'sky', label: null, count: 500 },
    ])
  })

  test('counts a replayed token, and an append to a removed owner, not at all', async () => {
    const collection = newCollection({ kind: randomUUID() })
    const record = newRecord({ count: 2, labels: { Gold: 2 } })
    const sent = [1, 2, 3, 4].map(() => storage().append(collection, { ...record, id: randomUUID() }))
    await Promise.all(sent)
    const removed = { ...collection, owner: randomUUID() }
    await storage().removeOwner(removed.owner)
    await storage().append(removed, record)

    const { kind, gamemode } = collection
    expect(await talliesOf(storage(), kind)).toEqual([
      { kind, gamemode, label: null, count: 2 },
      { kind, gamemode, label: 'Gold', count: 2 },
    ])
    expect(await storage().leaders({ kind, limit: 9 })).toEqual([{ owner: collection.owner, count: 2 }])
  })

  test('keeps labels, kinds and gamemodes apart, whatever characters they hold', async () => {
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
    expect(tallies.filter(({ label }) => label === null).map(({ gamemode, count }) => [gamemode, count])).toEqual([
      ['', 1],
      ['a:b', 1],
      ['earth', 99],
    ])
  })

  test('returns the owners with the most entries first, ties by id, in one gamemode or in all', async () => {
    const kind = randomUUID()
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => `${kind}-${name}`)
    const add = (owner = '', gamemode = '', count = 0) =>
      storage().append({ owner, kind, gamemode }, newRecord({ count }))
    await Promise.all([add(d, 'earth', 10), add(b, 'earth', 3), add(a, 'sky', 9), add(c, 'earth', 3)])
    await Promise.all([add(b, 'sky', 6), add(c, 'earth', 5), add(a, 'earth', 3)])

    expect(await storage().leaders({ kind, limit: 9 })).toEqual([
      { owner: a, count: 12 },
      { owner: d, count: 10 },
      { owner: b, count: 9 },
      { owner: c, count: 8 },
    ])
    expect(await storage().leaders({ kind, gamemode: 'earth', limit: 4 })).toEqual([
      { owner: d, count: 10 },
      { owner: c, count: 8 },
      { owner: a, count: 3 },
      { owner: b, count: 3 },
    ])
    expect(await storage().leaders({ kind, gamemode: 'earth', limit: 3 })).toHaveLength(3)
    expect(await storage().leaders({ kind, gamemode: undefined, limit: 1 })).toEqual([{ owner: a, count: 12 }])
    expect(await storage().leaders({ kind, gamemode: 'nether', limit: 9 })).toEqual([])
  })

  test('takes a removed owner out of tallies and leaderboards', async () => {
    const kind = randomUUID()
    const [removed, other] = [newCollection({ kind }), newCollection({ kind })]
    await storage().append(removed, newRecord({ count: 4, labels: { Gold: 4 } }))
    await storage().append({ ...removed, gamemode: 'sky' }, newRecord({ count: 5, labels: { Gold: 1 } }))
    await storage().append(other, newRecord({ count: 2, labels: { Gold: 1 } }))
    await storage().removeOwner(removed.owner)
    await storage().removeOwner(removed.owner)

    expect(await talliesOf(storage(), kind)).toEqual([
      { kind, gamemode: 'earth', label: null, count: 2 },
      { kind, gamemode: 'earth', label: 'Gold', count: 1 },
    ])
    expect(await storage().leaders({ kind, limit: 9 })).toEqual([{ owner: other.owner, count: 2 }])
    expect(await storage().leaders({ kind, gamemode: 'sky', limit: 9 })).toEqual([])
  })

  test('rejects impossible counts of labels, and leaderboards of no size', async () => {
    const collection = newCollection({ kind: randomUUID() })
    const bad: Record<string, number>[] = [{ Gold: 0 }, { Gold: 3 }, { Gold: 0.5 }, { '': 1 }, { '\ud800': 1 }]
    for (const labels of bad) {
      const refused = storage().append(collection, newRecord({ count: 2, labels }))
      await expect(refused).rejects.toMatchObject({ name: 'StorageError', code: 'invalid_value' })
    }
    expect(await talliesOf(storage(), collection.kind)).toEqual([])
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      const refused = storage().leaders({ kind: collection.kind, limit })
      await expect(refused).rejects.toMatchObject({ name: 'StorageError', code: 'invalid_value' })
    }
  })

  test('counts the items under a base like a listing of it, however they came and went', async () => {
    const base = `${randomUUID()}:`
    const { items } = storage()
    await items.setItem(`${base}a`, '1')
    await items.setItem(`${base}a`, '2')
    await items.setItem(`${base}b:c`, '1')
    await items.setItem(`${base}b:d`, '1')
    await storage().setItemIfAbsent(`${base}b:c`, '2')
    await storage().setItemIfAbsent(`${base}b:e`, '2')
    const counts = async () => [await storage().countItems(base), await storage().countItems(`${base}b:`)]
    expect(await counts()).toEqual([4, 3])
    await storage().removeItemIf(`${base}b:e`, 'other')
    await storage().removeItemIf(`${base}b:e`, '2')
    await storage().replaceItemIf(`${base}b:c`, '1', '2')
    await items.removeItem(`${base}a`)
    await items.removeItem(`${base}a`)
    expect(await counts()).toEqual([2, 2])
    for (const name of ['c', 'd']) await items.removeItem(`${base}b:${name}`)
    expect(await counts()).toEqual([0, 0])
    await expect(storage().countItems('user')).rejects.toMatchObject({ code: 'invalid_key' })
  })
}
