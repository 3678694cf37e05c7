import { byRank, firstIndex, type RecordSource, readInChunks } from '../core/paging.ts'
import { createSlices } from '../core/slices.ts'
import { TallySum } from '../core/tally.ts'
import {
  type AppendResult,
  type Collection,
  type DumpedWrite,
  type Leader,
  type LeaderRange,
  type NewRecord,
  REMOVED_VERSION,
  type ReadRange,
  type RecordMove,
  type RecordRemoval,
  type RecordTally,
  type StoredRecord,
  type StoredTallies,
  type Tally,
  type UsedToken,
} from '../core/types.ts'

interface SequencedRecord extends NewRecord {
  readonly sequence: number
}

function toStored({ sequence, id, entries, tally }: SequencedRecord): StoredRecord {
  return { sequence, id, count: tally.count, entries }
}

function* allOf<Part extends 'species' | 'days'>(
  tallies: readonly RecordTally[],
  part: Part,
): Generator<RecordTally[Part][number]> {
  for (const tally of tallies) yield* tally[part]
}

class MemoryCollection {
  readonly collection: Collection
  /** The version of the collection. Every change replaces this text. */
  version: string
  readonly #records: SequencedRecord[] = []
  readonly #sequences = new Map<string, number>()

  constructor(collection: Collection, version: string) {
    this.collection = collection
    this.version = version
  }

  get records(): readonly NewRecord[] {
    return this.#records.map(({ sequence: _, ...record }) => record)
  }

  append(record: NewRecord, sequence: number): void {
    this.#records.push({ ...record, sequence })
    this.#sequences.set(record.id, sequence)
  }

  /** Adds up the records at the time of the call, although records may change meanwhile. */
  async tallies(): Promise<StoredTallies> {
    const tallies = this.#records.map(({ tally }) => tally)
    const count = tallies.reduce((total, tally) => total + tally.count, 0)
    const sum = new TallySum().add({ count, species: [], days: [] })
    const slices = createSlices()
    for await (const species of slices(allOf(tallies, 'species'))) sum.add({ count: 0, species, days: [] })
    for await (const days of slices(allOf(tallies, 'days'))) sum.add({ count: 0, species: [], days })
    return sum.tallies()
  }

  find(id: string): SequencedRecord | undefined {
    const sequence = this.#sequences.get(id)
    return sequence === undefined ? undefined : this.#records[this.#firstFrom(sequence)]
  }

  /** Replaces a record of this collection, or removes it. */
  replace({ id, sequence }: SequencedRecord, record?: SequencedRecord): void {
    if (!record) this.#sequences.delete(id)
    this.#records.splice(this.#firstFrom(sequence), 1, ...(record ? [record] : []))
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
          yield toStored(record)
        }
      },
    }
  }

  latest(count: number): StoredRecord[] {
    return this.#records.slice(-count).reverse().map(toStored)
  }

  #firstFrom(sequence: number): number {
    return firstIndex(this.#records, (record) => record.sequence >= sequence)
  }
}

class MemoryTallies {
  readonly #tallies = new Map<string, Tally>()
  /** Number of entries of each owner, for each kind, and for each kind and gamemode. */
  readonly #boards = new Map<string, Map<string, number>>()

