import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Collection, FishStorage, Tally } from '../storage/index.ts'
import { newCollection, newRecord, readAll, talliesOf } from './samples.ts'

/** Sums over all owners, and who has most. Kinds are each test's own, because sums reach over the whole storage. */
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
    const gone = { ...collection, owner: randomUUID() }
    await storage().removeOwner(gone.owner)
    await storage().append(gone, record)

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

    const found = await talliesOf(storage(), kind)
    const ofEarth = found.filter(({ gamemode, label }) => gamemode === 'earth' && label !== null)
    expect(new Map(ofEarth.map(({ label, count }) => [label, count]))).toEqual(new Map(Object.entries(labels)))
    expect(found.filter(({ label }) => label === null).map(({ gamemode, count }) => [gamemode, count])).toEqual([
      ['', 1],
      ['a:b', 1],
      ['earth', 99],
    ])
  })

  test('names the owners with the most entries first, ties by id, in one gamemode or in all', async () => {
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

  test('takes a removed owner out of tallies and leader boards', async () => {
    const kind = randomUUID()
    const [gone, kept] = [newCollection({ kind }), newCollection({ kind })]
    await storage().append(gone, newRecord({ count: 4, labels: { Gold: 4 } }))
    await storage().append({ ...gone, gamemode: 'sky' }, newRecord({ count: 5, labels: { Gold: 1 } }))
    await storage().append(kept, newRecord({ count: 2, labels: { Gold: 1 } }))
    await storage().removeOwner(gone.owner)
    await storage().removeOwner(gone.owner)

    expect(await talliesOf(storage(), kind)).toEqual([
      { kind, gamemode: 'earth', label: null, count: 2 },
      { kind, gamemode: 'earth', label: 'Gold', count: 1 },
    ])
    expect(await storage().leaders({ kind, limit: 9 })).toEqual([{ owner: kept.owner, count: 2 }])
    expect(await storage().leaders({ kind, gamemode: 'sky', limit: 9 })).toEqual([])
  })

  test('refuses labels that more or fewer carry than there can be, and boards of no size', async () => {
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
    await items.clear(`${base}b`)
    expect(await counts()).toEqual([0, 0])
    await expect(storage().countItems('user')).rejects.toMatchObject({ code: 'invalid_key' })
  })
}

const OWNERS = ['a', 'b', 'c']
const GAMEMODES = ['earth', 'sky']
const KINDS = ['fish', 'crab']
const few = (names: readonly string[]) => fc.constantFrom(...names)

const operation = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant('append' as const),
      owner: few(OWNERS),
      kind: few(KINDS),
      gamemode: few(GAMEMODES),
      token: few(['', 't1', 't2', 't3', 't4']),
      rarities: fc.array(few(['Gold', 'Silver', '']), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('removeRecord' as const), which: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('removeOwner' as const), owner: few(OWNERS) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('setItem' as const), key: few(['a', 'b', 'c:d', 'c:e']) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('removeItem' as const), key: few(['a', 'b', 'c:d', 'c:e']) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('clear' as const) }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** Owners, kinds and items that no other run has. */
class World {
  readonly name = randomUUID()
  readonly base = `${this.name}:`
  readonly kinds = KINDS.map((kind) => `${this.name}-${kind}`)
  readonly storage: FishStorage
  readonly #sent: { id: string; place: Collection }[] = []

  constructor(storage: FishStorage) {
    this.storage = storage
  }

  place(owner: string, kind: string, gamemode: string): Collection {
    return { owner: `${this.name}-${owner}`, kind: `${this.name}-${kind}`, gamemode }
  }

  do(one: Operation): Promise<unknown> {
    const { storage, base } = this
    switch (one.type) {
      case 'append': {
        const place = this.place(one.owner, one.kind, one.gamemode)
        const labels = countBy(one.rarities.filter(Boolean))
        const plain = one.rarities.map((rarity) => JSON.stringify(rarity)).join(',')
        const record = newRecord({ dedupeKey: one.token || null, count: one.rarities.length, labels, plain })
        this.#sent.push({ id: record.id, place })
        return storage.append(place, record)
      }
      case 'removeRecord': {
        const sent = this.#sent[one.which % Math.max(1, this.#sent.length)]
        return sent ? storage.removeRecord(sent.place, sent.id) : Promise.resolve()
      }
      case 'removeOwner':
        return storage.removeOwner(`${this.name}-${one.owner}`)
      case 'setItem':
        return storage.items.setItem(base + one.key, 'value')
      case 'removeItem':
        return storage.items.removeItem(base + one.key)
      case 'clear':
        return storage.items.clear(`${base}c`)
    }
  }

  /** Reads everything and counts it again. */
  async recount(): Promise<{ tallies: Tally[]; totals: Map<string, Map<string, number>> }> {
    const tallies = new Map<string, Tally>()
    const totals = new Map<string, Map<string, number>>()
    const add = (board: string, owner: string, count: number) => {
      const counts = totals.get(board) ?? new Map<string, number>()
      totals.set(board, counts.set(owner, (counts.get(owner) ?? 0) + count))
    }
    const places = OWNERS.flatMap((owner) =>
      KINDS.flatMap((kind) => GAMEMODES.map((gamemode) => this.place(owner, kind, gamemode))),
    )
    for (const { owner, kind, gamemode } of places) {
      for (const { entries } of await readAll(this.storage, { owner, kind, gamemode })) {
        const rarities: string[] = JSON.parse(`[${entries}]`)
        for (const label of [...rarities.map(() => null), ...rarities.filter(Boolean)]) {
          const key = JSON.stringify([kind, gamemode, label])
          tallies.set(key, { kind, gamemode, label, count: (tallies.get(key)?.count ?? 0) + 1 })
        }
        for (const board of [kind, `${kind} ${gamemode}`]) add(board, owner, rarities.length)
      }
    }
    return { tallies: [...tallies.values()], totals }
  }

  async check(): Promise<void> {
    const { tallies, totals } = await this.recount()
    const kept = (await Promise.all(this.kinds.map((kind) => talliesOf(this.storage, kind)))).flat()
    const sorted = (list: readonly Tally[]) => list.map((tally) => JSON.stringify(tally)).sort()
    expect(sorted(kept)).toEqual(sorted(tallies))
    for (const kind of this.kinds) {
      for (const gamemode of [undefined, ...GAMEMODES]) {
        const board = [...(totals.get(gamemode === undefined ? kind : `${kind} ${gamemode}`) ?? [])]
        const expected = board
          .map(([owner, count]) => ({ owner, count }))
          .sort((one, other) => other.count - one.count || (one.owner < other.owner ? -1 : 1))
        expect(await this.storage.leaders({ kind, gamemode, limit: 100 })).toEqual(expected)
        expect(await this.storage.leaders({ kind, gamemode, limit: 2 })).toEqual(expected.slice(0, 2))
      }
    }
    for (const base of [this.base, `${this.base}c:`]) {
      expect(await this.storage.countItems(base)).toBe(
        (await this.storage.listItems({ base, limit: 100 })).items.length,
      )
    }
  }
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** The sums against what reading everything finds. */
export function describeRecount(storage: () => FishStorage): void {
  const operations = fc.array(operation, { maxLength: 60 })

  test('tallies, leaders and counters equal a recount after any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (sequence) => {
        const world = new World(storage())
        for (const one of sequence) await world.do(one)
        await world.check()
      }),
      { numRuns: 25 },
    )
  })

  test('tallies, leaders and counters equal a recount after any operations at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operations, { maxLength: 4 }), async (rounds) => {
        const world = new World(storage())
        for (const round of rounds) await Promise.all(round.map((one) => world.do(one)))
        await world.check()
      }),
      { numRuns: 25 },
    )
  })
}
