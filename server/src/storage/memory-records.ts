import { readInChunks } from './chunks.ts'
import { MemoryCollection } from './memory-collection.ts'
import { MemoryTallies } from './memory-tallies.ts'
import type { AppendResult, Collection, NewRecord, ReadRange, RecordForm, StoredRecord } from './types.ts'

interface Owner {
  /** Ids of records by their dedupe key. They stay when a record goes. */
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
  /** Sets the versions of this storage apart from those of any other, an earlier one of the same service included. */
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
    // Asked for anew each time: the owner may be removed while the read goes on.
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