  /** Adds entries to the tallies, or subtracts them if `sign` is -1. */
  count({ owner, kind, gamemode }: Collection, { count, labels }: RecordTally, sign: 1 | -1): void {
    this.#add({ kind, gamemode, label: null, count: sign * count })
    for (const [label, labelled] of Object.entries(labels)) {
      this.#add({ kind, gamemode, label, count: sign * labelled })
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

/**
 * Returns the version of a collection after a change. The version differs from those of all other states.
 * @param previous the version before the change
 * @param change describes the change, with the stored entries
 */
export type NextVersion = (previous: string, change: string) => string

/** Also differs from the versions of an earlier storage of the same service. */
function uniqueVersions(): NextVersion {
  const epoch = crypto.getRandomValues(new Uint32Array(3)).join('-')
  let count = 0
  return () => {
    count += 1
    return `${epoch}-${count}`
  }
}

const EMPTY = 'empty'

export class MemoryRecords {
  readonly tallies = new MemoryTallies()
  readonly #owners = new Map<string, Owner>()
  readonly #removed = new Set<string>()
  readonly #nextVersion: NextVersion
  #changes = 0

  constructor(nextVersion: NextVersion = uniqueVersions()) {
    this.#nextVersion = nextVersion
  }

  append(collection: Collection, record: NewRecord): AppendResult {
    if (this.#removed.has(collection.owner)) return { outcome: 'owner_removed' }
    const owner = this.#owner(collection.owner)
    if (record.dedupeKey !== null) {
      const id = owner.tokens.get(record.dedupeKey)
      if (id !== undefined) return { outcome: 'replayed', id }
      owner.tokens.set(record.dedupeKey, record.id)
    }
    this.#add(owner, collection, record)
    return { outcome: 'stored', id: record.id }
  }

  useToken(owner: string, { dedupeKey, id }: UsedToken): void {
    if (this.#removed.has(owner)) return
    const { tokens } = this.#owner(owner)
    if (!tokens.has(dedupeKey)) tokens.set(dedupeKey, id)
  }

  findRecord(owner: string, dedupeKey: string): string | undefined {
    return this.#owners.get(owner)?.tokens.get(dedupeKey)
  }

  findById(collection: Collection, id: string): StoredRecord | undefined {
    const record = this.#collection(collection)?.find(id)
    return record && toStored(record)
  }

  read(collection: Collection, range?: ReadRange): AsyncIterable<readonly StoredRecord[]> {
    const source = () => this.#collection(collection)?.source() ?? NO_RECORDS
    // Each step looks up the source again: the owner may be removed during the read.
    return readInChunks({ last: () => source().last(), between: (from, to) => source().between(from, to) }, range)
  }

  version(collection: Collection): string {
    return this.#collection(collection)?.version ?? (this.#removed.has(collection.owner) ? REMOVED_VERSION : EMPTY)
  }

  latest(collection: Collection, count: number): StoredRecord[] {
    return this.#collection(collection)?.latest(count) ?? []
  }

  async collectionTallies(collection: Collection): Promise<StoredTallies> {
    return this.#collection(collection)?.tallies() ?? { count: 0, species: [], days: [] }
  }

  *dump(name: string): Generator<readonly DumpedWrite[]> {
    const { tokens, collections } = this.#owners.get(name) ?? NO_DATA
    const remaining = new Map(tokens)
    for (const { collection, records } of collections.values()) {
      for (const { dedupeKey } of records) if (dedupeKey !== null) remaining.delete(dedupeKey)
      yield records.map((record) => ({ collection, record }))
    }
    yield Array.from(remaining, ([dedupeKey, id]) => ({ token: { dedupeKey, id } }))
  }

  removeEntriesIf(collection: Collection, { record, tally, remaining }: RecordRemoval): boolean {
    const stored = this.#findIf(collection, record)
    if (!stored) return false
    this.#replace(collection, stored, remaining && { ...stored, entries: remaining.entries, tally: remaining.tally })
    this.tallies.count(collection, tally, -1)
    return true
  }

  moveRecordIf(collection: Collection, { record, tally, gamemode }: RecordMove): boolean {
    const stored = this.#findIf(collection, record)
    if (!stored) return false
    this.#replace(collection, stored)
    this.tallies.count(collection, tally, -1)
    this.#add(this.#owner(collection.owner), { ...collection, gamemode }, stored)
    return true
  }

  removeOwner(owner: string): void {
    for (const { collection, records } of this.#owners.get(owner)?.collections.values() ?? []) {
      for (const { tally } of records) this.tallies.count(collection, tally, -1)
    }
    this.#owners.delete(owner)
    this.#removed.add(owner)
  }

  #owner(name: string): Owner {
    const owner = this.#owners.get(name) ?? { tokens: new Map(), collections: new Map() }
    this.#owners.set(name, owner)
    return owner
  }

  #add(owner: Owner, collection: Collection, record: NewRecord): void {
    const stored = owner.collections.get(nameOf(collection)) ?? new MemoryCollection(collection, EMPTY)
    owner.collections.set(nameOf(collection), stored)
    stored.version = this.#nextVersion(stored.version, `with ${record.id} ${record.entries}`)
    this.#changes += 1
    stored.append(record, this.#changes)
    this.tallies.count(collection, record.tally, 1)
  }

  #findIf(collection: Collection, { id, count }: RecordRemoval['record']): SequencedRecord | undefined {
    const stored = this.#collection(collection)?.find(id)
    return stored?.tally.count === count ? stored : undefined
  }

  #replace(collection: Collection, record: SequencedRecord, replacement?: SequencedRecord): void {
    const stored = this.#collection(collection) as MemoryCollection
    stored.replace(record, replacement)
    stored.version = this.#nextVersion(stored.version, `without ${record.id} ${replacement?.entries}`)
  }

  #collection(collection: Collection): MemoryCollection | undefined {
    return this.#owners.get(collection.owner)?.collections.get(nameOf(collection))
  }
}
