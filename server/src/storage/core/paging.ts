import type { ItemPage, Leader, ReadRange, StoredRecord } from './types.ts'

/** The first key after all keys of a base: `;` is the character after `:`. */
export function endOfBase(base: string): string {
  return `${base.slice(0, -1)};`
}

/** Builds a page from at most `limit + 1` items: the extra item shows that there is a next page. */
export function pageOf(found: ItemPage['items'], limit: number): ItemPage {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return found.length > limit && last ? { items, next: last.key } : { items }
}

/**
 * Finds the index of the first element for which `isReached` is true, by binary search. `isReached` must also be true
 * for all later elements.
 */
export function firstIndex<Element>(sorted: readonly Element[], isReached: (element: Element) => boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isReached(sorted[middle] as Element)) high = middle
    else low = middle + 1
  }
  return low
}

export function byRank(one: Leader, other: Leader): number {
  return other.count - one.count || (one.owner < other.owner ? -1 : 1)
}

export const CHUNK_RECORDS = 500
/** A chunk ends with the record that reaches this many characters. */
export const CHUNK_CHARACTERS = 64 * 1024

/** Source of a chunked read. `last` is called once per read, `between` once per chunk. */
export interface RecordSource {
  last(): number
  /** Records from one sequence to another, both included, oldest first. The caller may stop before the end. */
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
 * Reads the records that existed when the read started. Each chunk is a separate short read, so a slow reader does not
 * keep a transaction open.
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
