import { TallyCounter } from '../core/collection-tallies.ts'
import { byRank, firstIndex, type RecordSource, readInChunks } from '../core/paging.ts'
import {
  type AppendResult,
  type Collection,
  type CollectionTallies,
  type DumpedWrite,
  type Leader,
  type LeaderRange,
  type NewRecord,
  REMOVED_VERSION,
  type ReadRange,
  type RemovedRecord,
  type StoredRecord,
  type Tally,
} from '../core/types.ts'

interface SequencedRecord extends NewRecord {
  readonly sequence: number
}

class MemoryCollection {
  readonly place: Collection
  /** The version of the collection. Every change replaces this text. */
  version: string
  readonly #records: SequencedRecord[] = []
  readonly #sequences = new Map<string, number>()
  /** `undefined` after a removal, until the next call of `tallies` counts the records again. */
  #counter: TallyCounter | undefined = new TallyCounter()

  constructor(place: Collection, version: string) {
    this.place = place
    this.version = version
  }

  get records(): readonly NewRecord[] {
    return this.#records.map(({ sequence: _, ...record }) => record)
  }

  append(record: NewRecord, sequence: number): void {
    this.#records.push({ ...record, sequence })
    this.#sequences.set(record.id, sequence)
    this.#counter?.add(record.entries)
  }

  tallies(): CollectionTallies {
    this.#counter ??= this.#records.reduce((counter, { entries }) => counter.add(entries), new TallyCounter())
    return this.#counter.tallies()
  }

  /** Number of entries of a record, or 0 if the record is not in this collection. */
  countOf(id: string): number {
    const sequence = this.#sequences.get(id)
    return sequence === undefined ? 0 : (this.#records[this.#firstFrom(sequence)]?.count ?? 0)
  }

  remove(id: string): NewRecord | undefined {
    const sequence = this.#sequences.get(id)
    if (sequence === undefined) return undefined
    this.#sequences.delete(id)
    this.#counter = undefined
    return this.#records.splice(this.#firstFrom(sequence), 1)[0]
  }

  source(): RecordSource {
    const records = this.#records
    const firstFrom = (sequence: number) => this.#firstFrom(sequence)
    return {
      last: () => records.at(-1)?.sequence ?? 0,
      *between(from, to) {
        for (let at = firstFrom(from); ; at += 1) {
          const record = records[at]
          if (!record || record.sequence > to) return
          const { sequence, id, count, entries } = record
          yield { sequence, id, count, entries }
        }
      },
    }
  }

  latest(most: number): StoredRecord[] {
    return this.#records
      .slice(-most)
      .reverse()
      .map(({ sequence, id, count, entries }) => ({ sequence, id, count, entries }))
  }

  #firstFrom(sequence: number): number {
    return firstIndex(this.#records, (record) => record.sequence >= sequence)
  }
}

class MemoryTallies {
  readonly #tallies = new Map<string, Tally>()
  /** Number of entries of each owner, for each kind, and for each kind and gamemode. */
  readonly #boards = new Map<string, Map<string, number>>()

