import { type RecordSource, readInChunks } from './paging.ts'
import type {
  AppendResult,
  Collection,
  Leader,
  LeaderRange,
  NewRecord,
  ReadRange,
  RecordForm,
  StoredRecord,
  Tally,
} from './types.ts'

interface SequencedRecord extends NewRecord {
  readonly sequence: number
}

/** The records of one collection in memory, oldest first. */
class MemoryCollection {
  readonly place: Collection
  /** Version text that the owner of all collections replaces with every change. */
  version: string
  readonly #records: SequencedRecord[] = []
  readonly #sequences = new Map<string, number>()

  constructor(place: Collection, version: string) {
    this.place = place
    this.version = version
  }

  get records(): readonly NewRecord[] {
    return this.#records
  }

  append(record: NewRecord, sequence: number): void {
    this.#records.push({ ...record, sequence })
    this.#sequences.set(record.id, sequence)
  }

  /** Removes a record and returns it, if it existed. */
  remove(id: string): NewRecord | undefined {
    const sequence = this.#sequences.get(id)
    if (sequence === undefined) return undefined
    this.#sequences.delete(id)
    return this.#records.splice(this.#firstFrom(sequence), 1)[0]
  }

  source(form: RecordForm): RecordSource {
    const records = this.#records
    const firstFrom = (sequence: number) => this.#firstFrom(sequence)
    return {
      last: () => records.at(-1)?.sequence ?? 0,
      *between(from, to) {
        for (let at = firstFrom(from); ; at += 1) {
          const record = records[at]
          if (!record || record.sequence > to) return
          yield { sequence: record.sequence, count: record.count, entries: record[form] }
        }
      },
    }
  }

  #firstFrom(sequence: number): number {
    let low = 0
    let high = this.#records.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#records[middle]?.sequence ?? 0) < sequence) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** More entries first, then by owner id. */
function isAhead(one: Leader, other: Leader): boolean {
  return one.count === other.count ? one.owner < other.owner : one.count > other.count
}

/** Owners in memory in the order of a leaderboard, so that its top costs what it holds. */
class LeaderBoard {
  readonly #counts = new Map<string, number>()
  readonly #ranking: Leader[] = []

  /** The best owners, each with at least one entry. */
  top(limit: number): Leader[] {
    return this.#ranking.slice(0, limit)
  }

  /** Adds to the count of an owner; a negative number subtracts. */
  add(owner: string, entries: number): void {
    const before = this.#counts.get(owner) ?? 0
    const count = before + entries
    if (before > 0) this.#ranking.splice(this.#place({ owner, count: before }), 1)
    if (count > 0) {
      this.#counts.set(owner, count)
      const leader = { owner, count }
      this.#ranking.splice(this.#place(leader), 0, leader)
    } else {
      this.#counts.delete(owner)
    }
  }

  /** Number of owners ahead of this one. */
  #place(one: Leader): number {
    let low = 0
    let high = this.#ranking.length
    while (low < high) {
      const middle = (low + high) >> 1
      const found = this.#ranking[middle]
      if (found && isAhead(found, one)) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The sums of the records in memory. */
class MemoryTallies {
  readonly #tallies = new Map<string, Tally>()
  /** By kind, and by kind and gamemode. */
  readonly #boards = new Map<string, LeaderBoard>()

  /** Counts a record that was stored, or with -1 one that was removed. */
  count({ owner, kind, gamemode }: Collection, { count, labels }: NewRecord, sign: 1 | -1): void {
    this.#add({ kind, gamemode, label: null, count: sign * count })
    for (const [label, carriers] of Object.entries(labels)) {
      this.#add({ kind, gamemode, label, count: sign * carriers })
    }
    this.#board(kind).add(owner, sign * count)
    this.#board(kind, gamemode).add(owner, sign * count)
  }

  list(): Tally[] {
    return [...this.#tallies.values()]
  }

  leaders({ kind, gamemode, limit }: LeaderRange): Leader[] {
    return this.#board(kind, gamemode).top(limit)
  }

  #add({ kind, gamemode, label, count }: Tally): void {
    const key = JSON.stringify([kind, gamemode, label])
    const sum = (this.#tallies.get(key)?.count ?? 0) + count
    if (sum > 0) this.#tallies.set(key, { kind, gamemode, label, count: sum })
    else this.#tallies.delete(key)
  }

  #board(kind: string, gamemode?: string): LeaderBoard {
    const key = JSON.stringify(gamemode === undefined ? [kind] : [kind, gamemode])
    const board = this.#boards.get(key) ?? new LeaderBoard()
    this.#boards.set(key, board)
    return board
  }
}

interface Owner {
  /** Ids of records by their dedupe key. They stay when a record is removed. */
  readonly tokens: Map<string, string>
  /** By kind and gamemode. */
  readonly collections: Map<string, MemoryCollection>
}

const NO_RECORDS = { last: () => 0, between: () => [] }

function nameOf({ kind, gamemode }: Collection): string {
  return JSON.stringify([kind, gamemode])
}

/** The records of all owners in memory. */
export class MemoryRecords {
  readonly tallies = new MemoryTallies()
  readonly #owners = new Map<string, Owner>()
  readonly #removed = new Set<string>()
  /** Distinguishes the versions of this storage from those of any other, also of an earlier one of the same service. */
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
    const version = this.#newVersion()
    const collection = owner.collections.get(nameOf(place)) ?? new MemoryCollection(place, version)
    owner.collections.set(nameOf(place), collection)
    collection.version = version
    collection.append(record, this.#changes)
    this.tallies.count(place, record, 1)
    return { outcome: 'stored', id: record.id }
  }

  find(owner: string, dedupeKey: string): string | undefined {
    return this.#owners.get(owner)?.tokens.get(dedupeKey)
  }

  read(place: Collection, form: RecordForm, range?: ReadRange): AsyncIterable<readonly StoredRecord[]> {
    const source = () => this.#collection(place)?.source(form) ?? NO_RECORDS
    // Looked up each time: the owner may be removed during the read.
    return readInChunks({ last: () => source().last(), between: (from, to) => source().between(from, to) }, range)
  }

  version(place: Collection): string {
    return this.#collection(place)?.version ?? (this.#removed.has(place.owner) ? 'removed' : 'empty')
  }

  removeRecord(place: Collection, id: string): boolean {
    const collection = this.#collection(place)
    const record = collection?.remove(id)
    if (!collection || !record) return false
    collection.version = this.#newVersion()
    this.tallies.count(place, record, -1)
    return true
  }

  removeOwner(owner: string): void {
    for (const { place, records } of this.#owners.get(owner)?.collections.values() ?? []) {
      for (const record of records) this.tallies.count(place, record, -1)
    }
    this.#owners.delete(owner)
    this.#removed.add(owner)
  }

  #collection(place: Collection): MemoryCollection | undefined {
    return this.#owners.get(place.owner)?.collections.get(nameOf(place))
  }

  #newVersion(): string {
    this.#changes += 1
    return `${this.#epoch}-${this.#changes}`
  }
}
