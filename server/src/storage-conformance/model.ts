import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Collection, FishStorage, SpeciesTally, Tally } from '../storage/index.ts'
import { newRecord, readAll, readEntries, speciesOf, talliesOf } from './samples.ts'

const OWNERS = ['a', 'b', 'c']
const GAMEMODES = ['earth', 'sky']
const KINDS = ['fish', 'crab']
const few = (names: readonly string[]) => fc.constantFrom(...names)
const collection = { owner: few(OWNERS), kind: few(KINDS), gamemode: few(GAMEMODES) }
const key = few(['a', 'b', 'c:d', 'c:e'])

const type = <Name extends string>(name: Name) => ({ type: fc.constant(name) })
const value = fc.string()

const operation = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      ...type('append'),
      ...collection,
      token: few(['', 't1', 't2', 't3', 't4']),
      rarities: fc.array(few(['Gold', 'Silver', '']), { minLength: 1, maxLength: 4 }),
      name: few(['Koi', 'Cod "x": \u0001 🐟']),
      at: fc.integer({ min: 0, max: 9 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ ...type('removeRecord'), which: fc.nat(30) }) },
  { weight: 4, arbitrary: fc.record({ ...type('moveRecord'), which: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ ...type('removeOwner'), owner: few(OWNERS) }) },
  { weight: 3, arbitrary: fc.record({ ...type('read'), ...collection }) },
  { weight: 2, arbitrary: fc.record({ ...type('species'), ...collection }) },
  { weight: 3, arbitrary: fc.record({ ...type('setItem'), key, value }) },
  { weight: 3, arbitrary: fc.record({ ...type('setItemIfAbsent'), key, value }) },
  { weight: 2, arbitrary: fc.record({ ...type('removeItem'), key }) },
  { weight: 2, arbitrary: fc.record(type('list')) },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never
type AppendOperation = Extract<Operation, { type: 'append' }>

/** An operation on the storage, and what it returns when no other runs at the same time. */
interface Step {
  readonly run: () => Promise<unknown>
  readonly expected: unknown
}

/** The simplest model of a storage, and the storage to compare with it. Each run has its own owners, kinds and items. */
class Model {
  readonly storage: FishStorage
  readonly #name = randomUUID()
  readonly #base = `${this.#name}:`
  readonly #kinds = KINDS.map((kind) => `${this.#name}-${kind}`)
  readonly #sent: { readonly id: string; collection: Collection }[] = []
  readonly #stored = new Map<string, { readonly key: string; readonly entries: string }>()
  readonly #idsByToken = new Map<string, string>()
  readonly #removedOwners = new Set<string>()
  readonly #items = new Map<string, string>()

  constructor(storage: FishStorage) {
    this.storage = storage
  }

