import { readInChunks } from './chunks.ts'
import type { AppendResult, Collection, NewRecord, ReadRange, RecordForm, StoredRecord } from './types.ts'

interface KeptRecord extends NewRecord {
  readonly sequence: number
}

interface Owner {
  /** Ids of records by their dedupe key. They stay when a record goes. */
  readonly tokens: Map<string, string>
  /** Records by kind and gamemode, oldest first. */
  readonly collections: Map<string, KeptRecord[]>
}

function firstFrom(records: readonly KeptRecord[], sequence: number): number {
  let low = 0
  let high = records.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((records[middle]?.sequence ?? 0) < sequence) low = middle + 1
    else high = middle
  }
  return low
}

/** The records of all owners in memory. */
export class MemoryRecords {
  readonly #owners = new Map<string, Owner>()
  readonly #removed = new Set<string>()
  #sequence = 0

  append(collection: Collection, record: NewRecord): AppendResult {
    if (this.#removed.has(collection.owner)) return { outcome: 'owner_removed' }
    const owner = this.#owners.get(collection.owner) ?? { tokens: new Map(), collections: new Map() }
    this.#owners.set(collection.owner, owner)
    if (record.dedupeKey !== null) {
      const id = owner.tokens.get(record.dedupeKey)
      if (id !== undefined) return { outcome: 'replayed', id }
      owner.tokens.set(record.dedupeKey, record.id)
    }
    const name = JSON.stringify([collection.kind, collection.gamemode])
    const records = owner.collections.get(name) ?? []
    owner.collections.set(name, records)
    this.#sequence += 1
    records.push({ ...record, sequence: this.#sequence })
    return { outcome: 'stored', id: record.id }
  }

  find(owner: string, dedupeKey: string): string | undefined {
    return this.#owners.get(owner)?.tokens.get(dedupeKey)
  }

  read(collection: Collection, form: RecordForm, range?: ReadRange): AsyncIterable<readonly StoredRecord[]> {
    const name = JSON.stringify([collection.kind, collection.gamemode])
    const records = () => this.#owners.get(collection.owner)?.collections.get(name) ?? []
    return readInChunks(
      {
        last: () => records().at(-1)?.sequence ?? 0,
        *between(from, to) {
          const all = records()
          for (let at = firstFrom(all, from); ; at += 1) {
            const record = all[at]
            if (!record || record.sequence > to) return
            yield { sequence: record.sequence, count: record.count, entries: record[form] }
          }
        },
      },
      range,
    )
  }

  remove(owner: string): void {
    this.#owners.delete(owner)
    this.#removed.add(owner)
  }
}
