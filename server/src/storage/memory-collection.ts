import type { RecordSource } from './chunks.ts'
import type { Collection, NewRecord, RecordForm } from './types.ts'

interface KeptRecord extends NewRecord {
  readonly sequence: number
}

/** The records of one collection in memory, oldest first. */
export class MemoryCollection {
  readonly place: Collection
  /** Text that the owner of all collections gives anew with every change. */
  version: string
  readonly #records: KeptRecord[] = []
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

  /** Takes a record away and answers it, if it was there. */
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
