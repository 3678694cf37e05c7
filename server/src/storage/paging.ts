import type { ItemPage, ReadRange, StoredRecord } from './types.ts'

/** The beginning of the keys right behind those of a base: `:` is followed by `;`. */
export function endOfBase(base: string): string {
  return `${base.slice(0, -1)};`
}

/** A page from one item more than it may hold: the surplus one says that there is a next page. */
export function pageOf(found: ItemPage['items'], limit: number): ItemPage {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return found.length > limit && last ? { items, next: last.key } : { items }
}

/** Most records of one chunk. */
const CHUNK_RECORDS = 500
/** A chunk is complete once its entries have this many characters; the record that gets it there is in it. */
const CHUNK_CHARACTERS = 64 * 1024

/** What a driver offers to a chunked read; both are called anew for every chunk and answer at once. */
export interface RecordSource {
  /** Sequence of the newest record, 0 when there is none. */
  last(): number
  /** Records from one sequence to another, both included, oldest first. May be left before its end. */
  between(from: number, to: number): Iterable<StoredRecord>
}

function takeChunk(records: Iterable<StoredRecord>, entries: number): StoredRecord[] {
  const chunk: StoredRecord[] = []
  let found = 0
  let characters = 0
  for (const record of records) {
    chunk.push(record)
    found += record.count
    characters += record.entries.length
    if (found >= entries || characters >= CHUNK_CHARACTERS || chunk.length >= CHUNK_RECORDS) break
  }
  return chunk
}

/**
 * Reads what was there when the read began. Each chunk is its own short look at the source, so a slow reader
 * holds nothing open, and what is appended meanwhile is left out.
 */
export async function* readInChunks(source: RecordSource, range: ReadRange = {}): AsyncGenerator<StoredRecord[]> {
  const to = source.last()
  let from = range.from ?? 0
  let entries = range.entries ?? Number.POSITIVE_INFINITY
  while (from <= to && entries > 0) {
    const chunk = takeChunk(source.between(from, to), entries)
    const newest = chunk.at(-1)
    if (!newest) return
    yield chunk
    from = newest.sequence + 1
    entries -= chunk.reduce((sum, record) => sum + record.count, 0)
  }
}
