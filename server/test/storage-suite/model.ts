import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Collection,
  type CollectionTallies,
  type FishStorage,
  parseEntries,
  REMOVED_VERSION,
  type StoredEntry,
  type Tally,
} from '../../src/storage/index.ts'
import { collectionTalliesOf, newEntry, newRecord, readAll, talliesOf } from './samples.ts'

const OWNERS = ['a', 'b']
const LATEST = 3
const GAMEMODES = ['earth', 'sky']
const KINDS = ['fish', 'crab']
/** Times on several days, in Unix milliseconds. Some share a day. */
const TIMES = [-1, 0, 86_399_999, 86_400_000, Date.UTC(2026, 0, 31, 12), Date.UTC(2026, 0, 31, 23, 59)]
const TOKENS = ['', 't1', 't2', 't3', 't4']
const few = (names: readonly string[]) => fc.constantFrom(...names)
const place = { owner: few(OWNERS), kind: few(KINDS), gamemode: few(GAMEMODES) }
const key = few(['a', 'ca', 'c:d', 'c:e'])
const value = few(['', '1', '01'])
// Usually selects the collection that contains the record, sometimes another collection.
const which = { which: fc.nat(30), elsewhere: fc.option(fc.record(place), { freq: 3 }) }

const operationOf = <Name extends string, Fields extends object>(
  weight: number,
  type: Name,
  fields: { [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
) => ({ weight, arbitrary: fc.record({ type: fc.constant(type), ...fields }) as fc.Arbitrary<{ type: Name } & Fields> })

const operation = fc.oneof(
  operationOf(10, 'append', {
    ...place,
    token: few(TOKENS),
    rarities: fc.array(few(['Gold', 'Silver', '']), { minLength: 1, maxLength: 4 }),
    name: few(['Koi', 'Cod "x": \u0001 🐟']),
    at: fc.constantFrom(...TIMES),
  }),
  operationOf(4, 'removeRecord', which),
  operationOf(4, 'removeEntry', { ...which, index: fc.nat(4) }),
  operationOf(4, 'moveRecord', which),
  operationOf(1, 'removeOwner', { owner: few(OWNERS) }),
  operationOf(1, 'findRecord', { owner: few(OWNERS), token: few(TOKENS) }),
  operationOf(3, 'read', place),
  operationOf(2, 'collectionTallies', place),
  operationOf(3, 'setItem', { key, value }),
  operationOf(3, 'setItemIfAbsent', { key, value }),
  operationOf(2, 'removeItem', { key }),
  operationOf(2, 'removeItemIf', { key, value }),
  operationOf(2, 'replaceItemIf', { key, expected: value, value }),
  operationOf(2, 'list', {
    after: fc.option(key),
    limit: fc.integer({ min: 1, max: 4 }),
    contains: few(['', 'c', ':e']),
  }),
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never
type OperationOf<Type extends Operation['type']> = Extract<Operation, { type: Type }>

/** An operation on the storage, and its expected result if no other operation runs at the same time. */
interface Step {
  readonly run: () => Promise<unknown>
  readonly expected: unknown
}

interface ModelRecord {
  readonly id: string
  /** The key of the collection. */
  readonly key: string
  /** A removed entry is `undefined`. */
  readonly entries: readonly (StoredEntry | undefined)[]
}

function textOf(entries: ModelRecord['entries']): string {
  return entries.map((entry) => JSON.stringify(entry ?? { removed: true })).join(',')
}

function countOf({ entries }: ModelRecord): number {
  return entries.filter(Boolean).length
}

/** The simplest model of a storage, and the storage to compare with it. Each run has its own owners, kinds and items. */
class Model {
  readonly storage: FishStorage
  readonly #name = randomUUID()
  readonly #base = `${this.#name}:`
  readonly #kinds = KINDS.map((kind) => `${this.#name}-${kind}`)
  readonly #sent: { readonly id: string; collection: Collection }[] = []
  /** Records in the order of their sequences. */
  readonly #stored = new Map<string, ModelRecord>()
  readonly #idsByToken = new Map<string, string>()
  readonly #removedOwners = new Set<string>()
  readonly #items = new Map<string, string>()
  /** Collections whose content the current step changes. */
  readonly #changed = new Set<string>()
  readonly #versions = new Map<string, string>()
  readonly #usedVersions = new Set<string>()
  /** The record ids of each collection, by sequence. */
  readonly #sequences = new Map<string, Map<number, string>>()

  constructor(storage: FishStorage) {
    this.storage = storage
  }

  step(one: Operation): Step {
    const { storage } = this
    switch (one.type) {
      case 'append':
        return this.#append(one)
      case 'removeRecord': {
        const { id, collection } = this.#pick(one)
        const stored = this.#stored.get(id)
        const expected = stored?.key === keyOf(collection) ? this.#remove(stored) : undefined
        const run = async () => (await storage.removeRecord(collection, id))?.entries
        return { run, expected }
      }
      case 'removeEntry':
        return this.#removeEntry(one)
      case 'moveRecord':
        return this.#move(one)
      case 'removeOwner': {
        const owner = this.#owner(one.owner)
        this.#removedOwners.add(owner)
        for (const collection of this.#collections())
          if (collection.owner === owner) this.#changed.add(keyOf(collection))
        for (const { id, collection } of this.#sent) if (collection.owner === owner) this.#stored.delete(id)
        return { run: () => storage.removeOwner(owner), expected: undefined }
      }
      case 'findRecord': {
        const owner = this.#owner(one.owner)
        const expected = this.#removedOwners.has(owner) ? undefined : this.#idsByToken.get(`${owner} ${one.token}`)
        return { run: () => storage.findRecord(owner, one.token), expected }
      }
      case 'read': {
        const collection = this.#collection(one)
        const run = async () => (await readAll(storage, collection)).map(({ entries }) => entries)
        return { run, expected: this.#recordsOf(collection).map(({ entries }) => textOf(entries)) }
      }
      case 'collectionTallies': {
        const collection = this.#collection(one)
        const expected = countEntries(this.#recordsOf(collection).flatMap(({ entries }) => entries))
        return { run: () => collectionTalliesOf(storage, collection), expected }
      }
      case 'list':
        return this.#list(one)
      default:
        return this.#write(one)
    }
  }

  #append({ token, rarities, name, at, ...rest }: OperationOf<'append'>): Step {
    const collection = this.#collection(rest)
    const id = randomUUID()
    const entries = rarities.map((rarity) => newEntry(name, { rarity: rarity || undefined, at }))
    const record = newRecord({ id, dedupeKey: token || null, entries })
    const run = () => this.storage.append(collection, record)
    this.#sent.push({ id, collection })
    if (this.#removedOwners.has(collection.owner)) return { run, expected: { outcome: 'owner_removed' } }
    const first = this.#idsByToken.get(`${collection.owner} ${token}`)
    if (first !== undefined) return { run, expected: { outcome: 'replayed', id: first } }
    if (token) this.#idsByToken.set(`${collection.owner} ${token}`, id)
    this.#store(id, { id, key: keyOf(collection), entries })
    return { run, expected: { outcome: 'stored', id } }
  }

  #removeEntry(one: OperationOf<'removeEntry'>): Step {
    const { id, collection } = this.#pick(one)
    const run = () => this.storage.removeEntry(collection, id, one.index)
    const stored = this.#stored.get(id)
    if (stored?.key !== keyOf(collection)) return { run, expected: { outcome: 'record_not_found' } }
    const entry = stored.entries[one.index]
    if (!entry) return { run, expected: { outcome: 'entry_not_found' } }
    const reduced = { ...stored, entries: stored.entries.with(one.index, undefined) }
    if (countOf(reduced) === 0) this.#remove(stored)
    else this.#store(id, reduced)
    return { run, expected: { outcome: 'removed', entry } }
  }

  #move(one: OperationOf<'moveRecord'>): Step {
    const { id, collection, sent } = this.#pick(one)
    const target = { ...collection, gamemode: collection.gamemode === 'earth' ? 'sky' : 'earth' }
    const run = () => this.storage.moveRecord(collection, id, target.gamemode)
    const stored = this.#stored.get(id)
    if (!sent || stored?.key !== keyOf(collection))
      return { run, expected: stored?.key === keyOf(target) ? countOf(stored) : 0 }
    sent.collection = target
    this.#remove(stored)
    this.#store(id, { ...stored, key: keyOf(target) })
    return { run, expected: countOf(stored) }
  }

  #list({ after, limit, contains }: OperationOf<'list'>): Step {
    const range = { base: this.#base, limit, contains, ...(after === null ? {} : { after: this.#base + after }) }
    const found = [...this.#items].sort().filter(([key]) => key > (after ?? '') && key.includes(contains))
    const items = found.slice(0, limit).map(([key, value]) => ({ key: this.#base + key, value }))
    const expected = found.length > limit ? { items, next: items.at(-1)?.key } : { items }
    return { run: () => this.storage.listItems(range), expected }
  }

  #write(one: OperationOf<'setItem' | 'setItemIfAbsent' | 'removeItem' | 'removeItemIf' | 'replaceItemIf'>): Step {
    const { storage } = this
    const key = this.#base + one.key
    const before = this.#items.get(one.key)
    const set = (value: string) => this.#items.set(one.key, value) && true
    switch (one.type) {
      case 'setItem':
        set(one.value)
        return { run: () => storage.items.setItem(key, one.value), expected: undefined }
      case 'setItemIfAbsent':
        return { run: () => storage.setItemIfAbsent(key, one.value), expected: before === undefined && set(one.value) }
      case 'removeItem':
        this.#items.delete(one.key)
        return { run: () => storage.items.removeItem(key), expected: undefined }
      case 'removeItemIf': {
        const expected = before === one.value && this.#items.delete(one.key)
        return { run: () => storage.removeItemIf(key, one.value), expected }
      }
      case 'replaceItemIf': {
        const expected = before === one.expected && set(one.value)
        return { run: () => storage.replaceItemIf(key, one.expected, one.value), expected }
      }
    }
  }

  #pick({ which, elsewhere }: OperationOf<'removeRecord' | 'removeEntry' | 'moveRecord'>) {
    const sent = this.#sent[which % Math.max(1, this.#sent.length)]
    const { id, collection } = sent ?? { id: randomUUID(), collection: this.#collections()[0] as Collection }
    return { id, collection: elsewhere ? this.#collection(elsewhere) : collection, sent }
  }

  #store(id: string, record: ModelRecord): void {
    this.#stored.set(id, record)
    this.#changed.add(record.key)
  }

  /** Returns the text of the record. */
  #remove({ id, key, entries }: ModelRecord): string {
    this.#changed.add(key)
    this.#stored.delete(id)
    return textOf(entries)
  }

  #recordsOf(collection: Collection): ModelRecord[] {
    return [...this.#stored.values()].filter(({ key }) => key === keyOf(collection))
  }

  #owner(owner: string): string {
    return `${this.#name}-${owner}`
  }

  #collection({ owner, kind, gamemode }: Collection): Collection {
    return { owner: this.#owner(owner), kind: `${this.#name}-${kind}`, gamemode }
  }

  #collections(): Collection[] {
    return OWNERS.flatMap((owner) =>
      KINDS.flatMap((kind) => GAMEMODES.map((gamemode) => this.#collection({ owner, kind, gamemode }))),
    )
  }

  /** Checks that exactly the collections that the last step changed have new, unused versions. */
  async checkChanges(): Promise<void> {
    const versions = await Promise.all(this.#collections().map((collection) => this.storage.version(collection)))
    for (const [index, collection] of this.#collections().entries()) {
      const [key, version] = [keyOf(collection), versions[index] as string]
      const isChanged = this.#changed.delete(key)
      if (this.#removedOwners.has(collection.owner)) expect(version).toBe(REMOVED_VERSION)
      else if (isChanged) expect(this.#usedVersions).not.toContain(version)
      else expect(version).toBe(this.#versions.get(key) ?? version)
      this.#versions.set(key, version)
      this.#usedVersions.add(version)
      if (isChanged) await this.#checkSequences(collection)
    }
  }

  /** Checks that the records are in order, and that a new record has a higher sequence than all earlier records. */
  async #checkSequences(collection: Collection): Promise<void> {
    const records = await readAll(this.storage, collection)
    const expected = this.#recordsOf(collection).map((record) => ({
      ...{ id: record.id, count: countOf(record), entries: textOf(record.entries) },
    }))
    expect(records.map(({ sequence: _, ...record }) => record)).toEqual(expected)
    const known = this.#sequences.get(keyOf(collection)) ?? new Map<number, string>()
    this.#sequences.set(keyOf(collection), known)
    const highest = Math.max(0, ...known.keys())
    let before = 0
    for (const { sequence, id } of records) {
      expect(sequence).toBeGreaterThan(before)
      if (sequence <= highest) expect(known.get(sequence)).toBe(id)
      known.set(sequence, id)
      before = sequence
    }
    const latest = await this.storage.latest(collection, LATEST)
    expect(latest).toEqual(records.slice(-LATEST).reverse())
  }

  /** Compares tallies, species, days, leaders and counters with a full read. */
  async check(): Promise<void> {
    const { tallies, totals, ids } = await this.#recount()
    // No record is in two collections.
    expect(new Set(ids).size).toBe(ids.length)
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
        expect(await this.storage.leaders({ kind, gamemode, limit: 1 })).toEqual(expected.slice(0, 1))
      }
    }
    for (const collection of this.#collections()) {
      const records = await readAll(this.storage, collection)
      const entries = records.flatMap(({ entries }) => parseEntries(entries))
      expect(await collectionTalliesOf(this.storage, collection)).toEqual(countEntries(entries))
    }
    for (const base of [this.#base, `${this.#base}c:`]) {
      const { items } = await this.storage.listItems({ base, limit: 100 })
      expect(await this.storage.countItems(base)).toBe(items.length)
      expect((await this.storage.items.getKeys(base)).sort()).toEqual(items.map(({ key }) => key))
    }
  }

  async #recount() {
    const tallies = new Map<string, Tally>()
    const totals = new Map<string, Map<string, number>>()
    const ids: string[] = []
    for (const { owner, kind, gamemode } of this.#collections()) {
      for (const { id, entries } of await readAll(this.storage, { owner, kind, gamemode })) {
        const list = parseEntries(entries).filter((entry) => entry !== undefined)
        ids.push(id)
        const labels = list.flatMap(({ rarity }) => rarity ?? [])
        for (const label of [...list.map(() => null), ...labels]) {
          const key = JSON.stringify([kind, gamemode, label])
          tallies.set(key, { kind, gamemode, label, count: (tallies.get(key)?.count ?? 0) + 1 })
        }
        for (const board of [kind, `${kind} ${gamemode}`]) {
          const counts = totals.get(board) ?? new Map<string, number>()
          totals.set(board, counts.set(owner, (counts.get(owner) ?? 0) + list.length))
        }
      }
    }
    return { tallies: [...tallies.values()], totals, ids }
  }
}

function keyOf({ owner, kind, gamemode }: Collection): string {
  return JSON.stringify([owner, kind, gamemode])
}

function countEntries(entries: ModelRecord['entries']): CollectionTallies {
  const existing = entries.filter((entry) => entry !== undefined)
  const group = (keyOf: (entry: StoredEntry) => string) =>
    [...Map.groupBy(existing, keyOf)].sort(([one], [other]) => (one < other ? -1 : 1))
  const bySpecies = group(({ name, rarity = null }) => JSON.stringify([name, rarity]))
  const byDay = group(({ caughtAt, rarity = null }) => JSON.stringify([caughtAt.slice(0, '2026-01-31'.length), rarity]))
  return {
    count: existing.length,
    species: bySpecies.map(([key, same]) => {
      const [name, label] = JSON.parse(key)
      const times = same.map(({ caughtAt }) => Date.parse(caughtAt))
      return { name, label, count: same.length, first: Math.min(...times), last: Math.max(...times) }
    }),
    days: byDay.map(([key, same]) => {
      const [day, label] = JSON.parse(key)
      return { day, label, count: same.length }
    }),
  }
}

export function describeModel(storage: () => FishStorage): void {
  // The time limit in milliseconds covers all runs and the shrinking of a counterexample.
  const limits = { numRuns: 15, interruptAfterTimeLimit: 20_000 }
  const timeout = 30_000
  const operations = (maxLength: number) => fc.array(operation, { maxLength, size: 'max' })

  test('return the same results as a simple model if they run in sequence, and leave sums that equal a recount', {
    timeout,
  }, async () => {
    const property = fc.asyncProperty(operations(100), async (sequence) => {
      const model = new Model(storage())
      for (const one of sequence) {
        const { run, expected } = model.step(one)
        expect(await run()).toEqual(expected)
        await model.checkChanges()
      }
      await model.check()
    })
    await fc.assert(property, limits)
  })

  test('leave sums that equal a recount if they run concurrently', { timeout }, async () => {
    const property = fc.asyncProperty(fc.array(operations(40), { maxLength: 4 }), async (rounds) => {
      const model = new Model(storage())
      for (const round of rounds) await Promise.all(round.map((one) => model.step(one).run()))
      await model.check()
    })
    await fc.assert(property, limits)
  })
}