  step(one: Operation): Step {
    const { storage } = this
    switch (one.type) {
      case 'append':
        return this.#append(one)
      case 'removeRecord': {
        const { id, collection } = this.#sent[one.which % Math.max(1, this.#sent.length)] ?? {
          id: 'unknown',
          collection: this.#collection({ owner: 'a', kind: 'fish', gamemode: 'earth' }),
        }
        return { run: () => storage.removeRecord(collection, id), expected: this.#stored.delete(id) }
      }
      case 'moveRecord': {
        const sent = this.#sent[one.which % Math.max(1, this.#sent.length)]
        const collection = sent?.collection ?? this.#collection({ owner: 'a', kind: 'fish', gamemode: 'earth' })
        const id = sent?.id ?? 'unknown'
        const gamemode = collection.gamemode === 'earth' ? 'sky' : 'earth'
        const run = () => storage.moveRecord(collection, id, gamemode)
        const stored = this.#stored.get(id)
        if (!sent || !stored) return { run, expected: false }
        sent.collection = { ...collection, gamemode }
        this.#stored.delete(id)
        this.#stored.set(id, { ...stored, key: keyOf(sent.collection) })
        return { run, expected: true }
      }
      case 'removeOwner': {
        const owner = `${this.#name}-${one.owner}`
        this.#removedOwners.add(owner)
        for (const { id, collection } of this.#sent) if (collection.owner === owner) this.#stored.delete(id)
        return { run: () => storage.removeOwner(owner), expected: undefined }
      }
      case 'read': {
        const collection = this.#collection(one)
        const stored = [...this.#stored.values()].filter(({ key }) => key === keyOf(collection))
        return { run: () => readEntries(storage, collection), expected: stored.map(({ entries }) => entries) }
      }
      case 'species': {
        const collection = this.#collection(one)
        const stored = [...this.#stored.values()].filter(({ key }) => key === keyOf(collection))
        return {
          run: () => speciesOf(storage, collection),
          expected: countSpecies(stored.map(({ entries }) => entries)),
        }
      }
      case 'setItem':
        this.#items.set(one.key, one.value)
        return { run: () => storage.items.setItem(this.#base + one.key, one.value), expected: undefined }
      case 'setItemIfAbsent': {
        const expected = !this.#items.has(one.key)
        if (expected) this.#items.set(one.key, one.value)
        return { run: () => storage.setItemIfAbsent(this.#base + one.key, one.value), expected }
      }
      case 'removeItem':
        this.#items.delete(one.key)
        return { run: () => storage.items.removeItem(this.#base + one.key), expected: undefined }
      case 'list': {
        const items = [...this.#items].sort().map(([key, value]) => ({ key: this.#base + key, value }))
        return { run: () => storage.listItems({ base: this.#base, limit: 9 }), expected: { items } }
      }
    }
  }

  #append({ token, rarities, name, at, ...place }: AppendOperation): Step {
    const collection = this.#collection(place)
    const labels = countBy(rarities.filter(Boolean))
    const entries = rarities
      .map((rarity) => JSON.stringify({ name, rarity: rarity || undefined, caughtAt: new Date(at).toISOString() }))
      .join(',')
    const record = newRecord({ dedupeKey: token || null, count: rarities.length, labels, entries })
    const run = () => this.storage.append(collection, record)
    this.#sent.push({ id: record.id, collection })
    if (this.#removedOwners.has(collection.owner)) return { run, expected: { outcome: 'owner_removed' } }
    const key = `${collection.owner} ${token}`
    const first = this.#idsByToken.get(key)
    if (token && first !== undefined) return { run, expected: { outcome: 'replayed', id: first } }
    this.#idsByToken.set(key, record.id)
    this.#stored.set(record.id, { key: keyOf(collection), entries })
    return { run, expected: { outcome: 'stored', id: record.id } }
  }

  #collection({ owner, kind, gamemode }: Collection): Collection {
    return { owner: `${this.#name}-${owner}`, kind: `${this.#name}-${kind}`, gamemode }
  }

  #collections(): Collection[] {
    return OWNERS.flatMap((owner) =>
      KINDS.flatMap((kind) => GAMEMODES.map((gamemode) => this.#collection({ owner, kind, gamemode }))),
    )
  }

  /** Compares tallies, species, leaders and counters with what reading everything finds. */
  async check(): Promise<void> {
    const { tallies, totals } = await this.#recount()
    const stored = (await Promise.all(this.#kinds.map((kind) => talliesOf(this.storage, kind)))).flat()
    const sorted = (list: readonly Tally[]) => list.map((tally) => JSON.stringify(tally)).sort()
    expect(sorted(stored)).toEqual(sorted(tallies))
    for (const kind of this.#kinds) {
      for (const gamemode of [undefined, ...GAMEMODES]) {
        const board = [...(totals.get(gamemode === undefined ? kind : `${kind} ${gamemode}`) ?? [])]
        const expected = board
          .map(([owner, count]) => ({ owner, count }))
          .sort((one, other) => other.count - one.count || (one.owner < other.owner ? -1 : 1))
        expect(await this.storage.leaders({ kind, gamemode, limit: 100 })).toEqual(expected)
        expect(await this.storage.leaders({ kind, gamemode, limit: 2 })).toEqual(expected.slice(0, 2))
      }
    }
    for (const collection of this.#collections()) {
      const entries = await readEntries(this.storage, collection)
      expect(await speciesOf(this.storage, collection)).toEqual(countSpecies(entries))
    }
    for (const base of [this.#base, `${this.#base}c:`]) {
      const { items } = await this.storage.listItems({ base, limit: 100 })
      expect(await this.storage.countItems(base)).toBe(items.length)
    }
  }

  async #recount(): Promise<{ tallies: Tally[]; totals: Map<string, Map<string, number>> }> {
    const tallies = new Map<string, Tally>()
    const totals = new Map<string, Map<string, number>>()
    for (const { owner, kind, gamemode } of this.#collections()) {
      for (const { entries } of await readAll(this.storage, { owner, kind, gamemode })) {
        const rarities: (string | undefined)[] = JSON.parse(`[${entries}]`).map(
          ({ rarity }: { rarity?: string }) => rarity,
        )
        const labels = rarities.filter((rarity) => rarity !== undefined)
        for (const label of [...rarities.map(() => null), ...labels]) {
          const key = JSON.stringify([kind, gamemode, label])
          tallies.set(key, { kind, gamemode, label, count: (tallies.get(key)?.count ?? 0) + 1 })
        }
        for (const board of [kind, `${kind} ${gamemode}`]) {
          const counts = totals.get(board) ?? new Map<string, number>()
          totals.set(board, counts.set(owner, (counts.get(owner) ?? 0) + rarities.length))
        }
      }
    }
    return { tallies: [...tallies.values()], totals }
  }
}

function keyOf({ owner, kind, gamemode }: Collection): string {
  return JSON.stringify([owner, kind, gamemode])
}

function countSpecies(records: readonly string[]): SpeciesTally[] {
  const entries: Record<string, string>[] = JSON.parse(`[${records.join(',')}]`)
  const groups = Map.groupBy(entries, ({ name, rarity = null }) => JSON.stringify([name, rarity]))
  const sorted = [...groups].sort(([one], [other]) => (one < other ? -1 : 1))
  return sorted.map(([key, group]) => {
    const [name, label] = JSON.parse(key)
    const times = group.map(({ caughtAt = '' }) => Date.parse(caughtAt))
    return { name, label, count: group.length, first: Math.min(...times), last: Math.max(...times) }
  })
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

export function describeModel(storage: () => FishStorage): void {
  const operations = fc.array(operation, { maxLength: 60 })

  test('responds to any sequence of operations as a simple model does, and its sums equal a recount', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (sequence) => {
        const model = new Model(storage())
        for (const one of sequence) {
          const { run, expected } = model.step(one)
          expect(await run()).toEqual(expected)
        }
        await model.check()
      }),
      { numRuns: 40 },
    )
  })

  test('has sums that equal a recount after any operations at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operations, { maxLength: 4 }), async (rounds) => {
        const model = new Model(storage())
        for (const round of rounds) await Promise.all(round.map((one) => model.step(one).run()))
        await model.check()
      }),
      { numRuns: 25 },
    )
  })
}