  /** Adds a record to the tallies, or subtracts the record if `sign` is -1. */
  count({ owner, kind, gamemode }: Collection, { count, labels }: NewRecord, sign: 1 | -1): void {
    this.#add({ kind, gamemode, label: null, count: sign * count })
    for (const [label, carriers] of Object.entries(labels)) {
      this.#add({ kind, gamemode, label, count: sign * carriers })
    }
    for (const board of [this.#board(kind), this.#board(kind, gamemode)]) {
      const entries = (board.get(owner) ?? 0) + sign * count
      if (entries > 0) board.set(owner, entries)
      else board.delete(owner)
    }
  }

  list(): Tally[] {
    return [...this.#tallies.values()]
  }

  leaders({ kind, gamemode, limit }: LeaderRange): Leader[] {
    const leaders = Array.from(this.#board(kind, gamemode), ([owner, count]) => ({ owner, count }))
    return leaders.sort(byRank).slice(0, limit)
  }

  #add({ kind, gamemode, label, count }: Tally): void {
    const key = JSON.stringify([kind, gamemode, label])
    const sum = (this.#tallies.get(key)?.count ?? 0) + count
    if (sum > 0) this.#tallies.set(key, { kind, gamemode, label, count: sum })
    else this.#tallies.delete(key)
  }

  #board(kind: string, gamemode?: string): Map<string, number> {
    const key = JSON.stringify(gamemode === undefined ? [kind] : [kind, gamemode])
    const board = this.#boards.get(key) ?? new Map<string, number>()
    this.#boards.set(key, board)
    return board
  }
}

interface Owner {
  /** Ids of records by dedupe key. An id stays when its record is removed. */
  readonly tokens: Map<string, string>
  readonly collections: Map<string, MemoryCollection>
}

const NO_DATA: Owner = { tokens: new Map(), collections: new Map() }
const NO_RECORDS = { last: () => 0, between: () => [] }

function nameOf({ kind, gamemode }: Collection): string {
  return JSON.stringify([kind, gamemode])
}

export class MemoryRecords {
  readonly tallies = new MemoryTallies()
  readonly #owners = new Map<string, Owner>()
  readonly #removed = new Set<string>()
  /**
   * Distinguishes the versions of this storage from the versions of any other storage, including an earlier storage of
   * the same service.
   */
  readonly #epoch = crypto.getRandomValues(new Uint32Array(3)).join('-')
  #changes = 0

  append(place: Collection, record: NewRecord): AppendResult {
    if (this.#removed.has(place.owner)) return { outcome: 'owner_removed' }
    const owner = this.#owners.get(place.owner) ?? { tokens: new Map(), collections: new Map() }
    this.#owners.set(place.owner, owner)
    if (record.dedupeKey !== null) {
      const id = owner.tokens.get(record.dedupeKey)
      if (id !== undefined) return { outcome: 'replayed', id }
      owner.tokens.set(record.dedupeKey, record.id)
    }
    this.#add(owner, place, record)
    return { outcome: 'stored', id: record.id }
  }

  find(owner: string, dedupeKey: string): string | undefined {
    return this.#owners.get(owner)?.tokens.get(dedupeKey)
  }

  read(place: Collection, range?: ReadRange): AsyncIterable<readonly StoredRecord[]> {
    const source = () => this.#collection(place)?.source() ?? NO_RECORDS
    // Each step looks up the source again: the owner may be removed during the read.
    return readInChunks({ last: () => source().last(), between: (from, to) => source().between(from, to) }, range)
  }

  version(place: Collection): string {
    return this.#collection(place)?.version ?? (this.#removed.has(place.owner) ? REMOVED_VERSION : 'empty')
  }

  latest(place: Collection, count: number): StoredRecord[] {
    return this.#collection(place)?.latest(count) ?? []
  }

  collectionTallies(place: Collection): CollectionTallies {
    return this.#collection(place)?.tallies() ?? { species: [], days: [] }
  }

  *dump(name: string): Generator<readonly DumpedWrite[]> {
    const { tokens, collections } = this.#owners.get(name) ?? NO_DATA
    const remaining = new Map(tokens)
    for (const { place: collection, records } of collections.values()) {
      for (const { dedupeKey } of records) if (dedupeKey !== null) remaining.delete(dedupeKey)
      yield records.map((record) => ({ collection, record }))
    }
    yield Array.from(remaining, ([dedupeKey, id]) => ({ token: { dedupeKey, id } }))
  }

  removeRecord(place: Collection, id: string): RemovedRecord | undefined {
    const record = this.#take(place, id)
    return record && { count: record.count, entries: record.entries }
  }

  moveRecord(place: Collection, id: string, gamemode: string): number {
    const owner = this.#owners.get(place.owner)
    const record = this.#take(place, id)
    const target = { ...place, gamemode }
    if (!owner || !record) return this.#collection(target)?.countOf(id) ?? 0
    this.#add(owner, target, record)
    return record.count
  }

  removeOwner(owner: string): void {
    for (const { place, records } of this.#owners.get(owner)?.collections.values() ?? []) {
      for (const record of records) this.tallies.count(place, record, -1)
    }
    this.#owners.delete(owner)
    this.#removed.add(owner)
  }

  #add(owner: Owner, place: Collection, record: NewRecord): void {
    const version = this.#newVersion()
    const collection = owner.collections.get(nameOf(place)) ?? new MemoryCollection(place, version)
    owner.collections.set(nameOf(place), collection)
    collection.version = version
    collection.append(record, this.#changes)
    this.tallies.count(place, record, 1)
  }

  #take(place: Collection, id: string): NewRecord | undefined {
    const collection = this.#collection(place)
    const record = collection?.remove(id)
    if (!collection || !record) return undefined
    collection.version = this.#newVersion()
    this.tallies.count(place, record, -1)
    return record
  }

  #collection(place: Collection): MemoryCollection | undefined {
    return this.#owners.get(place.owner)?.collections.get(nameOf(place))
  }

  #newVersion(): string {
    this.#changes += 1
    return `${this.#epoch}-${this.#changes}`
  }
}
